import type { AddressKey } from "../../call/address.js";
import type { HistoryEntry } from "../../call/history.js";
import type { OutboxRow } from "../backend.js";
import type { Head, Step } from "./address-state.js";
import { between, numberedKey } from "./keys.js";

/**
 * Takes a part out of the history when the first piece of it is withheld: model and page would read it as said. Of a part
 * begun to be sent all stays. The caller saves the head.
 */
export function unsay(step: Step, address: AddressKey, head: Head, { id }: OutboxRow): void {
	const { rows } = head;
	const part = /^(.+)\.0$/.exec(id)?.[1];
	const stored = step.tx.range<HistoryEntry>(between("row", address, Math.max(rows.base, rows.from), rows.to));
	const found = stored.findLastIndex(({ value }) => value.role === "said" && value.id === part);
	if (found === -1) return;
	rows.to -= 1;
	for (const [index, { key }] of stored.entries()) {
		const behind = stored[index + 1];
		if (index >= found && behind !== undefined) step.tx.put(key, behind.value);
	}
	step.tx.remove(numberedKey("row", address, rows.to));
}
