import type { AddressKey } from "../call/address.js";
import type { CallRecord } from "../call/call-record.js";
import type { HistoryEntry, Speaker } from "../call/history.js";
import type { Content, InboxItem } from "../call/message.js";
import type { Accepted, Payload } from "../channel/channel.js";

/** The right to advance one address. `fence` rises with every claim; a write with an old one is refused. */
export interface Lease {
	readonly address: AddressKey;
	readonly owner: string;
	readonly fence: number;
}

/**
 * One entry of the running turn's journal, opaque to the backend: stored and given back as it is.
 * (`turn/journal.ts` says what is in it.)
 */
export type JournalRow = unknown;

export type Claim =
	| {
			outcome: "claimed";
			lease: Lease;
			record: CallRecord | undefined;
			/** The newest rows of the call, oldest first. */
			history: readonly HistoryEntry[];
			/** What waits, oldest first, at most `limits.items`. */
			items: readonly InboxItem[];
			/** Absolute position of the first of `items`; settling is by position, so that a repeated write is a no-op. */
			position: number;
			journal: readonly JournalRow[];
			/** Consecutive failed turns. */
			failures: number;
	  }
	/** Another owner holds a live lease until about then; it will look again when it settles. */
	| { outcome: "busy"; until: number }
	/** Nothing waits. */
	| { outcome: "idle" }
	/** Set aside after repeated failures; see `unpark`. */
	| { outcome: "parked"; reason: string };

/** One payload to deliver, in its order. */
export interface OutboxRow {
	/** `<part id>.<index>`: unique, stable, the idempotency key. */
	id: string;
	payload: Payload;
	by: Speaker;
	/** Sent only while the owner's epoch is still this. What a human says (`by: "human"`) is sent whatever the epoch. */
	epoch: number;
	turn: string;
	/** `platform` of the message answered. */
	answers?: Payload;
}

export interface Timer {
	/** Unique within the address; setting it again replaces it. */
	id: string;
	at: number;
	item: InboxItem;
}

/** All that one turn decided, written in one atomic step. */
export interface Settlement {
	/** Absolute position after the last item used up. */
	through: number;
	record: CallRecord;
	/** Set when the turn began a new call: the old call's history is not the new one's. */
	fresh: boolean;
	append: readonly HistoryEntry[];
	/** How many history rows to keep at least. */
	keep: number;
	outbox: readonly OutboxRow[];
	/** Accepted once every row of this settlement has left the outbox, at once when there is none. */
	then?: InboxItem;
	timers: readonly Timer[];
	cancel: readonly string[];
}

/** What became of a row the sender took. */
export type Taken =
	/** Marked `sending`, durably, before this resolves. `attempt` counts from 1. */
	| { outcome: "row"; row: OutboxRow; attempt: number }
	/** It was `sending` when its sender died: nobody knows. Reconcile it or mark it. */
	| { outcome: "unknown"; row: OutboxRow }
	/** Decided under an owner who no longer is: it left the outbox with a mark and must not be sent. Take again. */
	| { outcome: "discarded"; row: OutboxRow; reason: string }
	/** The head of the outbox may not go before then. */
	| { outcome: "later"; at: number }
	| { outcome: "busy"; until: number }
	| { outcome: "empty" };

export type RowResult =
	| { status: "sent"; platformId: string }
	| { status: "failed"; reason: string }
	| { status: "ambiguous"; reason: string }
	/** Certainly not delivered: again at `at`, before anything behind it. */
	| { status: "retry"; at: number; reason: string };

/** A row that left the outbox otherwise than `sent`, kept visible. */
export interface OutboxMark {
	row: OutboxRow;
	status: "failed" | "ambiguous" | "discarded";
	reason: string;
	at: number;
}

/** All that is stored under one address, for people and tests. */
export interface AddressView {
	address: AddressKey;
	record: CallRecord | undefined;
	history: readonly HistoryEntry[];
	waiting: readonly InboxItem[];
	outbox: readonly { row: OutboxRow; status: "pending" | "sending"; notBefore: number }[];
	marks: readonly OutboxMark[];
	timers: readonly Timer[];
	failures: number;
	parked: string | undefined;
}

export type Work = "turns" | "sends";

export interface Serving {
	/** Takes no new work and resolves when what runs has ended or `graceMs` is over. */
	stop(graceMs: number): Promise<void>;
}

export interface AcceptLimits {
	/** Items that may wait at one address before `full`. */
	inbox: number;
	/** How long ids are remembered, ms. At least 7 days. */
	dedupeMs: number;
}

/**
 * Where calls, inboxes, outboxes and timers live. It speaks of operations; keys, scripts, transactions and connections
 * never show here. Every operation is atomic, durable when it resolves, and safe to repeat. Operations with a lease
 * throw CallboardError `LEASE_LOST` (fault `lease`) once another owner has claimed the address, and write nothing.
 * All throw `BACKEND_UNAVAILABLE` (fault `platform`) when the store cannot be reached.
 */
export interface Backend {
	readonly name: string;
	open(): Promise<void>;
	close(): Promise<void>;

	/** Puts an item into its address's inbox unless its id or one of its keys was seen, and wakes the worker. */
	accept(item: InboxItem, limits: AcceptLimits): Promise<Accepted>;

	/** Takes the right to advance an address for `leaseMs`. */
	claim(
		address: AddressKey,
		options: { owner: string; leaseMs: number; window: number; items: number },
	): Promise<Claim>;
	extend(lease: Lease, leaseMs: number): Promise<void>;
	/** @param position absolute position of the first of `rows` in this turn's journal, so that a repeated write is a no-op */
	journal(lease: Lease, position: number, rows: readonly JournalRow[]): Promise<void>;
	/** Writes a turn and gives the lease back; wakes the worker again when more waits and the sender when there are rows. */
	settle(lease: Lease, settlement: Settlement): Promise<void>;
	/** Gives the lease back without a commit: the turn failed, or is handed on. The journal stays. */
	release(lease: Lease, options: { retryAt?: number; failure?: string }): Promise<void>;
	/** Sets an address aside with the reason; its items stay. */
	park(lease: Lease, reason: string): Promise<void>;
	unpark(address: AddressKey): Promise<void>;

	/** The next row to send of an address, in order; one sender an address at a time. */
	take(address: AddressKey, options: { owner: string; leaseMs: number }): Promise<Taken>;
	mark(address: AddressKey, owner: string, row: string, result: RowResult): Promise<void>;

	/**
	 * Replaces what a message says that no turn has begun to read yet.
	 * @param message id of the message
	 * @returns whether it was still waiting
	 */
	revise(address: AddressKey, message: string, content: Content): Promise<boolean>;

	/**
	 * Writes a change that no turn makes: an owner taken or given back, a part a human says. A change whose rows were
	 * all written before, by their ids, says nothing again.
	 */
	amend(
		address: AddressKey,
		change: { owner?: "agent" | "human"; say?: readonly OutboxRow[]; append?: readonly HistoryEntry[] },
	): Promise<void>;

	view(address: AddressKey, options: { history: number }): Promise<AddressView>;
	/** Addresses in no particular order; `after` is the last one of the previous page. */
	list(options: {
		limit: number;
		after?: AddressKey;
		only?: "waiting" | "parked" | "outbox";
	}): Promise<readonly AddressKey[]>;

	/**
	 * Calls `run` for every address that has work of this kind, also work left by a dead process, never twice at once
	 * for one address within this process, at most `concurrency` at a time. `run` must not throw.
	 */
	serve(work: Work, concurrency: number, run: (address: AddressKey) => Promise<void>): Serving;
}
