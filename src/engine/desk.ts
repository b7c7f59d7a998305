import type { AddressKey } from "../call/address.js";
import type { Owner } from "../call/call-record.js";
import type { Json } from "../call/json.js";
import type { AddressView, OutboxMark, Unreachable } from "./backend.js";
import type { Survey } from "./survey.js";

/** One call, in a line. Nothing a person said. */
export interface CallLine {
	address: AddressKey;
	/** Absent when its first turn has not been run. */
	call?: string;
	agent?: string;
	owner: Owner;
	/** `forwarded`: a human has it. */
	state: "open" | "forwarded" | "ended" | "parked";
	/** Why it is parked or ended, or to whom it was forwarded. */
	about?: string;
	/** Set while the person cannot be reached: nothing more arrives, and the agent's timers rest. */
	unreachable?: Unreachable;
	turns: number;
	waiting: number;
	unsent: number;
	marks: number;
}

/** One row that waits to be sent, or that left otherwise than sent. */
export interface OutboxLine {
	address: AddressKey;
	row: string;
	status: "pending" | "sending" | OutboxMark["status"];
	reason?: string;
	/** When it left, or before when it may not go. */
	at?: number;
}

export type CallState = CallLine["state"];

/** What came of an order. `done` is false when there was nothing to do. */
export interface Done {
	done: boolean;
	address: AddressKey;
	/** For a person: one plain sentence. */
	says: string;
}

/**
 * What people of the business do with calls. A call is named by its id, the beginning of its id, or its address.
 * Every order may be repeated. All throw CallboardError `UNKNOWN_CALL` or `WHICH_CALL` when the name fits none or many.
 */
export interface Desk {
	/** @param options.after address of the last line of the previous page */
	calls(options: { state?: CallState; limit: number; after?: AddressKey }): Promise<readonly CallLine[]>;
	/** @param options.history how many of the newest rows */
	show(options: { call: string; history: number }): Promise<AddressView>;
	/** Lets a call that was set aside go on. */
	retry(options: { call: string }): Promise<Done>;
	/** Ends a call as if it had ended by itself, after what waits before it. @throws CallboardError `CALL_PARKED` */
	close(options: { call: string; reason: string }): Promise<Done>;
	/**
	 * Says something to the person, by a human.
	 * @param options.key a reply repeated under the same key is said once
	 * @param options.take takes the call from the agent first, when it has it
	 * @throws CallboardError `AGENT_HAS_CALL`, `DOOR_UNKNOWN`, `KEY_REUSED` for a known key with other words
	 */
	reply(options: { call: string; text: string; key: string; take: boolean }): Promise<Done>;
	/** Gives a call back to its agent, with a note in its history. */
	release(options: { call: string; note?: string }): Promise<Done>;
	/**
	 * Tells the agent of a call that something happened in the application; it goes to `onEvent`, source `app`, in its turn.
	 * One that comes after a call has ended begins a new one.
	 * @param options.key an event repeated under the same key is one, for as long as ids are remembered (8 days)
	 * @throws CallboardError `EVENT_UNDECLARED`, `BAD_EVENT_NAME`, `EVENT_TOO_LARGE`, `NOT_SERIALISABLE`, `KEY_REUSED` for
	 * a known key with other words, `INBOX_FULL`
	 */
	event(options: { call: string; name: string; data: Json; key: string }): Promise<Done>;
	outbox(options: { limit: number }): Promise<readonly OutboxLine[]>;
	/** Sends a failed or unknown row again under a new id. @throws CallboardError `UNKNOWN_ROW`, `ROW_WITHHELD` */
	resend(options: { row: string }): Promise<Done & { as: string }>;
	survey(options: Record<never, never>): Promise<Survey>;
}

export type DeskVerb = keyof Desk;

export const deskVerbs = [
	"calls",
	"show",
	"retry",
	"close",
	"reply",
	"release",
	"event",
	"outbox",
	"resend",
	"survey",
] as const satisfies readonly DeskVerb[];
