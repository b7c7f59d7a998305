import type { Owner } from "../../src/call/call-record.js";
import type { Json } from "../../src/call/json.js";

/** One line the page shows: plain data, Markdown as the model wrote it. */
export type WebPart =
	| { kind: "text"; text: string }
	| { kind: "choices"; text: string; choices: { id: string; label: string; description?: string }[] }
	| { kind: "media"; media: WebMedia; text: string }
	| { kind: "data"; topic: string; data: Json };

export interface WebMedia {
	kind: "image" | "audio" | "video" | "document" | "sticker";
	/** An `https:` or `http:` address, or a path on this server; missing when there is nothing a browser may open. */
	url?: string;
	mime: string;
	name?: string;
}

/** What a visitor may say. */
export type VisitorContent =
	| { kind: "text"; text: string }
	| { kind: "choice"; choice: string; text: string; of?: string }
	| { kind: "open" };

/** One line of the conversation. The id is the visitor's message id, or the key under which the line was sent. */
export type Entry =
	| { id: string; from: "visitor"; at: number; text: string; choice?: string; of?: string }
	/** `by`: a person of the business said it, not the agent. */
	| { id: string; from: "agent"; at: number; part: WebPart; by?: "human" };

export type ErrorCode =
	/** Not a frame, or not one we know. */
	| "bad"
	/** The agent takes no event of this name from the page. */
	| "undeclared"
	/** The same id was used before for other words. */
	| "conflict"
	| "too_long"
	/** Too many messages; may go again after `retryAfterMs`. */
	| "rate"
	/** Too many unanswered messages wait; may go again after `retryAfterMs`. */
	| "busy"
	/** This site is not on the allow-list. */
	| "origin"
	/** The session is missing, forged or over: ask for a new one. */
	| "session"
	/** Could not be stored; may go again after `retryAfterMs`. */
	| "unavailable";

/** From the page. The first one on a socket is `hello`. */
export type ClientFrame =
	| {
			type: "hello";
			/** Session token; left out where the cookie carries it. */
			token?: string;
			/** Id of the newest part the page has: only what came later is sent. */
			last?: string;
			/** BCP 47 language of the page. */
			language?: string;
	  }
	/** `id` is a UUID made by the page; the same id is the same message, however often it comes. */
	| { type: "message"; id: string; content: VisitorContent }
	/** An event that the agent declares for `participant`; its `id` as that of a message. Answered by `ack` or `error`. */
	| { type: "event"; id: string; name: string; data: Json }
	| { type: "ping" };

/** To the page. */
export type ServerFrame =
	| {
			type: "history";
			/** Oldest first. With `since`, only what came after that part. */
			entries: Entry[];
			since?: string;
			/** Accepted and not yet answered. */
			waiting: Entry[];
			draft?: { turn: string; text: string };
			typing: boolean;
			ended: boolean;
			/** Who answers what is said now. */
			owner: Owner;
			/** Nothing was said yet: the page may send `open` under this id, the same one on every tab. */
			open?: string;
	  }
	/** Durably accepted, now or before. */
	| { type: "ack"; id: string }
	/** Something the visitor said on any of their tabs. */
	| { type: "message"; entry: Entry }
	/** Something said to the visitor. `ends` names the draft that it takes the place of. */
	| { type: "part"; entry: Entry; ends?: string }
	/** The whole text of an answer in the making. */
	| { type: "draft"; turn: string; text: string }
	| { type: "withdrawn"; turn: string }
	| { type: "typing"; on: boolean }
	/** Who answers from now on. */
	| { type: "owner"; owner: Owner }
	| { type: "ended"; reason: string }
	| ErrorFrame
	| { type: "pong" };

export interface ErrorFrame {
	type: "error";
	code: ErrorCode;
	/** The message it is about. */
	id?: string;
	/** For whoever embeds the chat; the page shows its own words by `code`. */
	message: string;
	retryAfterMs?: number;
}

/** Longest text of a message or data of an event, in UTF-16 units; a channel may allow less. */
export const MAX_CHARACTERS = 8_000;

/**
 * Largest frame or body from a page, in bytes: the longest text with each unit as the six bytes of a JSON escape, and
 * room for everything else that a frame holds.
 */
export const MAX_FRAME_BYTES = 6 * MAX_CHARACTERS + 8 * 1024;
