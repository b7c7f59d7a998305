import type { AddressKey } from "./address.js";
import type { Contact, Content, Message } from "./message.js";

/**
 * What a channel may hand over, already verified. Only a `message` can become the input of a turn; an edit, a status or
 * a reaction goes its own way and can never enter the turn queue.
 */
export type Inbound =
	| ({ type: "message" } & Message)
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
