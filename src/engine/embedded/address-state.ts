import type { AddressKey } from "../../call/address.js";
import type { CallRecord, Owner } from "../../call/call-record.js";
import type { InboxItem } from "../../call/message.js";
import type { Unreachable } from "../backend.js";
import { headKey, type Index, indexKey, recordKey } from "./keys.js";
import type { Reading, Writing } from "./store.js";

/** What is stored once for each address. Positions are absolute: they count from the address's first day. */
export interface Head {
	/** Waiting items stand at `from` up to `to`; a claim has handed out those below `claimed`. */
	inbox: { from: number; to: number; claimed: number };
	/** History rows stored; the present call's begin at `base`. */
	rows: { from: number; base: number; to: number };
	journal: number;
	outbox: { from: number; to: number; notBefore: number };
	/** Who is sending the first outbox row, and the operation that took it: asked again, it is answered again. */
	sender?: { owner: string; until: number; by?: string; unknown?: number };
	marks: number;
	/** Set while a mark is kept. */
	marked?: true;
	/** `follows`: the settlement of the lease before granted it. */
	lease?: { owner: string; until: number; follows?: true };
	fence: number;
	/** Fence of the newest settlement: a repeated one is known by it. */
	settled: number;
	owner: Owner;
	epoch: number;
	/** The epoch that the running turn was given. */
	epochAtClaim: number;
	failures: number;
	/** Leases that ran out since the last settlement. */
	deaths?: number;
	retryAt: number;
	/** Set while messages put the next turn off: since when, and until when. */
	gather?: { since: number; until: number };
	parked?: string;
	unreachable?: Unreachable;
	/** Items to accept once the outbox has come to `after`: each settlement's `then`. */
	awaited: { after: number; item: InboxItem }[];
}

/** When an address has work: a time, which may be past, or undefined for none. */
export interface Due {
	turns: number | undefined;
	sends: number | undefined;
}

/** Fences of an address start from the time, so that one forgotten and met again does not start over. */
function newHead(now: number): Head {
	return {
		inbox: { from: 0, to: 0, claimed: 0 },
		rows: { from: 0, base: 0, to: 0 },
		journal: 0,
		outbox: { from: 0, to: 0, notBefore: 0 },
		marks: 0,
		fence: now,
		settled: 0,
		owner: "agent",
		epoch: 0,
		epochAtClaim: 0,
		failures: 0,
		retryAt: 0,
		awaited: [],
	};
}

export function dueOf(head: Head): Due {
	const waits = head.inbox.to > head.inbox.from && head.parked === undefined;
	const leaves = head.outbox.to > head.outbox.from;
	return {
		turns: waits ? Math.max(putOffUntil(head), head.lease?.until ?? 0) : undefined,
		sends: leaves ? Math.max(head.outbox.notBefore, head.sender?.until ?? 0) : undefined,
	};
}

/** Before then no turn begins by itself. */
export function putOffUntil({ retryAt, gather }: Head): number {
	return Math.max(retryAt, gather?.until ?? 0);
}

export function loadHead(tx: Reading, address: AddressKey, now: number): Head {
	return tx.get<Head>(headKey(address)) ?? newHead(now);
}

/** The stored record as it is now: who owns the call and how many rows it has are the head's to say. */
export function loadRecord(tx: Reading, address: AddressKey, head: Head): CallRecord | undefined {
	const record = tx.get<CallRecord>(recordKey(address));
	if (record === undefined) return undefined;
	return { ...record, owner: head.owner, epoch: head.epoch, rows: head.rows.to - head.rows.base };
}

/** One operation under way: the transaction, its time, and what must be woken once it is durable. */
export class Step {
	readonly due = new Map<AddressKey, Due>();
	/** Earliest timer set. */
	timerAt = Number.POSITIVE_INFINITY;
	/** Which listings each address stood in when it was loaded. */
	readonly #listed = new Map<AddressKey, Listed>();

	constructor(
		readonly tx: Writing,
		readonly now: number,
	) {}

	load(address: AddressKey): Head {
		const head = loadHead(this.tx, address, this.now);
		this.#listed.set(address, listedOf(head));
		return head;
	}

	/** Writes a head that was loaded in this step. */
	save(address: AddressKey, head: Head): void {
		this.tx.put(headKey(address), head);
		const before = this.#listed.get(address);
		const after = listedOf(head);
		for (const index of INDEXES) {
			if (after[index] === before?.[index]) continue;
			if (after[index]) this.tx.put(indexKey(index, address), 1);
			else this.tx.remove(indexKey(index, address));
		}
		this.#listed.set(address, after);
		this.due.set(address, dueOf(head));
	}
}

type Listed = Record<Index, boolean>;
const INDEXES: readonly Index[] = ["turns", "sends", "parked", "marked"];

function listedOf(head: Head): Listed {
	const due = dueOf(head);
	return {
		turns: due.turns !== undefined,
		sends: due.sends !== undefined,
		parked: head.parked !== undefined,
		marked: head.marked === true,
	};
}
