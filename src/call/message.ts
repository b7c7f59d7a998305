import type { AddressKey } from "./address.js";
import type { Json, JsonObject } from "./json.js";

/** The person, as one channel knows them. */
export interface Contact {
	/** Typed and never empty: a phone number (`+34…`) or `web:…`, `tg:…`, `wa:…`, `slack:…`. */
	id: string;
	/** A display name the platform gave. Words of a stranger: quote it, never trust it. */
	name?: string;
	locale?: string;
}

/** A file a person sent or an agent sends. The bytes live elsewhere; `ref` finds them. */
export interface Media {
	kind: "image" | "audio" | "video" | "document" | "sticker";
	mime: string;
	/** Where the channel finds the bytes. */
	ref: string;
	name?: string;
	/** Size in bytes. */
	size?: number;
	caption?: string;
}

/** What one message says. `unknown` is a kind the platform has and Callboard does not: answered politely, never dropped. */
export type Content =
	| { kind: "text"; text: string }
	/** A button or list row tapped. `choice` is the id given when it was offered, `text` its label. */
	| { kind: "choice"; choice: string; text: string; of?: string }
	| { kind: "command"; name: string; text: string }
	| { kind: "media"; media: Media[]; text: string }
	| { kind: "location"; latitude: number; longitude: number; text: string }
	/** The person opened the conversation without saying anything: a page load, `/start`. The agent may greet. */
	| { kind: "open"; text: string }
	| { kind: "unknown"; what: string; text: string };

/** One normalised thing a person said. Only this ever becomes the input of a turn. */
export interface Message {
	/** Canonical and unique within the door: the platform's own message id, without variants. */
	id: string;
	/** Further ids under which the platform may repeat the same message. */
	keys?: readonly string[];
	address: AddressKey;
	contact: Contact;
	content: Content;
	/** When the person sent it, by the platform's clock. */
	sentAt: number;
	/** Id of the message it answers, where the platform says so. */
	replyTo?: string;
	/** What the channel itself needs to answer: opaque to all else. */
	platform?: JsonObject;
	/**
	 * More that belongs to it may follow within so many ms: the next picture of an album, the words beside a forwarded
	 * message. While it is the newest that waits, no turn begins before they are over.
	 */
	gathersMs?: number;
	/** When it came in, by our own clock. The engine writes it. */
	acceptedAt?: number;
	/** W3C trace context of the request that brought it. */
	traceparent?: string;
}

/** What sets a timer again when it has fired. */
export interface Repeat {
	/** The timer's, as its author calls it. */
	id: string;
	/** Milliseconds from one firing to the next. */
	every: number;
	/** The turn that set it: one that was cancelled or replaced since is not the one the call knows. */
	by: string;
}

/** A fact from the application, a timer or the engine, handled in its turn like a message, but no person said it. */
export interface Occurrence {
	id: string;
	/** Further ids that are remembered with it. */
	keys?: readonly string[];
	address: AddressKey;
	/** `event`: goes to `onEvent`. `delivered`: the parts of `turn` have left; `ends` when the call was to
	 * end then. `close`: the call ends for `reason`; with `call` a person ended that call, whatever the reason. */
	occurrence:
		| { kind: "event"; name: string; data: Json; source: "app" | "participant" | "timer"; repeat?: Repeat }
		| { kind: "delivered"; turn: string; ends?: true }
		| { kind: "close"; reason: string; call?: string };
	at: number;
	traceparent?: string;
}

export type InboxItem = ({ type: "message" } & Message) | ({ type: "occurrence" } & Occurrence);
