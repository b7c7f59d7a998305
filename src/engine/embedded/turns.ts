import type { AddressKey } from "../../call/address.js";
import type { CallRecord } from "../../call/call-record.js";
import type { HistoryEntry } from "../../call/history.js";
import type { InboxItem } from "../../call/message.js";
import { CallboardError } from "../../errors.js";
import type { Claim, Claimed, ClaimOptions, ClaimTerms, JournalRow, Lease, Settlement } from "../backend.js";
import { badJournal } from "../bad-journal.js";
import { checkAddress } from "../check-address.js";
import { type Head, loadRecord, putOffUntil, type Step } from "./address-state.js";
import { acceptOwn, cancelTimer, rouse, setTimer } from "./inbox.js";
import { between, numberedKey, recordKey, under } from "./keys.js";
import { clear, forgetEndedAt } from "./retention.js";

/** No epoch: a human took over before the first turn, which therefore says nothing. */
const TAKEN_BEFORE = -1;

export function claim(step: Step, address: AddressKey, options: ClaimOptions): Claim {
	checkAddress(address);
	const head = step.load(address);
	if (head.parked !== undefined) return { outcome: "parked", reason: head.parked };
	if (head.lease !== undefined && head.lease.until > step.now) return { outcome: "busy", until: head.lease.until };
	if (head.inbox.to === head.inbox.from) return { outcome: "idle" };
	if (putOffUntil(head) > step.now) return { outcome: "busy", until: putOffUntil(head) };
	grant(step, address, head, options);
	step.save(address, head);
	return handedOut(step, address, head, options);
}

/** Claims the address when a turn may begin at once. */
export function claimNow(step: Step, address: AddressKey, options: ClaimOptions): Claimed | undefined {
	const got = claim(step, address, options);
	return got.outcome === "claimed" ? got : undefined;
}

/** Claims for the owner of a lease that was just settled what waits next. */
export function claimNext(step: Step, { address, owner }: Lease, terms: ClaimTerms): Claimed | undefined {
	const got = claimNow(step, address, { owner, ...terms });
	if (got === undefined) return undefined;
	const head = step.load(address);
	head.lease = { owner, until: step.now + terms.leaseMs, follows: true };
	step.save(address, head);
	return got;
}

/** What the settlement of `lease` claimed for its owner, when it is asked again. */
export function claimedAfter(step: Step, lease: Lease, terms: ClaimTerms): Claimed | undefined {
	const head = step.load(lease.address);
	const goesOn = head.fence === lease.fence + 1 && head.lease?.follows === true && head.lease.owner === lease.owner;
	return goesOn ? handedOut(step, lease.address, head, { owner: lease.owner, ...terms }) : undefined;
}

function grant(step: Step, address: AddressKey, head: Head, options: ClaimOptions): void {
	head.fence += 1;
	if (head.lease !== undefined) head.deaths = (head.deaths ?? 0) + 1;
	head.lease = { owner: options.owner, until: step.now + options.leaseMs };
	head.inbox.claimed = Math.min(head.inbox.to, head.inbox.from + options.items);
	delete head.gather;
	const unknown = step.tx.get(recordKey(address)) === undefined;
	head.epochAtClaim = unknown && head.owner === "human" ? TAKEN_BEFORE : head.epoch;
}

function handedOut(step: Step, address: AddressKey, head: Head, { owner, window }: ClaimOptions): Claimed {
	const { inbox, rows } = head;
	const oldest = Math.max(rows.base, rows.from, rows.to - window);
	return {
		outcome: "claimed",
		lease: { address, owner, fence: head.fence },
		record: loadRecord(step.tx, address, head),
		history: values<HistoryEntry>(step, between("row", address, oldest, rows.to)),
		items: values<InboxItem>(step, between("in", address, inbox.from, inbox.claimed)),
		position: inbox.from,
		journal: head.journal === 0 ? [] : values<JournalRow>(step, under("journal", address)),
		failures: head.failures,
		deaths: head.deaths ?? 0,
	};
}

export function extend(
	step: Step,
	lease: Lease,
	leaseMs: number,
	look: { from: number; items: number } | undefined,
): readonly InboxItem[] {
	const { address } = lease;
	const head = held(step, lease);
	head.lease = { ...head.lease, owner: lease.owner, until: step.now + leaseMs };
	const from = Math.max(look?.from ?? 0, head.inbox.from);
	const to = look === undefined ? from : Math.min(from + look.items, head.inbox.to);
	if (to > head.inbox.claimed) {
		head.inbox.claimed = to;
		delete head.gather;
	}
	step.save(address, head);
	return to > from ? values<InboxItem>(step, between("in", address, from, to)) : [];
}

export function journal(step: Step, lease: Lease, position: number, rows: readonly JournalRow[]): void {
	const head = held(step, lease);
	if (position > head.journal) throw badJournal(lease.address, position);
	rows.forEach((row, index) => {
		const at = position + index;
		if (at < head.journal) return;
		step.tx.put(numberedKey("journal", lease.address, at), row);
		head.journal = at + 1;
	});
	step.save(lease.address, head);
}

/** @returns false when it was written before */
export function settle(step: Step, lease: Lease, settlement: Settlement, keepEndedMs: number): boolean {
	const { tx } = step;
	const { address } = lease;
	if (step.load(address).settled === lease.fence) return false;
	const head = held(step, lease);
	if (settlement.through < head.inbox.from || settlement.through > head.inbox.to) {
		throw new CallboardError(
			"BAD_SETTLEMENT",
			"author",
			`a turn used up items through ${settlement.through}, but ${head.inbox.from} to ${head.inbox.to} wait`,
			{ where: address, next: "settle with the position of the claim plus the items used up" },
		);
	}
	for (; head.inbox.from < settlement.through; head.inbox.from += 1)
		tx.remove(numberedKey("in", address, head.inbox.from));
	const changed = writeOwner(head, settlement);
	const append = changed ? settlement.append.filter((entry) => !isAgents(entry)) : settlement.append;
	writeHistory(step, address, head, { ...settlement, append });
	for (const row of settlement.outbox) putRow(step, address, head, row);
	if (settlement.then !== undefined && settlement.outbox.length > 0)
		head.awaited.push({ after: head.outbox.to, item: settlement.then });
	else if (settlement.then !== undefined) acceptOwn(step, head, settlement.then);
	for (const id of settlement.cancel) cancelTimer(step, address, id);
	for (const timer of settlement.timers) setTimer(step, address, timer);

	const stored: CallRecord = {
		...settlement.record,
		owner: head.owner,
		epoch: head.epoch,
		rows: head.rows.to - head.rows.base,
	};
	tx.put(recordKey(address), stored);
	if (stored.ended !== undefined && head.unreachable !== undefined) rouse(step, address);
	if (stored.ended !== undefined) forgetEndedAt(step, stored.ended.at + keepEndedMs, { address, call: stored.id });
	giveBack(step, address, head, { journal: "clear" });
	head.settled = lease.fence;
	head.failures = 0;
	delete head.deaths;
	head.retryAt = 0;
	step.save(address, head);
	return true;
}

export function release(step: Step, lease: Lease, options: { retryAt?: number; failure?: string }): void {
	const head = held(step, lease);
	giveBack(step, lease.address, head, { journal: "keep" });
	if (options.failure !== undefined) head.failures += 1;
	head.retryAt = options.retryAt ?? 0;
	step.save(lease.address, head);
}

export function park(step: Step, lease: Lease, reason: string): void {
	const head = held(step, lease);
	giveBack(step, lease.address, head, { journal: "keep" });
	head.parked = reason;
	step.save(lease.address, head);
}

export function unpark(step: Step, address: AddressKey): void {
	const head = step.load(address);
	if (head.parked === undefined) return;
	delete head.parked;
	head.failures = 0;
	delete head.deaths;
	head.retryAt = 0;
	step.save(address, head);
}

/** The outbox is written by a turn's end and by what a human says. */
export function putRow(step: Step, address: AddressKey, head: Head, row: Settlement["outbox"][number]): void {
	step.tx.put(numberedKey("out", address, head.outbox.to), { row, status: "pending", attempts: 0 });
	head.outbox.to += 1;
}

/**
 * An owner changed while the turn ran stays, and the turn's words, decided under the one before, are not sent.
 * @returns whether one has
 */
function writeOwner(head: Head, { record }: Settlement): boolean {
	if (head.epoch === head.epochAtClaim) {
		head.owner = record.owner;
		head.epoch = record.epoch;
		return false;
	}
	if (record.epoch >= head.epoch) head.epoch = record.epoch + 1;
	return true;
}

/** Words that the agent meant to say. */
function isAgents(entry: HistoryEntry): boolean {
	return entry.role === "said" && entry.by !== "human";
}

function writeHistory(step: Step, address: AddressKey, head: Head, settlement: Settlement): void {
	const { rows } = head;
	if (settlement.fresh) {
		clear(step, under("row", address));
		rows.base = rows.to;
		rows.from = rows.to;
	}
	appendRows(step, address, head, settlement.append);
	const from = Math.max(rows.from, rows.to - settlement.keep);
	for (; rows.from < from; rows.from += 1) step.tx.remove(numberedKey("row", address, rows.from));
}

export function appendRows(step: Step, address: AddressKey, head: Head, entries: readonly HistoryEntry[]): void {
	for (const entry of entries) {
		step.tx.put(numberedKey("row", address, head.rows.to), entry);
		head.rows.to += 1;
	}
}

function giveBack(step: Step, address: AddressKey, head: Head, options: { journal: "keep" | "clear" }): void {
	delete head.lease;
	head.inbox.claimed = head.inbox.from;
	if (options.journal === "clear" && head.journal > 0) {
		clear(step, under("journal", address));
		head.journal = 0;
	}
}

/** @throws CallboardError `LEASE_LOST` */
function held(step: Step, lease: Lease): Head {
	const head = step.load(lease.address);
	if (head.fence === lease.fence && head.lease?.owner === lease.owner) return head;
	throw new CallboardError("LEASE_LOST", "lease", "another worker has this address now", {
		where: lease.address,
		next: "stop: nothing of this turn may be written",
	});
}

function values<T>(step: Step, range: Parameters<Step["tx"]["range"]>[0]): readonly T[] {
	return step.tx.range<T>(range).map(({ value }) => value);
}
