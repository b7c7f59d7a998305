import type { AgentDeclaration, AgentSession, Change } from "../agent/declaration.js";
import type { CallRecord } from "../call/call-record.js";
import type { HistoryEntry, Speaker } from "../call/history.js";
import type { Json } from "../call/json.js";
import type { InboxItem } from "../call/message.js";
import type { Part } from "../call/part.js";
import type { ModelResponse } from "../model/model.js";
import { addUsage, noUsage } from "../model/usage.js";
import type { Log } from "../observe/log.js";
import type { Live } from "./live.js";
import type { Recorder } from "./recorder.js";
import type { SpokenPart, TimerOrder, TurnInput } from "./turn.js";

/** What comes next: the model is asked, or the turn has all it needs and rests until something new arrives. */
export type Decision = "ask" | "rest";

/** How a call was asked to end: at the commit, or once what was said has left. */
export interface Ending {
	reason: string;
	after: "now" | "delivered";
}

export interface DraftParts {
	input: TurnInput;
	/** `<call>.<turn>` */
	id: string;
	/** The items this turn uses up. */
	items: readonly InboxItem[];
	/** The call as it stands; changed as the turn goes. */
	record: CallRecord;
	/** Whether the call begins with this turn. */
	fresh: boolean;
	recorder: Recorder;
	live: Live;
	log: Log;
}

/** What the running turn has decided so far. Nothing of it counts until `settle` makes it the result. */
export class TurnDraft {
	readonly input: TurnInput;
	readonly id: string;
	readonly items: readonly InboxItem[];
	readonly record: CallRecord;
	readonly fresh: boolean;
	readonly recorder: Recorder;
	readonly live: Live;
	readonly log: Log;
	readonly session: AgentSession;

	readonly rows: HistoryEntry[] = [];
	readonly changes: Change[] = [];
	readonly timers = new Map<string, TimerOrder>();
	readonly cancelled = new Set<string>();
	readonly events: { name: string; data: Json }[] = [];
	/** Facts to tell a session's listeners, once the turn is committed. */
	readonly told: { session: AgentSession; name: string; data: Json }[] = [];
	/** Words of the agent's author that guide the model's next words; the person never sees them. */
	readonly guides: string[] = [];
	/** Calls that were refused in this turn, to notice the same one again. */
	readonly refusals = new Set<string>();
	usage = noUsage;
	cost = 0;
	requests = 0;
	tools = 0;
	ending: Ending | undefined;
	/** History rows the model is shown at most; smaller once it said that it is too much. */
	window: number;
	/** Set when this turn handed the call over and nobody has said so yet. */
	handoverDue = false;
	readonly #parts: Omit<SpokenPart, "epoch">[] = [];
	readonly #earlier: readonly HistoryEntry[];

	constructor(parts: DraftParts, open: (draft: TurnDraft) => AgentSession) {
		this.input = parts.input;
		this.id = parts.id;
		this.items = parts.items;
		this.record = parts.record;
		this.fresh = parts.fresh;
		this.recorder = parts.recorder;
		this.live = parts.live;
		this.log = parts.log;
		this.window = parts.input.agent.settings.window;
		this.#earlier = parts.fresh ? [] : parts.input.history;
		this.session = open(this);
	}

	get agent(): AgentDeclaration {
		return this.input.agent;
	}

	/** The time of what happens now; the same when the turn is replayed. */
	get at(): number {
		return this.recorder.at;
	}

	/** The window of history the turn was given, with what it added. */
	get history(): readonly HistoryEntry[] {
		return [...this.#earlier, ...this.rows];
	}

	/** How many rows of the call stand before the window. */
	get before(): number {
		return Math.max(0, this.record.rows - this.#earlier.length);
	}

	/** Whether nothing more is to be done for the person: a human holds the call, or it is ending. */
	get over(): boolean {
		return !this.mayAsk || this.ending !== undefined;
	}

	/**
	 * Whether the model may be asked at all: not while a human holds the call, nor once an earlier turn's goodbye is on its
	 * way. An ending asked for in this turn leaves room for the words that the agent's code wants before it.
	 */
	get mayAsk(): boolean {
		return this.record.owner === "agent" && this.record.ending === undefined;
	}

	/** Whether the agent's code wants the model to speak, and it may. */
	get guided(): boolean {
		return this.mayAsk && this.guides.length > 0;
	}

	/** How many parts were said that a person can see. */
	get spoken(): number {
		return this.#parts.filter(({ part }) => part.kind !== "data").length;
	}

	/** How many of them the agent's code said. */
	get spokenByCode(): number {
		return this.#parts.filter(({ part, by }) => part.kind !== "data" && by === "code").length;
	}

	/** Says one part. Blank text is never sent: platforms refuse it. */
	say(part: Part, by: Speaker): void {
		if (part.kind === "text" && part.text.trim() === "") {
			this.log.warn("part.blank", { by });
			return;
		}
		const id = `${this.id}.${this.#parts.length + 1}`;
		this.#parts.push({ id, part, by });
		this.rows.push({ role: "said", id, part, by, at: this.at });
	}

	/** A fact for the log and for listeners after the commit. `data` holds no words of the person. */
	event(name: string, data: { [key: string]: Json }, level: "info" | "warn" | "error" = "info"): void {
		this.events.push({ name, data });
		this.log[level](name, data);
	}

	/** Asks for the end of the call. The first reason stays; `now` is never put off again. */
	end(ending: Ending): void {
		if (this.ending === undefined) this.ending = ending;
		else if (ending.after === "now") this.ending = { ...this.ending, after: "now" };
	}

	count(response: ModelResponse): void {
		this.requests += 1;
		this.usage = addUsage(this.usage, response.usage);
		this.cost += response.cost ?? 0;
	}

	/**
	 * The parts with the epoch they may be sent under: the one in which the turn ends. A turn that hands the call over
	 * must not have its own words withheld.
	 */
	parts(): SpokenPart[] {
		return this.#parts.map((part) => ({ ...part, epoch: this.record.epoch }));
	}
}
