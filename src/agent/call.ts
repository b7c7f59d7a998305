import { randomUUID } from "node:crypto";
import type { HistoryEntry } from "../call/history.js";
import type { Contact } from "../call/message.js";
import type { Choice, Part } from "../call/part.js";
import { toldCopy } from "../call/plain.js";
import type { Transport } from "../call/transport.js";
import type { Clock } from "../clock.js";
import { CallboardError } from "../errors.js";
import type { Log } from "../observe/log.js";
import { type CallEvents, type CallListener, type CallListeners, eventBeingTold } from "./call-listeners.js";
import { choicesPart, spokenPart, words } from "./call-part.js";
import type { Act, CallFacts } from "./declaration.js";

/** What is running now: a tool, a hook or an event handler. Its acts become part of its outcome. */
export interface CallFrame {
	readonly acts: Act[];
	/** Idempotency key of the running tool; hooks and event handlers have none. */
	readonly key?: string;
	readonly signal: AbortSignal;
	/** False once it returned, threw or ran out of time: what comes then is ignored. */
	open: boolean;
}

/** What a session gives to the `Call` of its turn. */
export interface CallSupport {
	/** The frame of the code that asks; undefined outside of any. */
	frame(): CallFrame | undefined;
	clock: Clock;
	log: Log;
	listeners: CallListeners;
}

/** What goes with words that are said. */
export interface SayOptions {
	/** Answers the person can tap. A bare word is both id and label. */
	choices?: readonly (Choice | string)[];
}

/** Why a call ends, and when. */
export interface HangupOptions {
	/** Kept with the call. Default `hangup`. */
	reason?: string;
	/** `delivered`: when what was said has left; the model is not asked again until then. Default `now`. */
	after?: "now" | "delivered";
}

/**
 * When a timer fires: seconds from now, or a moment (a Date, or milliseconds since 1970). With `every` it fires again and
 * again, so many seconds apart, at least one; the first time after `in` seconds, by default after `every`.
 */
export type LaterTime = { in: number } | { at: Date | number } | { every: number; in?: number };

/** The newest rows of this call's conversation, as the turn was given them. */
export interface CallHistory {
	/** Rows in the window. */
	readonly length: number;
	/** How many things the person said in the window. */
	readonly turns: number;
	/** The newest `n` rows, oldest first. */
	last(n: number): readonly HistoryEntry[];
}

/**
 * The conversation an agent is in: `this.call` of a class, `call` of a function-calling handler, the same on every
 * channel. What it is asked to do takes effect together with the writes of the tool that asked: a tool that throws or
 * runs out of time has said and done nothing.
 *
 * Every method throws CallboardError `CALL_OUTSIDE_TURN` when no tool, hook or event handler is running; a use after
 * that one has ended is logged and ignored.
 */
export class Call {
	readonly #facts: CallFacts;
	readonly #support: CallSupport;

	constructor(facts: CallFacts, support: CallSupport) {
		this.#facts = facts;
		this.#support = support;
	}

	/** Id of this call; the same person gets a new one after it has ended. */
	get id(): string {
		return this.#facts.id;
	}

	/** The exact channel: `web`, `terminal`, `telegram`. */
	get channel(): string {
		return this.#facts.channel;
	}

	/** The kind of line: `chat` for web and terminal, else the platform. */
	get transport(): Transport {
		return this.#facts.transport;
	}

	/** Who it is with, never empty: a phone number (`+34…`) or a typed address (`web:…`, `tg:…`). */
	get from(): string {
		return this.#facts.from;
	}

	get contact(): Contact {
		return this.#facts.contact;
	}

	/** The day this turn began, `YYYY-MM-DD`, in the agent's time zone. */
	get today(): string {
		return this.#facts.today;
	}

	get history(): CallHistory {
		const rows = this.#facts.history();
		return {
			length: rows.length,
			turns: rows.filter((row) => row.role === "user").length,
			// Copies: the process may keep the rows for the turns to come.
			last: (n) => (n > 0 ? structuredClone(rows.slice(-n)) : []),
		};
	}

	/**
	 * Idempotency key of the running tool: the same when the tool runs again after a crash. Give it to outside systems so
	 * that they do the thing once.
	 *
	 * @throws CallboardError `CALL_OUTSIDE_TURN` when no tool is running.
	 */
	get key(): string {
		const key = this.#support.frame()?.key;
		if (key !== undefined) return key;
		throw new CallboardError("CALL_OUTSIDE_TURN", "author", "call.key is known only while a tool is running", {
			next: "read it inside the tool's method",
		});
	}

	/** Aborted when the running tool's time is up or its turn is stopped. Give it to `fetch` and the like. */
	get signal(): AbortSignal {
		const frame = this.#support.frame();
		if (frame !== undefined) return frame.signal;
		throw outside("call.signal");
	}

	/**
	 * Says something word for word, without the model. Text is Markdown.
	 *
	 * @throws CallboardError `CALL_BAD_TEXT` for blank text, `CALL_BAD_CHOICES` for choices without id or label or with an
	 * id twice.
	 */
	say(what: string | Part, options: SayOptions = {}): void {
		const part =
			typeof what === "string" && options.choices !== undefined
				? choicesPart(what, options.choices)
				: spokenPart(what, options.choices);
		this.#act("call.say", { act: "say", part });
	}

	/** Has the model say something, guided by words the person never sees. */
	reply(instructions: string): void {
		this.#act("call.reply", { act: "reply", instructions: words(instructions, "call.reply") });
	}

	/** Sends data to the page or program at the other end; the person is told nothing. */
	send(topic: string, data: unknown): void {
		const part: Part = { kind: "data", topic: words(topic, "call.send"), data: toldCopy(data, "call.send") };
		this.#act("call.send", { act: "say", part });
	}

	/** Writes one named entry with data into the call's log. */
	log(name: string, data: unknown = null): void {
		this.#act("call.log", { act: "log", name: words(name, "call.log"), data: toldCopy(data, "call.log") });
	}

	/** Hands the call to people: the model stops and the person is told. `target` is kept for whoever takes over. */
	forward(target: string): void {
		this.#act("call.forward", { act: "forward", to: words(target, "call.forward") });
	}

	/** Ends the call. What was said before it is still sent. */
	hangup(how: string | HangupOptions = {}): void {
		const { reason = "hangup", after = "now" } = typeof how === "string" ? { reason: how } : how;
		if (after !== "now" && after !== "delivered") {
			throw new CallboardError("CALL_BAD_TIME", "author", 'call.hangup takes after: "now" or "delivered"');
		}
		this.#act("call.hangup", { act: "hangup", reason: words(reason, "call.hangup"), after });
	}

	/**
	 * Sets a timer that fires an event of this call (`onEvent`, source `timer`), also after a restart. The same `id` again
	 * replaces it. One with `every` goes on until `cancel` or the end of the call, leaves out what it missed, and does not
	 * keep a quiet call open.
	 *
	 * @returns The timer's id, for `cancel`.
	 * @throws CallboardError `CALL_BAD_TIME` when the seconds are negative, `every` is below one, or the moment is none.
	 */
	later(when: LaterTime, event: string, data: unknown = null, options: { id?: string } = {}): string {
		const every = "every" in when ? milliseconds(when.every, 1) : undefined;
		const at = this.#moment(when);
		const id = options.id === undefined ? this.#timerId() : words(options.id, "call.later");
		const name = words(event, "call.later");
		this.#act("call.later", {
			act: "later",
			id,
			at,
			...(every === undefined ? {} : { every }),
			event: name,
			data: toldCopy(data, "call.later"),
		});
		return id;
	}

	/** Stops a timer that has not fired, and one that repeats for good. Unknown ids are no error. */
	cancel(id: string): void {
		this.#act("call.cancel", { act: "cancel", id: words(id, "call.cancel") });
	}

	/** Calls `listener` each time. Kept in this process's memory; what it asks of the call comes too late and is ignored. */
	on<E extends keyof CallEvents>(event: E, listener: CallListener<E>): void {
		if (this.#current(`call.on("${event}")`) === undefined) return;
		this.#support.listeners.add(this.id, event, listener, false);
	}

	/**
	 * Calls `listener` the next time. `call.once("bot.finished", () => call.hangup())` is an ending: that the call ends once
	 * its words have left is recorded with the turn, like `call.hangup({ after: "delivered" })`, so it also happens when
	 * this process and the listener with it are gone by then.
	 */
	once<E extends keyof CallEvents>(event: E, listener: CallListener<E>): void {
		const frame = this.#current(`call.once("${event}")`);
		if (frame === undefined) return;
		if (event === "bot.finished") frame.acts.push({ act: "hangup", reason: "hangup", after: "delivered" });
		this.#support.listeners.add(this.id, event, listener, true);
	}

	#act(method: string, act: Act): void {
		this.#current(method)?.acts.push(act);
	}

	/** The open frame; undefined, with a log line, when it comes too late. */
	#current(method: string): CallFrame | undefined {
		const event = eventBeingTold();
		if (event !== undefined) {
			const awaited = event === "bot.finished" && method === "call.hangup";
			if (!awaited) this.#support.log.warn("call.ignored", { method, why: `in a listener of ${event}` });
			return undefined;
		}
		const frame = this.#support.frame();
		if (frame === undefined) throw outside(method);
		if (frame.open) return frame;
		this.#support.log.warn("call.ignored", { method, why: "after its tool had ended" });
		return undefined;
	}

	#moment(when: LaterTime): number {
		if ("at" in when) {
			const at = Number(when.at);
			if (Number.isFinite(at)) return Math.round(at);
			throw badTime();
		}
		const seconds = "every" in when ? (when.in ?? when.every) : when.in;
		return Math.round(this.#support.clock.now()) + milliseconds(seconds, 0);
	}

	/** Stable when a tool runs again, so that its timer replaces the one of the first run. */
	#timerId(): string {
		const frame = this.#support.frame();
		if (frame?.key === undefined) return randomUUID();
		return `${frame.key}:${frame.acts.filter((act) => act.act === "later").length}`;
	}
}

function milliseconds(seconds: number, least: number): number {
	if (Number.isFinite(seconds) && seconds >= least) return Math.round(seconds * 1000);
	throw badTime();
}

function badTime(): CallboardError {
	return new CallboardError("CALL_BAD_TIME", "author", "call.later was given a time that is no moment", {
		next: "write { in: seconds }, not negative, { at: new Date(…) }, or { every: seconds }, at least 1",
	});
}

function outside(method: string): CallboardError {
	return new CallboardError("CALL_OUTSIDE_TURN", "author", `${method} was used while no tool or hook was running`, {
		next: "use it inside a tool, a hook or an event handler, before that one returns",
	});
}
