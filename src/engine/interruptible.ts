import type { ToolDeclaration } from "../agent/declaration.js";
import type { InboxItem } from "../call/message.js";
import type { LiveEvent } from "../channel/channel.js";
import type { Model } from "../model/model.js";
import type { JournalEntry } from "../turn/journal.js";
import { Stop } from "../turn/stop.js";
import type { TurnInput, TurnResult } from "../turn/turn.js";

export interface InterruptibleOptions {
	input: TurnInput;
	runTurn(input: TurnInput): Promise<TurnResult>;
	/** From then on the turn is finished with what it has. */
	until: number;
	/** Told each time the turn starts over, with the messages it has now. */
	startedOver(messages: number): void;
}

/**
 * A turn that starts over with whatever is said while the model is being asked, as long as nothing but reading was done:
 * then the model is asked once about all of it, instead of about half a thought and its rest. What code did when the
 * call began is not done again.
 */
export class Interruptible {
	readonly #options: InterruptibleOptions;
	readonly #items: InboxItem[];
	/** What counts of the journal. */
	#entries: JournalEntry[];
	#run = new Stop();
	#asking = false;
	#draft: string | undefined;

	constructor(options: InterruptibleOptions) {
		this.#options = options;
		this.#items = [...options.input.items];
		this.#entries = [...options.input.journal];
	}

	/** All items that are known, of which the result has used up the first. */
	get items(): readonly InboxItem[] {
		return this.#items;
	}

	/** Takes in what has arrived behind the items. */
	came(items: readonly InboxItem[]): void {
		this.#items.push(...items);
		if (this.#asking) this.#interruptIfFit();
	}

	async run(): Promise<TurnResult> {
		const { input, runTurn } = this.#options;
		for (;;) {
			const run = input.stop.child();
			this.#run = run;
			try {
				return await run.race(() => runTurn(this.#input(run)));
			} catch (error) {
				if (!run.aborted || input.stop.aborted) throw error;
				await this.#startOver();
			}
		}
	}

	#input(stop: Stop): TurnInput {
		const { input } = this.#options;
		return {
			...input,
			items: [...this.#items],
			journal: [...this.#entries],
			stop,
			model: this.#listening(input.model, stop),
			note: (entry) => {
				stop.throwIfAborted();
				this.#entries.push(entry);
				return input.note(entry);
			},
			show: (event) => {
				if (!stop.aborted) this.#show(event);
			},
		};
	}

	#listening(model: Model, stop: Stop): Model {
		return {
			name: model.name,
			ask: async (request, options) => {
				this.#asking = true;
				try {
					this.#interruptIfFit();
					stop.throwIfAborted();
					return await model.ask(request, options);
				} finally {
					this.#asking = false;
				}
			},
		};
	}

	#show(event: LiveEvent): void {
		if (event.kind === "draft") this.#draft = event.turn;
		this.#options.input.show(event);
	}

	#interruptIfFit(): void {
		const began = this.#began;
		if (began === undefined || messagesAhead(this.#items) <= began.items) return;
		const { input, until } = this.#options;
		if (input.clock.now() >= until || hasEffect(this.#entries, input.agent.tools)) return;
		this.#run.abort(new Error("the turn starts over with what was said meanwhile"));
	}

	async #startOver(): Promise<void> {
		const { input, startedOver } = this.#options;
		const began = this.#began;
		if (began === undefined) return;
		const items = messagesAhead(this.#items);
		const anew = { ...began, items, at: input.clock.now() };
		this.#entries = [anew, ...this.#entries.filter(({ entry }) => entry === "hooked")];
		if (this.#draft !== undefined) input.show({ kind: "withdrawn", turn: this.#draft });
		this.#draft = undefined;
		await input.note(anew);
		startedOver(items);
	}

	get #began() {
		return this.#entries.find((entry) => entry.entry === "began");
	}
}

/** How many messages stand before the first item that is none. */
function messagesAhead(items: readonly InboxItem[]): number {
	const other = items.findIndex((item) => item.type !== "message");
	return other === -1 ? items.length : other;
}

/** Whether a tool that does more than read has begun to run. */
function hasEffect(entries: readonly JournalEntry[], tools: readonly ToolDeclaration[]): boolean {
	const readers = new Set(tools.filter(({ effect }) => effect === "read").map(({ name }) => name));
	const named = new Map(
		entries.flatMap((entry) =>
			entry.entry === "answered" ? entry.response.calls.map(({ id, name }) => [`${entry.step} ${id}`, name]) : [],
		) as [string, string][],
	);
	return entries.some(
		(entry) =>
			entry.entry === "running" && entry.calls.some((id) => !readers.has(named.get(`${entry.step} ${id}`) ?? "")),
	);
}
