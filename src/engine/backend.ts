import type { AddressKey } from "../call/address.js";
import type { CallRecord } from "../call/call-record.js";
import type { HistoryEntry, Speaker } from "../call/history.js";
import type { Content, InboxItem } from "../call/message.js";
import type { Accepted, Payload } from "../channel/channel.js";
import type { News } from "./news.js";
import type { Shared, ShareTerms } from "./share-terms.js";

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
			/** How often since the last settlement a lease ran out that nobody gave back: its process died, or was cut off. */
			deaths: number;
	  }
	/**
	 * Not before about then: a lease is live, whoever asks, and its holder will look again when it settles; or the turn is
	 * put off, by messages of which more may follow or because it failed.
	 */
	| { outcome: "busy"; until: number }
	/** Nothing waits. */
	| { outcome: "idle" }
	/** Set aside after repeated failures; see `unpark`. */
	| { outcome: "parked"; reason: string };

export type Claimed = Extract<Claim, { outcome: "claimed" }>;

/** How much a claim hands out, and for how long. */
export interface ClaimTerms {
	leaseMs: number;
	/** History rows, the newest. */
	window: number;
	/** Waiting items, at most. */
	items: number;
}

export interface ClaimOptions extends ClaimTerms {
	owner: string;
}

/**
 * How fast a chat takes what is sent: so many at once after a rest, and one more every so often. All threads of a chat
 * are one, whoever sends to them.
 */
export interface ChatPace {
	burst: number;
	everyMs: number;
}

/** Who sends, and how long a row that it took is its own. */
export interface TakeOptions {
	owner: string;
	leaseMs: number;
	/** A row that would be faster is answered with `later`. Default: any pace will do. */
	pace?: ChatPace;
}

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
	/** W3C trace context of the turn that decided it. */
	traceparent?: string;
	/** Set on the last row of a call that is over: why it ended. The channel is told once the row has left. */
	ends?: string;
}

/** What ids of an agent's own timers begin with: these rest while the person cannot be reached. */
export const LATER = "later.";

/**
 * Brings its item into the inbox once, at its time or as soon after as the backend is open; a full inbox takes it. One
 * of an agent (see `LATER`) whose time comes while the person cannot be reached does so once they can be, or within a day
 * of the end of their call.
 */
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
	/** Without what the agent says where the owner changed while the turn ran: that is not sent, and not history. */
	append: readonly HistoryEntry[];
	/** How many history rows to keep at least. */
	keep: number;
	outbox: readonly OutboxRow[];
	/** Accepted once every row of this settlement has left the outbox, at once when there is none; a full inbox takes it. */
	then?: InboxItem;
	timers: readonly Timer[];
	cancel: readonly string[];
}

/** What became of a row the sender took. */
export type Taken =
	/** Marked `sending`, durably, before this resolves. `attempt` counts from 1. */
	| { outcome: "row"; row: OutboxRow; attempt: number }
	/** It was `sending` when its sender's right ran out, first noticed at `since`: nobody knows. Reconcile it or mark it. */
	| { outcome: "unknown"; row: OutboxRow; since: number }
	/**
	 * Decided under an owner who no longer is: it left the outbox with a mark and must not be sent. Take again. Its part is
	 * not history any more, unless a piece of it had left before.
	 */
	| { outcome: "discarded"; row: OutboxRow; reason: string }
	/** The head of the outbox may not go before then. */
	| { outcome: "later"; at: number }
	/** A row is being sent, whoever asks. */
	| { outcome: "busy"; until: number }
	| { outcome: "empty" };

export type RowResult =
	| { status: "sent"; platformId: string }
	/** `unreachable`: nothing else would arrive there either. It stays on record until the next message. */
	| { status: "failed"; reason: string; unreachable?: true }
	| { status: "ambiguous"; reason: string }
	/** Certainly not delivered: again at `at`, before anything behind it. */
	| { status: "retry"; at: number; reason: string };

/** A change that no turn makes. */
export interface Amendment {
	/** Made only while this is the owner's epoch. */
	epoch?: number;
	owner?: "agent" | "human";
	say?: readonly OutboxRow[];
	append?: readonly HistoryEntry[];
}

/** `repeated`: its rows were all written before, by their ids. `late`: the epoch is another. Then nothing was changed. */
export type Amended = "made" | "repeated" | "late";

/** A row that left the outbox otherwise than `sent`, kept visible. */
export interface OutboxMark {
	row: OutboxRow;
	status: "failed" | "ambiguous" | "discarded";
	reason: string;
	at: number;
}

/** Since when, and why, a person cannot be reached. */
export interface Unreachable {
	at: number;
	reason: string;
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
	/** Set while the person cannot be reached. */
	unreachable?: Unreachable;
}

export type Work = "turns" | "sends";

/** What a settlement does in the same step once the turn is written. */
export interface Next {
	/** Keeps the lease, under a new fence, and hands out what waits next. Leave it out now and then, for fairness. */
	claim?: ClaimTerms;
	/** Takes the first row of the outbox, unless one is being sent. */
	take?: TakeOptions;
}

export interface Settled {
	/** Absent when nothing waits: then the lease was given back. */
	claimed?: Claimed;
	/** Present when `take` was asked for. */
	taken?: Taken;
}

export interface Serving {
	/** Runs at most so many at once from now on, at least 1; what runs goes on. */
	allow(concurrency: number): void;
	/** Takes no new work and resolves when what runs has ended or `graceMs` is over. */
	stop(graceMs: number): Promise<void>;
}

export interface AcceptLimits {
	/** Items that may wait at one address before `full`. */
	inbox: number;
	/** How long ids are remembered, ms. At least 7 days. */
	dedupeMs: number;
	/** How long the `gathersMs` of messages may put a turn off in all, ms. Default 8 s. */
	gatherMs?: number;
}

/** Default of `AcceptLimits.gatherMs`. */
export const GATHER_MS = 8_000;

/**
 * Where calls, inboxes, outboxes and timers live. It speaks of operations; keys, scripts, transactions and connections
 * never show here. Every operation is atomic, durable when it resolves, and safe to repeat. Operations with a lease
 * throw CallboardError `LEASE_LOST` (fault `lease`) once another owner has claimed the address, and write nothing.
 * All throw `BACKEND_UNAVAILABLE` (fault `platform`) when the store cannot be reached: asked again later, they may work.
 * What would fail again, as when something else has written into the store, is another error, such as `STORE_FAULT`.
 */
export interface Backend {
	readonly name: string;
	open(): Promise<void>;
	close(): Promise<void>;

	/**
	 * Puts an item into its address's inbox unless its id or one of its keys was seen, and wakes the worker.
	 *
	 * A message with `gathersMs` puts the next turn off until so much later, one without lets it begin at once; but none is
	 * put off for more than `limits.gatherMs` after the first message that did so, until a claim or a message without it. A
	 * turn that is put off is neither served nor claimed.
	 *
	 * @param claim claims the address in the same step when the item is accepted and a turn may begin now; then no worker
	 * is woken. Without `claimed` in the answer the item waits for a worker, as always.
	 */
	accept(item: InboxItem, limits: AcceptLimits, claim?: ClaimOptions): Promise<Accepted & { claimed?: Claimed }>;

	/** Takes the right to advance an address for `leaseMs`. What is held is not claimed, not even by its own holder. */
	claim(address: AddressKey, options: ClaimOptions): Promise<Claim>;
	/**
	 * Renews the lease.
	 * @param look hands out, in the same step, what waits at the absolute position `from` and behind it
	 * @returns what was handed out, oldest first; nothing when there is nothing or nobody looked
	 */
	extend(lease: Lease, leaseMs: number, look?: { from: number; items: number }): Promise<readonly InboxItem[]>;
	/**
	 * @param position absolute position of the first of `rows` in this turn's journal, so that a repeated write is a no-op
	 * @throws CallboardError `BAD_JOURNAL` when the rows in front of it are missing
	 */
	journal(lease: Lease, position: number, rows: readonly JournalRow[]): Promise<void>;
	/**
	 * Writes a turn and gives the lease back; wakes the worker again when more waits and the sender when there are rows.
	 * What `next` claims or takes wakes nobody: it is the caller's now. Repeated, it answers as it did the first time for
	 * as long as nobody has gone on.
	 */
	settle(lease: Lease, settlement: Settlement, next?: Next): Promise<Settled>;
	/**
	 * Gives the lease back without a commit: the turn failed, or is handed on. The journal stays.
	 * @param options.retryAt not served before then, whatever arrives
	 * @param options.failure counts as one more failed turn in a row
	 */
	release(lease: Lease, options: { retryAt?: number; failure?: string }): Promise<void>;
	/** Sets an address aside with the reason; its items stay. */
	park(lease: Lease, reason: string): Promise<void>;
	unpark(address: AddressKey): Promise<void>;

	/** The next row to send of an address, in order; one sender an address at a time, from a row's `take` to its `mark`. */
	take(address: AddressKey, options: TakeOptions): Promise<Taken>;
	/**
	 * Wakes nobody for the rows of an address before `until`: they wait for their turn in this process. Whoever comes may
	 * take them all the same. Absent where being woken costs nothing.
	 */
	postpone?(address: AddressKey, until: number): Promise<void>;
	/**
	 * Renews the right to the row taken, also one that has run out, while nobody else has taken the row.
	 * @returns whether `owner` has it now
	 */
	keep(address: AddressKey, options: TakeOptions): Promise<boolean>;
	/**
	 * Says what became of the row taken.
	 * @param next takes the next row in the same step
	 * @returns what was taken, when `next` was given
	 */
	mark(
		address: AddressKey,
		owner: string,
		row: string,
		result: RowResult,
		next?: Omit<TakeOptions, "owner">,
	): Promise<Taken | undefined>;

	/**
	 * Replaces what a message says that no turn has begun to read yet.
	 * @param message id of the message
	 * @param earlyMs how long to keep it for a message that is not known: should it be accepted within that time, it says
	 * this. Default 0
	 * @returns whether it was still waiting
	 */
	revise(address: AddressKey, message: string, content: Content, earlyMs?: number): Promise<boolean>;

	/**
	 * Says that the person at a known address cannot be reached, by the reason why, or, without one, that they can be again.
	 * A message accepted from them and a row that was sent say so, too; a row that `failed` may say the contrary.
	 */
	reach(address: AddressKey, unreachable: string | undefined): Promise<void>;

	/** Writes a change that no turn makes: an owner taken or given back, a part a human says. */
	amend(address: AddressKey, change: Amendment): Promise<Amended>;

	/**
	 * Puts the row of a mark behind what waits in the outbox, under the id `as` and the owner's present epoch, and takes
	 * the mark away. Repeated, it does nothing again.
	 * @returns whether there was such a mark, or the row was put there by this very order before
	 */
	resend(address: AddressKey, row: string, as: string): Promise<boolean>;

	view(address: AddressKey, options: { history: number }): Promise<AddressView>;
	/** Addresses in no particular order; `after` is the last one of the previous page. `marked`: rows left with a mark. */
	list(options: {
		limit: number;
		after?: AddressKey;
		only?: "waiting" | "parked" | "outbox" | "marked";
	}): Promise<readonly AddressKey[]>;

	/** BullMQ queues behind this backend, for an operator's page. */
	readonly queues?: readonly unknown[];
	/** How many lost wake-ups this process has made good since it opened the backend. */
	readonly swept?: number;

	/**
	 * Takes or renews a named right for `leaseMs`, such as that to poll a platform; a dead holder's right runs out.
	 * Absent where only one process can use the store.
	 * @returns whether `owner` has it now
	 */
	hold?(name: string, options: { owner: string; leaseMs: number }): Promise<boolean>;
	/** Gives a named right back, where `owner` has it. */
	letGo?(name: string, owner: string): Promise<void>;

	/**
	 * Divides what may be sent by a door among the processes that send by it, so that all their parts together are never
	 * more than there is: by what each wants, with something in reserve for all while nobody wants it.
	 * Absent where only one process can use the store.
	 * A part that is more than before was free; when it is less, the rest is free for others once the process has asked
	 * again, keeping to it.
	 */
	share?(door: string, terms: ShareTerms): Promise<Shared>;

	/**
	 * Tells other processes of something passing, without waiting: whoever does not hear it loses nothing. Both are absent
	 * where only one process can use the store and nobody could hear.
	 */
	publish?(news: News): void;
	/**
	 * Hears what is published once this has resolved, the own news too, in order for each process that tells. Where the
	 * store does not let it listen yet it resolves soon all the same, and hears from when it does.
	 * @returns what stops it
	 */
	listen?(hear: (news: News) => void): Promise<() => void>;

	/**
	 * Resolves when the store answers, for some addresses at least: one of its machines may be gone. Absent where it is
	 * there as a whole or not at all.
	 * @throws CallboardError `BACKEND_UNAVAILABLE`
	 */
	answers?(): Promise<void>;

	/**
	 * Calls `run` for every address that has work of this kind, also work left by a dead process, never twice at once
	 * for one address within this process, at most `concurrency` at a time, in the order in which they became ready. An
	 * address that still has work after its run queues up again behind the others; one whose run did nothing for it, as
	 * when its door is not this process's, is offered again a little later, never in a tight loop. `run` must not throw.
	 */
	serve(work: Work, concurrency: number, run: (address: AddressKey) => Promise<void>): Serving;
}
