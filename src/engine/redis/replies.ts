import type { CallRecord } from "../../call/call-record.js";
import type { AddressView, Claimed, Lease, Taken } from "../backend.js";
import { type KnownCall, newest } from "./remembered.js";
import { readHistory, readItem, readMark, readOutbox, readTimer, readUnreachable } from "./rows.js";

/** What scripts answer, read. */

type Text = string | null;

/** Answer of `handedOut`. */
export type HandedOut = [
	fence: string,
	record: Text,
	owner: Text,
	epoch: Text,
	rows: Text,
	history: string[],
	items: string[],
	position: string,
	journal: string[],
	failures: Text,
	deaths: Text,
	/** 1 when record and history are what the caller remembers, and the rows what came since. */
	remembered: number,
];

/** The record without what the head of an address says. */
export function writeRecord({ owner: _owner, epoch: _epoch, rows: _rows, ...record }: CallRecord): string {
	return JSON.stringify(record);
}

function readRecord(text: Text, owner: Text, epoch: Text, rows: Text): CallRecord | undefined {
	if (text === null) return undefined;
	return { ...JSON.parse(text), owner: owner ?? "agent", epoch: Number(epoch ?? 0), rows: Number(rows ?? 0) };
}

/** @param remembered what the caller knew of the call; the reply says whether it builds on that */
export function readClaimed(
	reply: HandedOut,
	lease: Pick<Lease, "address" | "owner">,
	window: number,
	remembered: KnownCall | undefined,
): Claimed {
	const { address, owner } = lease;
	const [fence, text, callOwner, epoch, rows, history, items, position, journal, failures, deaths, builds] = reply;
	const known = builds === 1 ? remembered : undefined;
	const record = readRecord(known === undefined ? text : known.record, callOwner, epoch, rows);
	const came = history.map((row) => readHistory(row, record?.id));
	return {
		outcome: "claimed",
		lease: { address, owner, fence: Number(fence) },
		record,
		history: known === undefined ? came : newest([...known.history, ...came], window),
		items: items.map((item) => readItem(item, address)),
		position: Number(position),
		journal: journal.map((row) => JSON.parse(row)),
		failures: Number(failures ?? 0),
		deaths: Number(deaths ?? 0),
	};
}

/** Answer of `take`. */
export type TakenReply =
	| ["empty"]
	| ["busy" | "later", string]
	| ["row", string, number]
	| ["unknown", string, string]
	| ["discarded", string, string];

export function readTaken(reply: TakenReply): Taken {
	switch (reply[0]) {
		case "empty":
			return { outcome: "empty" };
		case "busy":
			return { outcome: "busy", until: Number(reply[1]) };
		case "later":
			return { outcome: "later", at: Number(reply[1]) };
		case "row":
			return { outcome: "row", row: readOutbox(reply[1]), attempt: reply[2] };
		case "unknown":
			return { outcome: "unknown", row: readOutbox(reply[1]), since: Number(reply[2]) };
		case "discarded":
			return { outcome: "discarded", row: readOutbox(reply[1]), reason: JSON.parse(reply[2]) };
	}
}

/** Answer of `view`. */
export type ViewReply = [
	head: [
		owner: Text,
		epoch: Text,
		rows: Text,
		sending: Text,
		notBefore: Text,
		failures: Text,
		parked: Text,
		unreachable: Text,
	],
	record: Text,
	history: string[],
	waiting: string[],
	outbox: string[],
	marks: string[],
	timers: string[],
];

export function readView(reply: ViewReply, address: string): AddressView {
	const [head, text, history, waiting, outbox, marks, timers] = reply;
	const [owner, epoch, rows, sending, notBefore, failures, parked, unreachable] = head;
	const record = readRecord(text, owner, epoch, rows);
	return {
		address,
		record,
		history: history.map((row) => readHistory(row, record?.id)),
		waiting: waiting.map((item) => readItem(item, address)),
		outbox: outbox.map((row, index) => ({
			row: readOutbox(row),
			status: index === 0 && sending !== null ? "sending" : "pending",
			notBefore: index === 0 ? Number(notBefore ?? 0) : 0,
		})),
		marks: marks.map(readMark),
		timers: timers.flatMap((id, index) => (index % 2 === 0 ? [readTimer(id, timers[index + 1]!, address)] : [])),
		failures: Number(failures ?? 0),
		parked: parked ?? undefined,
		...(unreachable !== null && { unreachable: readUnreachable(unreachable) }),
	};
}
