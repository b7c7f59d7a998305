import type { AddressKey } from "./address.js";
import type { Json } from "./json.js";
import type { Contact, Content, Message } from "./message.js";

/**
 * What a channel may hand over, already verified. Only a `message` can become the input of a turn, and an `event` what
 * its `onEvent` reads; an edit, a status or a reaction goes its own way and can never enter the turn queue.
 */
export type Inbound =
	| ({ type: "message" } & Message)
	/** The page at the other end fires an event that the agent declares for `participant`. Handled in its turn. */
	| { type: "event"; id: string; address: AddressKey; name: string; data: Json; at: number }
	| { type: "edit"; address: AddressKey; message: string; content: Content; at: number }
	| { type: "delete"; address: AddressKey; message: string; at: number }
	| { type: "reaction"; address: AddressKey; message: string; emoji: string; contact: Contact; at: number }
	/** What became of a part already sent. Statuses may come unordered; they only ever go forward. */
	| {
			type: "status";
			address: AddressKey;
			sent: string;
			status: "sent" | "delivered" | "read" | "failed";
			code?: string;
			at: number;
	  }
	/** A person of the business wrote in this chat from their own device. */
	| { type: "echo"; address: AddressKey; message: string; text: string; at: number }
	/** The platform has no way to reach this chat any more, or has again. */
	| { type: "reachable"; address: AddressKey; reachable: boolean; reason?: string; at: number };
