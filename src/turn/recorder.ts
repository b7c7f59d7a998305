import type { Outcome, ToolOutcome } from "../agent/declaration.js";
import type { ModelResponse } from "../model/model.js";
import type { JournalEntry } from "./journal.js";
import type { TurnInput } from "./turn.js";

/**
 * Does a thing once in the life of a turn: what the journal already holds is given back, anything else is done and made
 * durable before the turn goes on. Rejects as `note` does, and with the reason of `stop` when the turn is stopped; then
 * nothing more of this turn may count.
 */
export class Recorder {
	readonly #input: TurnInput;
	#at: number;

	constructor(input: TurnInput, began: number) {
		this.#input = input;
		this.#at = began;
	}

	/** When the last recorded thing happened: the time of what follows from it. */
	get at(): number {
		return this.#at;
	}

	/** Where `run` brings nothing, no code of the agent's author ran and nothing is recorded. */
	async hooked(name: string, run: () => Promise<Outcome | undefined>): Promise<Outcome> {
		const known = this.#find("hooked", (entry) => entry.name === name);
		if (known !== undefined) return this.#reached(known).outcome;
		const outcome = await this.#input.stop.race(run);
		if (outcome === undefined) return { changes: [], acts: [] };
		return (await this.#note({ entry: "hooked", name, outcome, at: this.#input.clock.now() })).outcome;
	}

	async answered(step: number, ask: () => Promise<ModelResponse>): Promise<ModelResponse> {
		const known = this.#find("answered", (entry) => entry.step === step);
		if (known !== undefined) return this.#reached(known).response;
		const response = await this.#input.stop.race(ask);
		return (await this.#note({ entry: "answered", step, response, at: this.#input.clock.now() })).response;
	}

	/** The recorded outcome of one call of one response. */
	outcome(step: number, call: string): ToolOutcome | undefined {
		for (const entry of this.#input.journal) {
			if (entry.entry !== "ran" || entry.step !== step) continue;
			const outcome = entry.outcomes.find((each) => each.id === call);
			if (outcome === undefined) continue;
			this.#reached(entry);
			return outcome;
		}
		return undefined;
	}

	/** Whether a call was about to run when the turn was cut. */
	wasRunning(step: number, call: string): boolean {
		return this.#find("running", (entry) => entry.step === step && entry.calls.includes(call)) !== undefined;
	}

	/** Runs calls that have no recorded outcome; `known` outcomes, which nobody ran, are recorded with theirs. */
	async ran(
		step: number,
		calls: readonly string[],
		known: readonly ToolOutcome[],
		run: () => Promise<readonly ToolOutcome[]>,
	): Promise<readonly ToolOutcome[]> {
		const unannounced = calls.filter((call) => !this.wasRunning(step, call));
		if (unannounced.length > 0) await this.#note({ entry: "running", step, calls: unannounced });
		const outcomes = calls.length === 0 ? [] : await this.#input.stop.race(run);
		const at = this.#input.clock.now();
		return (await this.#note({ entry: "ran", step, outcomes: [...known, ...outcomes], at })).outcomes;
	}

	#find<E extends JournalEntry["entry"]>(
		kind: E,
		matches: (entry: Extract<JournalEntry, { entry: E }>) => boolean,
	): Extract<JournalEntry, { entry: E }> | undefined {
		for (const entry of this.#input.journal) {
			if (entry.entry === kind && matches(entry as Extract<JournalEntry, { entry: E }>))
				return entry as Extract<JournalEntry, { entry: E }>;
		}
		return undefined;
	}

	#reached<E extends { at: number }>(entry: E): E {
		this.#at = entry.at;
		return entry;
	}

	async #note<E extends JournalEntry>(entry: E): Promise<E> {
		await this.#input.stop.race(() => this.#input.note(entry));
		if ("at" in entry) this.#at = entry.at;
		return entry;
	}
}
