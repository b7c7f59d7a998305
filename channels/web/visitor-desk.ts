import { type AddressKey, addressKey } from "../../src/call/address.js";
import type { Content } from "../../src/call/message.js";
import type { ChannelHost } from "../../src/channel/channel.js";
import { CallboardError } from "../../src/errors.js";
import { entriesOf, visitorEntry, waitingEntries } from "./entry.js";
import type { Hub } from "./hub.js";
import type { ClientFrame, Entry, ErrorCode, ErrorFrame, ServerFrame, VisitorContent } from "./protocol.js";
import { type RateLimit, rateKeyOfIp } from "./rate-limit.js";
import type { Session, Sessions } from "./session.js";
import type { WebSettings } from "./web-options.js";

/** A verified visitor on one connection. */
export interface Visitor {
	session: Session;
	ip: string;
	language: string | undefined;
}

type MessageFrame = Extract<ClientFrame, { type: "message" }>;
type EventFrame = Extract<ClientFrame, { type: "event" }>;
type Answer = Extract<ServerFrame, { type: "ack" }> | ErrorFrame;
type HistoryFrame = Extract<ServerFrame, { type: "history" }>;

const BUSY_RETRY_MS = 5_000;
const LABEL_MAX = 200;

/** What a visitor can do, whatever the wire: read the conversation and say something. */
export class VisitorDesk {
	readonly #host: ChannelHost;
	readonly #hub: Hub;
	readonly #sessions: Sessions;
	readonly #settings: WebSettings;
	readonly #limits: { session: RateLimit; ip: RateLimit };

	constructor(
		host: ChannelHost,
		hub: Hub,
		sessions: Sessions,
		settings: WebSettings,
		limits: { session: RateLimit; ip: RateLimit },
	) {
		this.#host = host;
		this.#hub = hub;
		this.#sessions = sessions;
		this.#settings = settings;
		this.#limits = limits;
	}

	addressOf(session: Session): AddressKey {
		return addressKey({ door: this.#host.door, chat: session.visitor });
	}

	/**
	 * The conversation now.
	 * @param last the newest part the page already has: only later lines are sent, unless it is unknown here
	 */
	async history(session: Session, last: string | undefined): Promise<HistoryFrame> {
		const address = this.addressOf(session);
		const transcript = await this.#host.transcript(address, this.#settings.history);
		const all = entriesOf(transcript.entries);
		const known = last === undefined ? -1 : all.findIndex((entry) => entry.from === "agent" && entry.id === last);
		const untouched = transcript.entries.length === 0 && transcript.waiting.length === 0;
		return {
			type: "history",
			entries: all.slice(known + 1),
			...(known < 0 || last === undefined ? {} : { since: last }),
			waiting: waitingEntries(transcript.waiting),
			...this.#hub.passing(address),
			ended: transcript.ended,
			owner: transcript.owner,
			...(untouched ? { open: this.#sessions.sharedId("open", session.visitor, transcript.call ?? "") } : {}),
		};
	}

	/**
	 * Takes one message, or an event of the page: both count alike. The answer is an acknowledgement only when it is
	 * durably accepted, now or before.
	 */
	async take(visitor: Visitor, frame: MessageFrame | EventFrame): Promise<Answer> {
		const { session } = visitor;
		const { id } = frame;
		const now = this.#host.clock.now();
		if (session.expiresAt <= now) return refusal("session", "the session is over", id);
		const tooLong = this.#tooLong(frame);
		if (tooLong !== undefined) return refusal("too_long", tooLong, id);
		const waitMs =
			this.#limits.session.take(session.visitor, id, now) ||
			this.#limits.ip.take(rateKeyOfIp(visitor.ip), `${session.visitor}/${id}`, now);
		if (waitMs > 0) return refusal("rate", "too many messages within a minute", id, waitMs);
		return frame.type === "event" ? this.#fire(session, frame, now) : this.#accept(visitor, id, frame.content, now);
	}

	#tooLong(frame: MessageFrame | EventFrame): string | undefined {
		const { maxCharacters } = this.#settings;
		if (frame.type === "event") {
			const long = JSON.stringify(frame.data).length > maxCharacters;
			return long ? `the data of an event holds at most ${maxCharacters} characters of JSON` : undefined;
		}
		const { content } = frame;
		const max = content.kind === "choice" ? LABEL_MAX : maxCharacters;
		const long = content.kind !== "open" && content.text.length > max;
		return long ? `a message holds at most ${max} characters` : undefined;
	}

	async #fire(session: Session, { id, name, data }: EventFrame, at: number): Promise<Answer> {
		const address = this.addressOf(session);
		try {
			const { outcome } = await this.#host.accept({ type: "event", id, address, name, data, at });
			if (outcome === "full") return refusal("busy", "too many messages wait for an answer", id, BUSY_RETRY_MS);
			return { type: "ack", id };
		} catch (error) {
			if (error instanceof CallboardError && error.code === "EVENT_UNDECLARED") {
				return refusal("undeclared", `${error.message}; ${error.next}`, id);
			}
			return this.#notStored(address, id, error);
		}
	}

	#notStored(address: AddressKey, id: string, error: unknown): ErrorFrame {
		if (!(error instanceof CallboardError)) this.#host.log.error("web.accept_failed", { address, error });
		return refusal("unavailable", "it could not be stored", id, BUSY_RETRY_MS);
	}

	async #accept({ session, language }: Visitor, id: string, content: VisitorContent, now: number): Promise<Answer> {
		const address = this.addressOf(session);
		const contact = { id: `web:${session.visitor}`, ...(language === undefined ? {} : { locale: language }) };
		try {
			const accepted = await this.#host.accept({
				type: "message",
				id,
				address,
				contact,
				content: toContent(content),
				sentAt: now,
			});
			if (accepted.outcome === "full") {
				return refusal("busy", "too many messages wait for an answer", id, BUSY_RETRY_MS);
			}
			if (accepted.outcome === "duplicate") {
				return (await this.#saysOtherwise(address, id, content))
					? refusal("conflict", "this id was used for another message", id)
					: { type: "ack", id };
			}
			if (content.kind !== "open") this.#hub.heard(address, visitorEntry(id, content, now));
			return { type: "ack", id };
		} catch (error) {
			return this.#notStored(address, id, error);
		}
	}

	/** Whether what is stored under this id is something else. What is no longer stored cannot differ. */
	async #saysOtherwise(address: AddressKey, id: string, content: VisitorContent): Promise<boolean> {
		if (content.kind === "open") return false;
		const { entries, waiting } = await this.#host.transcript(address, this.#settings.history);
		const stored = [...waitingEntries(waiting), ...entriesOf(entries)].find(
			(entry) => entry.from === "visitor" && entry.id === id,
		);
		return stored !== undefined && !sameWords(stored, visitorEntry(id, content, 0));
	}
}

/** An error frame. */
export function refusal(code: ErrorCode, message: string, id?: string, retryAfterMs?: number): ErrorFrame {
	return {
		type: "error",
		code,
		message,
		...(id === undefined ? {} : { id }),
		...(retryAfterMs === undefined ? {} : { retryAfterMs }),
	};
}

function toContent(content: VisitorContent): Content {
	return content.kind === "open" ? { kind: "open", text: "" } : content;
}

function sameWords(a: Entry, b: Entry): boolean {
	return a.from === "visitor" && b.from === "visitor" && a.text === b.text && a.choice === b.choice;
}
