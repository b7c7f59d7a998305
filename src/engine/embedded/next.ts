import type { AddressKey } from "../../call/address.js";
import type { InboxItem } from "../../call/message.js";
import type { Accepted } from "../../channel/channel.js";
import type {
	AcceptLimits,
	Claimed,
	ClaimOptions,
	Lease,
	Next,
	RowResult,
	Settled,
	Settlement,
	Taken,
	TakeOptions,
} from "../backend.js";
import type { Step } from "./address-state.js";
import * as inbox from "./inbox.js";
import * as outbox from "./outbox.js";
import * as turns from "./turns.js";

/** The operations that go on to the next thing in the same step. */

export function acceptAndClaim(
	step: Step,
	item: InboxItem,
	limits: AcceptLimits,
	claim: ClaimOptions,
): Accepted & { claimed?: Claimed } {
	const accepted = inbox.accept(step, item, limits);
	const claimed = accepted.outcome === "accepted" ? turns.claimNow(step, item.address, claim) : undefined;
	return claimed === undefined ? accepted : { ...accepted, claimed };
}

export function settle(step: Step, lease: Lease, settlement: Settlement, keepEndedMs: number, next: Next): Settled {
	const first = turns.settle(step, lease, settlement, keepEndedMs);
	const claimed = next.claim && (first ? turns.claimNext : turns.claimedAfter)(step, lease, next.claim);
	const taken = next.take && outbox.take(step, lease.address, next.take, `settled ${lease.fence}`);
	return { ...(claimed && { claimed }), ...(taken && { taken }) };
}

export function mark(
	step: Step,
	address: AddressKey,
	owner: string,
	row: string,
	result: RowResult,
	next: Omit<TakeOptions, "owner"> | undefined,
): Taken | undefined {
	outbox.mark(step, address, owner, row, result);
	return next && outbox.take(step, address, { owner, ...next }, `marked ${row}`);
}
