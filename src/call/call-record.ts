import type { JsonObject } from "./json.js";
import type { Contact } from "./message.js";

/** Who answers now. A human's hold suppresses the model until it is released. */
export type Owner = "agent" | "human";

/** What is stored of one call besides its history: plain data, versioned. */
export interface CallRecord {
	/** Format version of this record. */
	v: 1;
	/** Id of the call; a new one after the call ended. */
	id: string;
	agent: string;
	contact: Contact;
	startedAt: number;
	/** How many turns were committed. */
	turns: number;
	/** How many history rows exist in all, trimmed ones included. */
	rows: number;
	/** The agent's own state: its fields. */
	state: JsonObject;
	owner: Owner;
	/** Counts changes of owner; an outbox row decided under an older epoch is not sent. */
	epoch: number;
	/** Set once `hangup({ after: "delivered" })` or a `bot.finished` listener awaits delivery: the model is not asked again. */
	ending?: { reason: string };
	/** Set when the call is over; the next message begins a new call. */
	ended?: { at: number; reason: string };
	/** Where a human was asked to take over: the target given to `call.forward`. */
	forwarded?: { to: string; at: number };
	/** Timers that repeat, by id, with the turn that set each. */
	repeats?: { [id: string]: string };
	/** When something other than a repeating timer last happened in it: from then on it counts as quiet. */
	touchedAt?: number;
	/** When its idle timer will look whether it has been quiet long enough; it is set anew only once it has looked. */
	idleAt?: number;
	/** A confirm asked by code that the next message may answer; read before the model is asked. Used by typed paths. */
	pending?: JsonObject;
}
