import type { Next, Settlement } from "../backend.js";
import { idText, paceText, writeHistory, writeItem, writeOutbox, writeTimer } from "./rows.js";

/**
 * A settlement as the script takes it, after the lease; `scripts/settle.ts` says what stands where.
 * @param of.rows how many rows the call had when it was claimed, where that is known
 */
export function settleArguments(
	{ through, record, fresh, append, keep, outbox, then, timers, cancel }: Settlement,
	{ claim, take }: Next,
	{ recordText, rows, keepEndedMs }: { recordText: string; rows: number | ""; keepEndedMs: number },
): (string | number)[] {
	return [
		through,
		keep,
		fresh ? 1 : 0,
		recordText,
		record.owner,
		record.epoch,
		record.ended === undefined ? "" : record.ended.at + keepEndedMs,
		...(claim === undefined ? ["", 0, 0] : [claim.leaseMs, claim.window, claim.items]),
		...(take === undefined ? ["", 0, ""] : [take.owner, take.leaseMs, paceText(take.pace)]),
		...(then === undefined ? ["", ""] : [idText(then.id), writeItem(then)]),
		rows,
		append.length,
		...append.map((entry) => writeHistory(entry, record.id)),
		outbox.length,
		...outbox.map(writeOutbox),
		cancel.length,
		...cancel,
		timers.length,
		...timers.flatMap((timer) => [timer.id, writeTimer(timer)]),
	];
}
