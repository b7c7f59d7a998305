import type { HistoryEntry } from "../call/history.js";
import type { Json, JsonObject } from "../call/json.js";
import type { Contact } from "../call/message.js";
import type { Part } from "../call/part.js";
import type { Transport } from "../call/transport.js";
import type { Clock } from "../clock.js";
import type { Log } from "../observe/log.js";
import type { Checked, JsonSchema } from "../schema/json-schema.js";
import type { Child } from "./child.js";

/**
 * What a tool's run does to the world outside. `read`: nothing; it may run again and beside others. `idempotent`: running
 * it again with the same `call.key` changes nothing more. `once`: it must not run again when its outcome is unknown.
 */
export type Effect = "read" | "idempotent" | "once";

/** Who may write or fire an event: the application, the page at the other end, or a timer set by `call.later`. */
export type EventSource = "app" | "participant" | "timer";

export interface ToolDeclaration {
	readonly name: string;
	/** The docstring: what the model reads. */
	readonly description: string;
	readonly parameters: JsonSchema;
	/** Whether `parameters` fits strict mode. */
	readonly strict: boolean;
	readonly effect: Effect;
	/** Top-level arguments that logs must mask. */
	readonly pii: readonly string[];
	/** How many rows of an array result the model sees; all when absent. */
	readonly preview?: number;
	readonly timeoutMs: number;
	/** Stages it belongs to; all when absent. */
	readonly stages?: readonly string[];
	/** Whether it also has a `when`. */
	readonly conditional: boolean;
	/** Whether running it ends the call. */
	readonly end: boolean;
	/** Checks arguments the model sent against the schema: nested, no extra members. */
	check(args: Json): Checked<JsonObject>;
}

export interface StateField {
	readonly name: string;
	readonly visibility: "tenant" | "public" | "pii";
}

export interface PromptBlock {
	readonly name: string;
	/** Whether it stands in the static region. A static block is rendered without state and refused when it reads any. */
	readonly region: "static" | "dynamic";
}

/** How a call behaves; every value has a default, given in docs/agents.md. */
export interface AgentSettings {
	/** Model requests a turn may make; the last one has tools off. Default 8. */
	readonly maxSteps: number;
	/** Said when the model gave nothing to say. */
	readonly safeLine: string;
	/** Said when the model cannot be reached. */
	readonly apology: string;
	/** Said when the call is handed to people. */
	readonly handover: string;
	/** Said when nothing but messages of an unknown kind came. Default: an English sentence asking for words. */
	readonly unreadable?: string;
	/** History rows the model is shown at most. Default 60. */
	readonly window: number;
	/** After how many quiet ms a call ends; 0 never. Default 2 hours. */
	readonly idleMs: number;
	/**
	 * What to do with messages that arrive in mid-turn, or in a burst. `queue`: they are the next turn's, together.
	 * `debounce`: a turn begins only when it was quiet for `quietMs`, a tapped choice or a command at once. `interrupt`: the
	 * model is asked anew with them too, as long as nothing but reading was done. `drop`: they are not read, and the person
	 * is told so once a turn. Default `queue`.
	 */
	readonly arrivals: "queue" | "debounce" | "interrupt" | "drop";
	/** How long it must be quiet before a turn begins, under `debounce`. Default 1.5 s. */
	readonly quietMs: number;
	/** How long `debounce` may put a turn off, and `interrupt` may start it over, for somebody who writes on. Default 8 s. */
	readonly longestWaitMs: number;
	/** Said, under `drop`, when a message was not read. */
	readonly busy: string;
	/** Model to ask, when the agent names its own. */
	readonly model?: {
		readonly name: string;
		readonly baseURL?: string;
		/** The environment variable that holds the key for `baseURL`. A key is never sent to a server it was not made for. */
		readonly keyVariable?: string;
	};
}

/** One agent, whatever form it was written in: the class or the function-calling object. */
export interface AgentDeclaration {
	/** Slug: `clinica-norte`. */
	readonly name: string;
	/** As its author calls it, for messages: `ClinicaNorte`. */
	readonly title: string;
	/** The folder its file stands in, absolute, when it was loaded from one. */
	readonly folder?: string;
	/** First text of the static region. */
	readonly doc: string;
	/** A page known by heart, whole; "" for none. */
	readonly knowledge: string;
	readonly language?: string;
	readonly tools: readonly ToolDeclaration[];
	readonly stages?: { readonly values: readonly string[]; readonly initial: string };
	readonly fields: readonly StateField[];
	readonly getters: readonly string[];
	readonly events: Readonly<Record<string, { readonly from: readonly EventSource[] }>>;
	readonly blocks: readonly PromptBlock[];
	readonly greeting?: { readonly say: string } | { readonly reply: string };
	readonly settings: AgentSettings;
	/** `each`: one run a call, in request order. `batch`: all calls of one response go to one handler. */
	readonly invocation: "each" | "batch";
	/** Found at load, not worth a refusal: a stage nobody can leave, a missing docstring. */
	readonly warnings: readonly string[];
	/** Whether it has the stage that a stored state stands in. Absent: it goes on from any state. */
	knows?(state: JsonObject): boolean;
	/** A live instance for one turn. Cheap: nothing is shared between two sessions but the declaration. */
	open(opening: SessionOpening): AgentSession;
}

/** What a session is opened with: the stored state, or none for a new call, and the call it serves. */
export interface SessionOpening {
	state?: JsonObject;
	call: CallFacts;
	clock: Clock;
	log: Log;
}

/** What is known of the call a session serves. */
export interface CallFacts {
	readonly id: string;
	readonly address: string;
	/** The exact channel: `web`, `terminal`, `telegram`. */
	readonly channel: string;
	readonly transport: Transport;
	/** Never empty: a phone number or a typed address. */
	readonly from: string;
	readonly contact: Contact;
	/** Day the turn began, `YYYY-MM-DD`, in the agent's time zone. */
	readonly today: string;
	/** The window of history the turn was given. */
	history(): readonly HistoryEntry[];
}

export interface ToolVisibility {
	readonly tool: string;
	readonly visible: boolean;
	/** Why it is hidden: `stage is identify, it needs choose or book`; `when() says no`. */
	readonly why?: string;
}

/** One net change of one field by one author. */
export interface Change {
	seq: number;
	field: string;
	prev: Json | undefined;
	next: Json | undefined;
	/** A tool's name, `hook:onCall`, `event:<name>`. */
	author: string;
	at: number;
}

/** What a tool, hook or handler asked of the call through `this.call`. Takes effect when its outcome is applied. */
export type Act =
	| { act: "say"; part: Part }
	/** The model is asked to speak, guided by words the person never sees. */
	| { act: "reply"; instructions: string }
	| { act: "forward"; to: string }
	| { act: "hangup"; reason: string; after: "now" | "delivered" }
	| { act: "later"; id: string; at: number; every?: number; event: string; data: Json }
	| { act: "cancel"; id: string }
	/** The change log so far is replaced by one sentence in the history. */
	| { act: "collapse"; sentence: string }
	| { act: "log"; name: string; data: Json };

/** One tool call that may run: known, visible, its arguments checked. */
export interface PreparedCall {
	/** The model's id. */
	id: string;
	tool: string;
	args: JsonObject;
	/** Stable over crashes and retries: the idempotency key that the tool reads as `call.key`. */
	key: string;
}

/** What code of the agent came to: writes to the state and acts on the call, neither of which counts until it is performed. */
export interface Outcome {
	/** Net writes, not yet applied to the session. Empty when it failed. */
	changes: readonly Change[];
	/** Empty when it failed. */
	acts: readonly Act[];
}

export interface ToolOutcome extends Outcome {
	id: string;
	tool: string;
	/** `unknown`: it is `once`, and was running when the process died or its time was up, or its result cannot be told. */
	status: "ok" | "failed" | "timeout" | "unknown";
	/** What it returned, for code; `undefined` becomes null. */
	result: Json;
	/** What the model is told: the result after `preview`, or a refusal it can act on. JSON text. */
	content: string;
	/** Set when `preview` cut rows: how many there are in all. */
	total?: number;
}

/** One batch of calls as the function-calling form gets them. */
export interface RunContext {
	/** Names the model's response, stable over replays: the seed's `msgId`. */
	msgId: string;
	signal: AbortSignal;
}

export interface AgentSession {
	/** The fields, as stored. */
	snapshot(): JsonObject;
	/** The fields and the getters, as `when` may read them. */
	readable(): JsonObject;
	/** Asked anew of the present state, in the order of `declaration.tools`. */
	visibility(): readonly ToolVisibility[];
	/** The dynamic view: what `render()` returns. A write in it is refused. */
	render(): Child;
	/** One of the author's own blocks. */
	block(name: string): Child;
	/**
	 * Runs calls against the present state. Never throws: a throw, a timeout and a refused write are outcomes. With
	 * `each`, several calls run beside each other, each on its own copy of the state. Nothing is applied.
	 * Outcomes come in the order of `calls`, one each.
	 */
	run(calls: readonly PreparedCall[], context: RunContext): Promise<readonly ToolOutcome[]>;
	/**
	 * `onCall` when a call begins, `onEnd` when it is over. A throw becomes the rejection; undefined when the agent has no
	 * such hook, so that no code of its author ran.
	 */
	hook(name: "onCall" | "onEnd", signal: AbortSignal): Promise<Outcome | undefined>;
	/** `onEvent`, when the pair of name and source is declared; else undefined. */
	event(name: string, data: Json, source: EventSource, signal: AbortSignal): Promise<Outcome | undefined>;
	/** Makes an outcome's writes part of the state. Later calls see them. */
	apply(outcome: Outcome): void;
	/** Tells listeners of a passing fact: `bot.finished`, `call.forwarded`, `call.ended`. Never throws. */
	emit(event: string, data: Json): void;
	/** Whether a `bot.finished` listener awaits the delivery of this turn's parts. */
	readonly awaitsFinish: boolean;
}
