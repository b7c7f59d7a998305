/** @import { ClientFrame, Entry, ErrorCode, ServerFrame, VisitorContent, WebPart } from "../protocol.js" */
/** @import { Owner } from "../../../src/call/call-record.js" */
/** @import { Store } from "./storage.js" */

/**
 * One line on the page. A visitor's line is `sending` until the server acknowledged it.
 * @typedef {object} Line
 * @property {string} id
 * @property {"visitor" | "agent"} from
 * @property {number} at
 * @property {string} text of the visitor
 * @property {string} [choice]
 * @property {string} [of] part that offered the choice
 * @property {WebPart} [part] what the agent said
 * @property {"human"} [by] it was a person of the business who said it
 * @property {"sending" | "sent" | "failed"} status
 * @property {ErrorCode} [problem]
 */

/** @typedef {Extract<ClientFrame, { type: "message" }>} MessageFrame */

/**
 * What the page knows of the conversation: lines in their order, each id once, and what is passing. Nothing of the page
 * itself: frames in, lines out.
 */
export class Conversation {
	/** @type {Line[]} */
	lines = [];
	/** @type {{ turn: string, text: string } | undefined} */
	draft;
	typing = false;
	ended = false;
	/** @type {Owner} who answers what is said now */
	owner = "agent";
	/** Rises whenever lines have changed. */
	version = 0;
	/** A history has been shown. */
	loaded = false;
	/** @type {Store} */
	#store;
	/** @type {MessageFrame | undefined} */
	#opening;

	/** @param {Store} store keeps what was typed and not acknowledged, for as long as the tab lives */
	constructor(store) {
		this.#store = store;
		for (const { message, at } of readUnsent(store)) this.#addOwn(message, at);
	}

	/** Id of the newest part, so that a reconnect asks only for what came later. */
	get last() {
		return this.lines.findLast((line) => line.from === "agent")?.id;
	}

	/** @returns {MessageFrame[]} what the server has not acknowledged, oldest first */
	get unsent() {
		const messages = this.lines
			.filter((line) => line.status === "sending")
			.map(({ id, text, choice, of }) => ({
				type: /** @type {const} */ ("message"),
				id,
				content: contentOf(text, choice, of),
			}));
		return this.#opening === undefined ? messages : [this.#opening, ...messages];
	}

	/**
	 * Adds what the visitor says.
	 * @param {string} id a new UUID
	 * @param {Exclude<VisitorContent, { kind: "open" }>} content
	 * @param {number} at
	 */
	say(id, content, at) {
		this.ended = false;
		this.#addOwn({ type: "message", id, content }, at);
		this.#keep();
	}

	/**
	 * Takes back a line that could not be sent.
	 * @param {string} id
	 */
	discard(id) {
		this.lines = this.lines.filter((line) => line.id !== id);
		this.#keep();
	}

	/** Forgets what was said, and keeps what still has to be sent. */
	reset() {
		this.version++;
		this.lines = this.lines.filter((line) => line.status !== "sent");
		this.#opening = undefined;
		this.draft = undefined;
		this.typing = false;
		this.ended = false;
		this.owner = "agent";
		this.loaded = false;
	}

	/**
	 * Takes in one frame.
	 * @param {ServerFrame} frame
	 * @returns {Line[]} lines that are new here
	 */
	apply(frame) {
		const before = new Set(this.lines.map((line) => line.id));
		switch (frame.type) {
			case "history":
				this.#merge(frame.entries, frame.waiting);
				this.#opening =
					frame.open === undefined || this.lines.length > 0
						? undefined
						: { type: "message", id: frame.open, content: { kind: "open" } };
				this.draft = frame.draft;
				this.typing = frame.typing;
				this.ended = frame.ended && this.unsent.length === 0;
				this.owner = frame.owner;
				this.loaded = true;
				break;
			case "message":
				this.#put(frame.entry);
				this.ended = false;
				break;
			case "part":
				if (frame.ends !== undefined && this.draft?.turn === frame.ends) this.draft = undefined;
				this.#put(frame.entry);
				break;
			case "ack":
				this.#acknowledge(frame.id);
				break;
			case "draft":
				this.draft = { turn: frame.turn, text: frame.text };
				break;
			case "withdrawn":
				if (this.draft?.turn === frame.turn) this.draft = undefined;
				break;
			case "typing":
				this.typing = frame.on;
				break;
			case "owner":
				this.owner = frame.owner;
				break;
			case "ended":
				this.ended = true;
				this.owner = "agent";
				this.typing = false;
				this.draft = undefined;
				break;
			case "error":
				this.#refuse(frame.id, frame.code, frame.retryAfterMs !== undefined);
				break;
		}
		const changes = ["history", "message", "part", "ack", "error"].includes(frame.type);
		if (!changes) return [];
		this.#keep();
		return this.lines.filter((line) => !before.has(line.id));
	}

	/**
	 * Puts what the server knows in the server's order: after what is older, before what has not reached it.
	 * @param {readonly Entry[]} entries
	 * @param {readonly Entry[]} waiting
	 */
	#merge(entries, waiting) {
		const confirmed = [...entries, ...waiting].map(lineOf);
		const ids = new Set(confirmed.map((line) => line.id));
		const others = this.lines.filter((line) => !ids.has(line.id));
		this.lines = [
			...others.filter((line) => line.status === "sent"),
			...confirmed,
			...others.filter((line) => line.status !== "sent"),
		];
	}

	/** @param {Entry} entry */
	#put(entry) {
		const line = lineOf(entry);
		const at = this.lines.findIndex((known) => known.id === line.id);
		if (at >= 0) this.lines[at] = line;
		else this.lines.push(line);
	}

	/** @param {MessageFrame} message @param {number} at */
	#addOwn({ id, content }, at) {
		if (content.kind === "open") return;
		const choice = content.kind === "choice" ? { choice: content.choice } : {};
		const of = content.kind === "choice" && content.of !== undefined ? { of: content.of } : {};
		this.lines.push({ id, from: "visitor", at, text: content.text, status: "sending", ...choice, ...of });
	}

	/** @param {string} id */
	#acknowledge(id) {
		if (this.#opening?.id === id) this.#opening = undefined;
		this.#change(id, ({ problem, ...line }) => ({ ...line, status: "sent" }));
	}

	/** @param {string | undefined} id @param {ErrorCode} problem @param {boolean} again */
	#refuse(id, problem, again) {
		if (id === undefined) return;
		if (this.#opening?.id === id && !again) this.#opening = undefined;
		const status = again || problem === "session" ? "sending" : "failed";
		this.#change(id, (line) => ({ ...line, status, problem }));
	}

	/** @param {string} id @param {(line: Line) => Line} change */
	#change(id, change) {
		this.lines = this.lines.map((line) => (line.id === id ? change(line) : line));
	}

	#keep() {
		this.version++;
		const unsent = this.lines.filter((line) => line.status === "sending");
		const kept = unsent.map(({ id, at, text, choice, of }) => ({
			at,
			message: { type: "message", id, content: contentOf(text, choice, of) },
		}));
		this.#store.set("unsent", kept.length === 0 ? undefined : JSON.stringify(kept));
	}
}

/**
 * @param {string} text
 * @param {string | undefined} choice
 * @param {string | undefined} of
 * @returns {VisitorContent}
 */
function contentOf(text, choice, of) {
	if (choice === undefined) return { kind: "text", text };
	return { kind: "choice", choice, text, ...(of === undefined ? {} : { of }) };
}

/** @param {Entry} entry @returns {Line} */
function lineOf(entry) {
	if (entry.from === "agent") return { ...entry, text: "", status: "sent" };
	return { ...entry, status: "sent" };
}

/** @param {Store} store @returns {{ message: MessageFrame, at: number }[]} */
function readUnsent(store) {
	try {
		return JSON.parse(store.get("unsent") ?? "[]");
	} catch {
		return [];
	}
}
