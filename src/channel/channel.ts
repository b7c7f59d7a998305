import type { Duplex } from "node:stream";
import type { AddressKey } from "../call/address.js";
import type { Owner } from "../call/call-record.js";
import type { HistoryEntry } from "../call/history.js";
import type { Inbound } from "../call/inbound.js";
import type { Json } from "../call/json.js";
import type { InboxItem } from "../call/message.js";
import type { Part } from "../call/part.js";
import type { Transport } from "../call/transport.js";
import type { Clock } from "../clock.js";
import type { Log } from "../observe/log.js";
import type { Capabilities, ChatRate } from "./capabilities.js";

/** A platform payload, made by `render`: plain data, so that it can be stored, compared and sent again. */
export type Payload = Json;

/** Where and under which name one payload goes. */
export interface Delivery {
	address: AddressKey;
	/** Stable over retries: `<part id>.<index of the payload>`. Given to platforms that take an idempotency key. */
	key: string;
	/** `platform` of the message being answered, where there is one. */
	answers?: Json;
	signal: AbortSignal;
}

/**
 * What became of a send. `retry`: certainly not delivered, may go again after `afterMs`, and `scope` says who waits.
 * `failed`: will never work. `ambiguous`: it may have been delivered, so it must not go again blindly. A channel never
 * throws for these; whatever it does throw counts as ambiguous.
 */
export type SendResult =
	| { outcome: "sent"; id: string }
	| { outcome: "retry"; afterMs: number; scope: "chat" | "door"; reason: string }
	| { outcome: "failed"; reason: string; unreachable?: true }
	| { outcome: "ambiguous"; reason: string };

/** Something shown as it happens. Never stored, never repeated; losing one loses nothing. */
export type LiveEvent =
	| { kind: "typing"; on: boolean }
	/** The text of an answer in the making: `text` is the whole of it so far. `turn` names the turn it belongs to. */
	| { kind: "draft"; turn: string; text: string }
	/** The draft of this turn will not be said as it stands. */
	| { kind: "withdrawn"; turn: string }
	/** Who answers from now on: a human took the call or was handed it, or gave it back. */
	| { kind: "owner"; owner: Owner };

/** What became of an item that was handed over. */
export type Accepted =
	/** In the inbox, durably. */
	| { outcome: "accepted" }
	| { outcome: "duplicate" }
	/** The inbox of this address is at its bound: nothing was stored. */
	| { outcome: "full" };

/** What a channel may see of one address: what was said, by whom, and what is still waiting. */
export interface Transcript {
	call: string | undefined;
	ended: boolean;
	/** Who answers what is said now. */
	owner: Owner;
	/** The newest rows a person may see (`user` and `said`), oldest first. */
	entries: readonly HistoryEntry[];
	/** Accepted and not yet answered. */
	waiting: readonly InboxItem[];
}

/** What a running channel is handed. It never sees the worker, the model or the agent. */
export interface ChannelHost {
	/** Name of this door. */
	readonly door: string;
	readonly clock: Clock;
	readonly log: Log;
	/** Set in a process that only works or sends: another one receives, so that this one must not poll. */
	readonly sendsOnly?: true;
	/**
	 * Takes one verified inbound item. Resolves only when it is durable; acknowledge the platform after that.
	 * @throws CallboardError `BACKEND_UNAVAILABLE` when it could not be stored: answer 503, so that the platform retries.
	 * `EVENT_UNDECLARED` for an event that the agent does not take from a participant.
	 */
	accept(inbound: Inbound): Promise<Accepted>;
	/** @param limit how many of the newest rows to read */
	transcript(address: AddressKey, limit: number): Promise<Transcript>;
	/**
	 * For what only one process may do at a time, such as polling: waits until the right to `name` within this door is
	 * free, then calls `run`, and again should it be lost and won back. The signal aborts when the right is lost or
	 * `stop` aborts; `run` must then end. Resolves when `run` has ended by itself or `stop` aborts.
	 * Absent where there is but one process.
	 */
	alone?(name: string, run: (signal: AbortSignal) => Promise<void>, stop: AbortSignal): Promise<void>;
}

/** How a channel with HTTP routes is reached. Web-standard in and out, so that a test is a function call. */
export interface ChannelRoutes {
	/** Path prefixes this channel answers, such as `/chat`. First match wins; `/` is the front page. */
	readonly paths: readonly string[];
	fetch(request: Request, client: { ip: string }): Promise<Response>;
	/** Takes over a WebSocket upgrade; returns false when the path is not its own. */
	upgrade?(request: Request, socket: Duplex, head: Buffer, client: { ip: string }): boolean;
}

/**
 * An adapter to one platform: it verifies and normalises in, renders out, sends, and says what it can do. It holds no
 * conversation: everything it must remember is in the address, the payload or the platform.
 */
export interface Channel {
	/** The kind of channel: `web`, `terminal`, `telegram`. */
	readonly name: string;
	readonly transport: Transport;
	readonly capabilities: Capabilities;
	/** Turns one part into the payloads to send, in order. Pure. Losing a word of the part is a defect. */
	render(part: Part): readonly Payload[];
	send(payload: Payload, delivery: Delivery): Promise<SendResult>;
	/** How fast this chat takes what is sent, where chats differ. Pure. Default: `capabilities.rate`. */
	chatRate?(address: AddressKey): ChatRate;
	/** Finds out what became of an ambiguous send, where `capabilities.ambiguous` is `reconcile`. */
	reconcile?(payload: Payload, delivery: Delivery): Promise<SendResult>;
	/** Shows something passing: typing, a draft. Must not throw. */
	show?(address: AddressKey, event: LiveEvent): void;
	/**
	 * Shows a payload that another process has sent: for a channel whose people are connected to a process, such as by a
	 * socket. A channel that has this also gets, in every process where its door is open, what the others show and end.
	 * Must not throw.
	 */
	said?(payload: Payload, delivery: Pick<Delivery, "address" | "key">): void;
	/** Called when the call of an address has ended. */
	ended?(address: AddressKey, reason: string): void;
	readonly routes?: ChannelRoutes;
	/** Begins to receive: connects, polls. Rejects when the door cannot work, saying what to do. */
	start(host: ChannelHost): Promise<void>;
	/** Stops receiving; what was received is already accepted. What turns that still run say is sent after it. */
	stop(): Promise<void>;
}
