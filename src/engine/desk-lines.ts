import type { CallRecord } from "../call/call-record.js";
import type { AddressView } from "./backend.js";
import type { CallLine, CallState, OutboxLine } from "./desk.js";

/** Undefined for an address at which nothing is known but which messages were seen. */
export function lineOf(view: AddressView): CallLine | undefined {
	const { address, record, waiting, outbox, marks, parked, unreachable } = view;
	if (record === undefined && waiting.length === 0 && parked === undefined) return undefined;
	const about = parked ?? record?.ended?.reason ?? (record?.owner === "human" ? record.forwarded?.to : undefined);
	return {
		address,
		...(record && { call: record.id, agent: record.agent }),
		owner: record?.owner ?? "agent",
		state: stateOf(record, parked),
		...(about === undefined ? {} : { about }),
		...(unreachable && { unreachable }),
		turns: record?.turns ?? 0,
		waiting: waiting.length,
		unsent: outbox.length,
		marks: marks.length,
	};
}

function stateOf(record: CallRecord | undefined, parked: string | undefined): CallState {
	if (parked !== undefined) return "parked";
	if (record?.ended !== undefined) return "ended";
	return record?.owner === "human" ? "forwarded" : "open";
}

/** Rows that wait to be sent. */
export function unsentOf({ address, outbox }: AddressView): OutboxLine[] {
	return outbox.map(({ row, status, notBefore }) => {
		return { address, row: row.id, status, ...(notBefore > 0 && { at: notBefore }) };
	});
}

/** Rows that left otherwise than sent. */
export function markedOf({ address, marks }: AddressView): OutboxLine[] {
	return marks.map(({ row, status, reason, at }) => ({ address, row: row.id, status, reason, at }));
}
