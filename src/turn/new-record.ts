import { parseAddressKey } from "../call/address.js";
import type { CallRecord } from "../call/call-record.js";
import type { Contact, InboxItem } from "../call/message.js";
import type { TurnInput } from "./turn.js";

/**
 * The record of a call that begins with `first`. Epochs go on over the calls of an address, so that rows of the old call
 * are sent or withheld as they were meant.
 */
export function newRecord(input: TurnInput, first: InboxItem, id: string, at: number): CallRecord {
	const old = input.record;
	return {
		v: 1,
		id,
		agent: input.agent.name,
		contact: first.type === "message" ? first.contact : (old?.contact ?? unknownContact(input.address)),
		startedAt: at,
		turns: 0,
		rows: 0,
		state: {},
		owner: "agent",
		epoch: (old?.epoch ?? 0) + (old?.owner === "human" ? 1 : 0),
	};
}

/** Somebody the application speaks to first: all that is known is where. */
function unknownContact(address: string): Contact {
	const { door, chat } = parseAddressKey(address);
	return { id: `${door}:${chat}` };
}
