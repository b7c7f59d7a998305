import type { AddressKey } from "../../call/address.js";
import type { Amended, Amendment, ChatPace, OutboxMark, OutboxRow, RowResult, Taken, TakeOptions } from "../backend.js";
import { checkAddress } from "../check-address.js";
import type { Head, Step } from "./address-state.js";
import { acceptOwn, isSeen, OWN_DEDUPE_MS, reached, remember } from "./inbox.js";
import { expiryKey, numberedKey, paceKey, under } from "./keys.js";
import { appendRows, putRow } from "./turns.js";
import { unsay } from "./unsaid.js";

/** A row as it waits. */
export interface Waiting {
	row: OutboxRow;
	status: "pending" | "sending";
	attempts: number;
}

/** Marks kept for one address, the newest. */
const MARKS_KEPT = 100;

/** @param by names the operation that takes along the way; taken once by that name, the row is given again */
export function take(step: Step, address: AddressKey, options: TakeOptions, by?: string): Taken {
	const { tx, now } = step;
	const head = step.load(address);
	const key = numberedKey("out", address, head.outbox.from);
	const waiting = tx.get<Waiting>(key);
	if (waiting === undefined) return { outcome: "empty" };
	const { row } = waiting;
	const { sender } = head;
	const again = by !== undefined && sender?.by === by && sender.owner === options.owner;
	if (again && waiting.status === "sending") {
		head.sender = { ...sender, until: now + options.leaseMs };
		step.save(address, head);
		return sender.unknown !== undefined
			? { outcome: "unknown", row, since: sender.unknown }
			: { outcome: "row", row, attempt: waiting.attempts };
	}
	if (sender !== undefined && sender.until > now) return { outcome: "busy", until: sender.until };
	if (waiting.status === "pending" && head.outbox.notBefore > now)
		return { outcome: "later", at: head.outbox.notBefore };
	if (waiting.status === "pending" && row.by !== "human" && row.epoch !== head.epoch) {
		const reason = head.owner === "human" ? "a human owns the call" : "the owner of the call has changed";
		leave(step, address, head, { row, status: "discarded", reason, at: now });
		unsay(step, address, head, row);
		step.save(address, head);
		return { outcome: "discarded", row, reason };
	}
	const unknown = waiting.status === "sending" ? (sender?.unknown ?? now) : undefined;
	const from = unknown !== undefined ? 0 : paced(step, address, options.pace);
	if (from > now) {
		head.outbox.notBefore = from;
		step.save(address, head);
		return { outcome: "later", at: from };
	}
	head.sender = {
		owner: options.owner,
		until: now + options.leaseMs,
		...(by !== undefined && { by }),
		...(unknown !== undefined && { unknown }),
	};
	step.save(address, head);
	if (unknown !== undefined) return { outcome: "unknown", row, since: unknown };
	const attempt = waiting.attempts + 1;
	tx.put(key, { row, status: "sending", attempts: attempt } satisfies Waiting);
	return { outcome: "row", row, attempt };
}

/** Counts one row more to the chat. Returns before when that would be too fast, and then it does not count. */
function paced({ tx, now }: Step, address: AddressKey, pace: ChatPace | undefined): number {
	if (pace === undefined) return 0;
	const { burst, everyMs } = pace;
	const key = paceKey(address);
	const rested = Math.max(tx.get<number>(key) ?? 0, now);
	const from = rested - (burst - 1) * everyMs;
	if (from > now) return from;
	tx.put(key, rested + everyMs);
	tx.put(expiryKey(rested + everyMs, key), 1);
	return 0;
}

export function keep(step: Step, address: AddressKey, { owner, leaseMs }: TakeOptions): boolean {
	const head = step.load(address);
	if (head.sender?.owner !== owner) return false;
	head.sender = { ...head.sender, until: step.now + leaseMs };
	step.save(address, head);
	return true;
}

export function mark(step: Step, address: AddressKey, owner: string, id: string, result: RowResult): void {
	const head = step.load(address);
	const key = numberedKey("out", address, head.outbox.from);
	const waiting = step.tx.get<Waiting>(key);
	if (waiting?.row.id !== id || waiting.status !== "sending" || head.sender?.owner !== owner) return;
	const { row } = waiting;
	switch (result.status) {
		case "sent":
			leave(step, address, head, undefined);
			reached(step, address, head);
			break;
		case "failed":
		case "ambiguous":
			leave(step, address, head, { row, status: result.status, reason: result.reason, at: step.now });
			if (result.status === "failed" && result.unreachable)
				head.unreachable ??= { at: step.now, reason: result.reason };
			break;
		case "retry":
			step.tx.put(key, { ...waiting, status: "pending" } satisfies Waiting);
			head.outbox.notBefore = result.at;
			delete head.sender;
	}
	step.save(address, head);
}

export function amend(step: Step, address: AddressKey, change: Amendment): Amended {
	const { epoch, owner, say = [], append = [] } = change;
	checkAddress(address);
	const head = step.load(address);
	const ids = [...say.map((row) => row.id), ...append.flatMap((entry) => ("id" in entry ? [entry.id] : []))];
	if (ids.length > 0 && ids.every((id) => isSeen(step, address, spokenId(id)))) return "repeated";
	if (epoch !== undefined && epoch !== head.epoch) return "late";
	if (owner !== undefined && owner !== head.owner) {
		head.owner = owner;
		head.epoch += 1;
	}
	remember(step, address, ids.map(spokenId), OWN_DEDUPE_MS);
	for (const row of say) putRow(step, address, head, row);
	appendRows(step, address, head, append);
	step.save(address, head);
	return "made";
}

export function resend(step: Step, address: AddressKey, id: string, as: string): boolean {
	checkAddress(address);
	if (isSeen(step, address, spokenId(as))) return true;
	const marks = step.tx.range<OutboxMark>(under("mark", address));
	const found = marks.findLast(({ value }) => value.row.id === id);
	if (found === undefined) return false;
	const head = step.load(address);
	step.tx.remove(found.key);
	if (marks.length === 1) delete head.marked;
	remember(step, address, [spokenId(as)], OWN_DEDUPE_MS);
	putRow(step, address, head, { ...found.value.row, id: as, epoch: head.epoch });
	step.save(address, head);
	return true;
}

/** Ids of what was said stand apart from the ids of what came in. */
const spokenId = (id: string) => `said ${id}`;

/** Takes the first row away; what waited for it to leave is accepted. */
function leave(step: Step, address: AddressKey, head: Head, left: OutboxMark | undefined): void {
	step.tx.remove(numberedKey("out", address, head.outbox.from));
	head.outbox.from += 1;
	head.outbox.notBefore = 0;
	delete head.sender;
	if (left !== undefined) {
		step.tx.put(numberedKey("mark", address, head.marks), left);
		head.marks += 1;
		head.marked = true;
		if (head.marks > MARKS_KEPT) step.tx.remove(numberedKey("mark", address, head.marks - MARKS_KEPT - 1));
	}
	const ready = head.awaited.filter((each) => each.after <= head.outbox.from);
	head.awaited = head.awaited.filter((each) => each.after > head.outbox.from);
	for (const { item } of ready) acceptOwn(step, head, item);
}
