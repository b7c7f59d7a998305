import type { Next, Settlement } from "../backend.js";
import { idText, paceText, writeHistory, writeItem, writeOutbox, writeTimer } from "./rows.js";

const NONE = -1;

/**
 * A settlement as the script takes it, after the lease; `scripts/settle.ts` says what stands where.
 * @param of.rows how many rows the call had when it was claimed, where that is known
 */
export function settleArguments(
	{ through, record, fresh, append, keep, outbox, then, timers, cancel }: Settlement,
	{ claim, take }: Next,
	{ recordText, rows, keepEndedMs }: { recordText: string; rows: number | undefined; keepEndedMs: number },
): string[] {
	const terms = numbers(
		through,
		keep,
		fresh ? 1 : 0,
		record.epoch,
		record.ended === undefined ? NONE : record.ended.at + keepEndedMs,
		...(claim === undefined ? [NONE, 0, 0] : [claim.leaseMs, claim.window, claim.items]),
		take?.leaseMs ?? 0,
		rows ?? NONE,
		append.length,
		outbox.length,
		cancel.length,
		timers.length,
	);
	return [
		terms,
		recordText,
		record.owner,
		...(take === undefined ? ["", ""] : [take.owner, paceText(take.pace)]),
		...(then === undefined ? ["", ""] : [idText(then.id), writeItem(then)]),
		...append.map((entry) => writeHistory(entry, record.id)),
		...outbox.map(writeOutbox),
		...cancel,
		...timers.flatMap((timer) => [timer.id, writeTimer(timer)]),
	];
}

/** Several numbers as one argument. */
export function numbers(...all: readonly number[]): string {
	return all.map(Math.round).join(" ");
}
