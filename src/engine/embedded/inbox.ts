import type { AddressKey } from "../../call/address.js";
import type { CallRecord } from "../../call/call-record.js";
import type { Content, InboxItem } from "../../call/message.js";
import type { Accepted } from "../../channel/channel.js";
import { type AcceptLimits, GATHER_MS, LATER, type Timer } from "../backend.js";
import { checkAddress } from "../check-address.js";
import type { Head, Step } from "./address-state.js";
import {
	between,
	dueKey,
	earlyKey,
	expiryKey,
	headKey,
	numberedKey,
	recordKey,
	seenKey,
	timerKey,
	under,
	until,
} from "./keys.js";
import { retire } from "./retention.js";

/** Items of the engine itself are remembered as long as a platform may repeat a message. */
export const OWN_DEDUPE_MS = 7 * 24 * 3_600_000;

export function accept(step: Step, item: InboxItem, limits: AcceptLimits): Accepted {
	checkAddress(item.address);
	const head = step.load(item.address);
	const ids = idsOf(item);
	const known = ids.filter((id) => isSeen(step, item.address, id));
	if (known.length === 0 && head.inbox.to - head.inbox.from >= limits.inbox) return { outcome: "full" };
	remember(step, item.address, ids, limits.dedupeMs);
	if (known.length > 0) return { outcome: "duplicate" };
	push(step, item.address, head, edited(step, item));
	gather(step, head, item, limits.gatherMs ?? GATHER_MS);
	if (item.type === "message") reached(step, item.address, head);
	step.save(item.address, head);
	retire(step);
	return { outcome: "accepted" };
}

/** An edit that came before its message. */
interface EarlyEdit {
	content: Content;
	until: number;
}

/** The item, with what an edit that came before it made it say. */
function edited(step: Step, item: InboxItem): InboxItem {
	if (item.type !== "message") return item;
	let content: Content | undefined;
	for (const id of idsOf(item)) {
		const key = earlyKey(item.address, id);
		const early = step.tx.get<EarlyEdit>(key);
		if (early === undefined) continue;
		step.tx.remove(key);
		if (early.until > step.now) content ??= early.content;
	}
	return content === undefined ? item : { ...item, content };
}

/** A message of which more may follow puts the next turn off; one of which none can lets it begin. */
function gather(step: Step, head: Head, item: InboxItem, gatherMs: number): void {
	if (item.type !== "message") return;
	const { gathersMs = 0 } = item;
	if (gathersMs <= 0) {
		delete head.gather;
		return;
	}
	const since = head.gather?.since ?? step.now;
	head.gather = { since, until: Math.min(step.now + gathersMs, since + gatherMs) };
}

/** Takes an item of the engine itself, which no bound may refuse. The caller saves the head. */
export function acceptOwn(step: Step, head: Head, item: InboxItem): void {
	if (isSeen(step, item.address, item.id)) return;
	remember(step, item.address, [item.id], OWN_DEDUPE_MS);
	push(step, item.address, head, item);
}

export function isSeen(step: Step, address: AddressKey, id: string): boolean {
	return (step.tx.get<number>(seenKey(address, id)) ?? 0) > step.now;
}

export function remember(step: Step, address: AddressKey, ids: readonly string[], forMs: number): void {
	for (const id of ids) {
		if (isSeen(step, address, id)) continue;
		const key = seenKey(address, id);
		step.tx.put(key, step.now + forMs);
		step.tx.put(expiryKey(step.now + forMs, key), 1);
	}
}

interface EditOf {
	message: string;
	content: Content;
	earlyMs: number;
}

export function revise(step: Step, address: AddressKey, edit: EditOf): boolean {
	const { message, content, earlyMs } = edit;
	checkAddress(address);
	const head = step.load(address);
	const begun = head.journal > 0 || (head.lease !== undefined && head.lease.until > step.now);
	const from = begun ? Math.max(head.inbox.from, head.inbox.claimed) : head.inbox.from;
	for (const { key, value } of step.tx.range<InboxItem>(between("in", address, from, head.inbox.to))) {
		if (value.type !== "message" || (value.id !== message && !value.keys?.includes(message))) continue;
		step.tx.put(key, { ...value, content });
		return true;
	}
	if (earlyMs > 0 && !isSeen(step, address, message)) keepEarly(step, earlyKey(address, message), content, earlyMs);
	return false;
}

function keepEarly(step: Step, key: string, content: Content, forMs: number): void {
	const until = step.now + forMs;
	step.tx.put(key, { content, until } satisfies EarlyEdit);
	step.tx.put(expiryKey(until, key), 1);
	retire(step);
}

export function setTimer(step: Step, address: AddressKey, timer: Timer): void {
	cancelTimer(step, address, timer.id);
	step.tx.put(timerKey(address, timer.id), timer);
	step.tx.put(dueKey(timer.at, address, timer.id), { address, id: timer.id });
	step.timerAt = Math.min(step.timerAt, timer.at);
}

export function cancelTimer(step: Step, address: AddressKey, id: string): void {
	const key = timerKey(address, id);
	const before = step.tx.get<Timer>(key);
	if (before === undefined) return;
	step.tx.remove(key);
	step.tx.remove(dueKey(before.at, address, id));
}

/** Accepts the items of timers whose time has come, the earliest first. */
export function fireTimers(step: Step, limit: number): void {
	const due = step.tx.range<{ address: AddressKey; id: string }>({ ...until("due", step.now), limit });
	for (const { value } of due) {
		const key = timerKey(value.address, value.id);
		const timer = step.tx.get<Timer>(key);
		cancelTimer(step, value.address, value.id);
		if (timer === undefined) continue;
		const head = step.load(value.address);
		if (rests(step, head, value)) {
			step.tx.put(key, timer);
			continue;
		}
		acceptOwn(step, head, timer.item);
		step.save(value.address, head);
	}
}

/** Whether a timer that is due stays where it is, without being due any more, until it is roused. */
function rests({ tx }: Step, head: Head, { address, id }: { address: AddressKey; id: string }): boolean {
	if (head.unreachable === undefined || !id.startsWith(LATER)) return false;
	return tx.get<CallRecord>(recordKey(address))?.ended === undefined;
}

/** Timers that rest are due again. */
export function rouse(step: Step, address: AddressKey): void {
	for (const { value } of step.tx.range<Timer>(under("timer", address)))
		if (value.at <= step.now) setTimer(step, address, value);
}

export function reach(step: Step, address: AddressKey, unreachable: string | undefined): void {
	checkAddress(address);
	if (step.tx.get<Head>(headKey(address)) === undefined) return;
	const head = step.load(address);
	if (unreachable === undefined) reached(step, address, head);
	else head.unreachable ??= { at: step.now, reason: unreachable };
	step.save(address, head);
}

/** The person can be reached, also where that was in doubt. The caller saves the head. */
export function reached(step: Step, address: AddressKey, head: Head): void {
	if (head.unreachable === undefined) return;
	delete head.unreachable;
	rouse(step, address);
}

function idsOf(item: InboxItem): readonly string[] {
	return [item.id, ...(item.keys ?? [])];
}

function push(step: Step, address: AddressKey, head: Head, item: InboxItem): void {
	step.tx.put(numberedKey("in", address, head.inbox.to), item);
	head.inbox.to += 1;
}
