import type { AddressKey } from "../../call/address.js";
import type { CallRecord } from "../../call/call-record.js";
import type { Step } from "./address-state.js";
import { expiryKey, headKey, recordKey, under, until } from "./keys.js";
import type { Range } from "./store.js";

/** How much one operation clears away: more than it can add, so that what is stored stays bounded. */
const AT_ONCE = 8;

interface EndedCall {
	address: AddressKey;
	call: string;
}

/** Forgets, at `at`, the call that has ended, unless another one has begun by then. */
export function forgetEndedAt(step: Step, at: number, ended: EndedCall): void {
	step.tx.put(expiryKey(at, recordKey(ended.address)), ended);
}

/** Clears away some of what is past its time. */
export function retire(step: Step): void {
	const over = step.tx.range<1 | EndedCall>({ ...until("expire", step.now), limit: AT_ONCE });
	for (const { key, value } of over) {
		step.tx.remove(key);
		if (value === 1) forgetKept(step, key.split(" ").slice(2).join(" "));
		else forgetCall(step, value);
	}
}

/** What is kept until a time, which is all of it or part of it. */
function forgetKept(step: Step, key: string): void {
	const kept = step.tx.get<number | { until: number }>(key);
	const until = typeof kept === "object" ? kept.until : kept;
	if (until !== undefined && until <= step.now) step.tx.remove(key);
}

function forgetCall(step: Step, { address, call }: EndedCall): void {
	const record = step.tx.get<CallRecord>(recordKey(address));
	const head = step.load(address);
	const busy = head.inbox.to > head.inbox.from || head.outbox.to > head.outbox.from || head.lease !== undefined;
	if (record?.id !== call || record.ended === undefined || busy) return;
	for (const kind of ["row", "mark", "journal"]) clear(step, under(kind, address));
	step.tx.remove(recordKey(address));
	const kept = [under("timer", address), under("seen", address)].some((range) => has(step, range));
	const { to } = head.rows;
	const { marked: _marked, ...rest } = head;
	step.save(address, { ...rest, rows: { from: to, base: to, to }, marks: 0, journal: 0, owner: "agent", epoch: 0 });
	if (!kept && head.parked === undefined) step.tx.remove(headKey(address));
}

function has(step: Step, range: Range): boolean {
	return step.tx.range({ ...range, limit: 1 }).length > 0;
}

/** Removes a whole range of keys. */
export function clear(step: Step, range: Range): void {
	for (const { key } of step.tx.range(range)) step.tx.remove(key);
}
