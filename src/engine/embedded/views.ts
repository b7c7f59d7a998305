import type { AddressKey } from "../../call/address.js";
import type { HistoryEntry } from "../../call/history.js";
import type { InboxItem } from "../../call/message.js";
import type { AddressView, OutboxMark, Timer } from "../backend.js";
import { loadHead, loadRecord } from "./address-state.js";
import { between, type Index, lastWord, under } from "./keys.js";
import type { Waiting } from "./outbox.js";
import type { Range, Reading } from "./store.js";

export function view(tx: Reading, address: AddressKey, options: { history: number }, now: number): AddressView {
	const head = loadHead(tx, address, now);
	const oldest = Math.max(head.rows.base, head.rows.from, head.rows.to - options.history);
	const values = <T>(range: Range) => tx.range<T>(range).map(({ value }) => value);
	return {
		address,
		record: loadRecord(tx, address, head),
		history: values<HistoryEntry>(between("row", address, oldest, head.rows.to)),
		waiting: values<InboxItem>(under("in", address)),
		outbox: values<Waiting>(under("out", address)).map(({ row, status }, index) => ({
			row,
			status,
			notBefore: index === 0 ? head.outbox.notBefore : 0,
		})),
		marks: values<OutboxMark>(under("mark", address)),
		timers: values<Timer>(under("timer", address)),
		failures: head.failures,
		parked: head.parked,
		...(head.unreachable && { unreachable: head.unreachable }),
	};
}

const INDEX: Record<"waiting" | "parked" | "outbox" | "marked", Index> = {
	waiting: "turns",
	parked: "parked",
	outbox: "sends",
	marked: "marked",
};

export interface ListOptions {
	limit: number;
	after?: AddressKey;
	only?: keyof typeof INDEX;
}

export function list(tx: Reading, { limit, after, only }: ListOptions): readonly AddressKey[] {
	const index = only === undefined ? "head" : INDEX[only];
	const all = under(index);
	const from = after === undefined ? all.from : `${index} ${after} `;
	return tx.range({ from, to: all.to, limit }).map(({ key }) => lastWord(key));
}
