import type { AgentDeclaration } from "../../src/agent/declaration.js";
import type { CallRecord } from "../../src/call/call-record.js";
import type { HistoryEntry } from "../../src/call/history.js";
import type { Content, InboxItem, Occurrence } from "../../src/call/message.js";
import { partText } from "../../src/call/part.js";
import type { LiveEvent } from "../../src/channel/channel.js";
import type { Model } from "../../src/model/model.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import type { JournalEntry } from "../../src/turn/journal.js";
import { runTurn } from "../../src/turn/run-turn.js";
import { Stop } from "../../src/turn/stop.js";
import type { TurnInput, TurnResult } from "../../src/turn/turn.js";
import { recordingLog } from "../function-agent/recording-log.js";

const ADDRESS = "web|ana";

/** A conversation as the engine would keep it, in memory: turns go in, what they decided is written. */
export class Line {
	readonly clock = new VirtualClock();
	readonly log = recordingLog();
	readonly shown: LiveEvent[] = [];
	record: CallRecord | undefined;
	history: HistoryEntry[] = [];
	/** What the last turn wrote down. */
	journal: JournalEntry[] = [];
	#calls = 0;
	#tells: (() => void)[] = [];
	#messages = 0;

	constructor(
		readonly agent: AgentDeclaration,
		readonly model: Model,
	) {}

	message(content: Content | string): InboxItem {
		this.#messages += 1;
		const said: Content = typeof content === "string" ? { kind: "text", text: content } : content;
		return {
			type: "message",
			id: `m${this.#messages}`,
			address: ADDRESS,
			contact: { id: "web:ana", name: "Ana" },
			content: said,
			sentAt: this.clock.now(),
		};
	}

	occurrence(occurrence: Occurrence["occurrence"], id = "o1"): InboxItem {
		return { type: "occurrence", id, address: ADDRESS, occurrence, at: this.clock.now() };
	}

	input(items: readonly InboxItem[], over: Partial<TurnInput> = {}): TurnInput {
		return {
			agent: this.agent,
			model: this.model,
			channel: { name: "web", transport: "chat" },
			address: ADDRESS,
			record: structuredClone(this.record),
			history: structuredClone(this.history),
			items,
			journal: [],
			note: async (entry) => {
				this.journal.push(structuredClone(entry));
			},
			show: (event) => this.shown.push(event),
			stop: new Stop(),
			clock: this.clock,
			log: this.log,
			newId: () => {
				this.#calls += 1;
				return `call-${this.#calls}`;
			},
			onceCommitted: (tell) => this.#tells.push(tell),
			...over,
		};
	}

	/** Runs one turn and writes it. */
	async take(items: readonly InboxItem[], over: Partial<TurnInput> = {}): Promise<TurnResult> {
		this.journal = [];
		this.#tells = [];
		const result = await runTurn(this.input(items, over));
		this.write(result);
		for (const tell of this.#tells) tell();
		return result;
	}

	say(...words: (Content | string)[]): Promise<TurnResult> {
		return this.take(words.map((each) => this.message(each)));
	}

	write(result: TurnResult): void {
		if (result.record.id !== this.record?.id) this.history = [];
		this.record = structuredClone(result.record);
		this.history.push(...structuredClone(result.append));
	}

	/** Names of the log's lines at or above `warn`. */
	warnings(): string[] {
		return this.log.lines.filter(({ level }) => level === "warn" || level === "error").map(({ event }) => event);
	}
}

/** What a person reads of a turn. */
export function words(result: TurnResult): string[] {
	return result.parts.map(({ part }) => partText(part));
}

/** What the model was told of each tool call, by the call's id. */
export function told(result: TurnResult): Record<string, string> {
	return Object.fromEntries(result.append.flatMap((row) => (row.role === "result" ? [[row.call, row.content]] : [])));
}
