import type { AddressKey } from "../call/address.js";
import { CallboardError } from "../errors.js";
import type { Log } from "../observe/log.js";
import type { Stop } from "../turn/stop.js";
import type { Claimed } from "./backend.js";
import type { Door } from "./door.js";
import type { EngineParts } from "./engine-parts.js";
import { isUnavailable } from "./persist.js";
import { rowsOf } from "./settlement.js";

/** A turn that did not come to its end. */
export interface CutTurn {
	address: AddressKey;
	door: Door;
	claim: Claimed;
	log: Log;
	/** Whether the lease is known to be lost, or was given up. */
	stop: Stop;
}

/**
 * Gives back an address whose turn did not come to its end: to be tried again after a while, handed on to another
 * process, or, after too many failures, set aside, with a word to the person.
 */
export async function setBack(parts: EngineParts, turn: CutTurn, error: unknown): Promise<void> {
	const { backend, facts, clock, limits } = parts;
	const { address, door, claim, log } = turn;
	try {
		if (error instanceof CallboardError && error.fault === "lease") {
			log.warn("lease.lost", { error });
			return facts.tell("turn.fenced", address, { door: door.name });
		}
		if (isStopping(error)) {
			log.info("turn.handed-on");
			facts.tell("turn.handed-on", address, { door: door.name });
			return await backend.release(claim.lease, {});
		}
		if (isForeign(error)) {
			log.warn("turn.handed-on", { error });
			facts.tell("turn.handed-on", address, { door: door.name });
			return await backend.release(claim.lease, { retryAt: clock.now() + limits.firstRetryMs });
		}
		if (isUnavailable(error)) {
			log.error("backend.unavailable", { error });
			return await backend.release(claim.lease, { retryAt: clock.now() + limits.firstRetryMs });
		}
		await countFailure(parts, turn, error);
	} catch (failure) {
		if (!turn.stop.aborted) log.error("release.failed", { error: failure });
	}
}

async function countFailure(parts: EngineParts, turn: CutTurn, error: unknown): Promise<void> {
	const { backend, limits, clock, facts } = parts;
	const { address, claim, log, door } = turn;
	const failures = claim.failures + 1;
	const reason = reasonOf(error);
	log.error("turn.failed", { failures, error });
	facts.tell("turn.failed", address, { door: door.name, failures, reason });
	if (failures < limits.failures && !isDeadly(error)) {
		const wait = Math.min(limits.longestRetryMs, limits.firstRetryMs * 2 ** claim.failures);
		return backend.release(claim.lease, { retryAt: clock.now() + wait, failure: reason });
	}
	await apologise(parts, turn);
	await backend.park(claim.lease, reason);
	log.error("call.parked", { reason });
	facts.tell("call.parked", address, { door: door.name, reason });
}

/** Says once, by code, that it did not work; not while a human has the call. */
async function apologise({ backend, clock }: EngineParts, { address, door, claim }: CutTurn): Promise<void> {
	const { record, position } = claim;
	if (record?.owner === "human" && record.ended === undefined) return;
	const part = { kind: "text", text: door.agent.settings.apology } as const;
	const id = `parked.${position}.1`;
	const say = rowsOf(door.channel, { id, part, by: "code", epoch: record?.epoch ?? 0 });
	const open = record !== undefined && record.ended === undefined;
	const row = { role: "said", id, part, by: "code", at: clock.now() } as const;
	await backend.amend(address, { say, ...(open ? { append: [row] } : {}) });
}

/** The reason for which a stopping process ends its turns. */
export function stopping(): CallboardError {
	return new CallboardError("WORKER_STOPPING", "operator", "this process is stopping and hands its turns on");
}

/** How long after it came in an item is left to processes that may know its call's stage, ms. */
const FOREIGN_MS = 30_000;

/**
 * Whether the call stands in a stage that this process's agent has not, and another process may run the version that put
 * it there. When none does within half a minute, the call begins anew.
 */
export function mayBeForeign({ backend, clock }: EngineParts, { agent }: Door, { record, items }: Claimed): boolean {
	if (backend.hold === undefined || record === undefined || record.ended !== undefined) return false;
	if (agent.knows?.(record.state) !== false) return false;
	const [first] = items;
	const came = first?.type === "message" ? (first.acceptedAt ?? first.sentAt) : first?.at;
	return clock.now() - (came ?? 0) < FOREIGN_MS;
}

/** Why a turn is left to another process. */
export function foreign(): CallboardError {
	return new CallboardError(
		"STAGE_FOREIGN",
		"operator",
		"the call stands in a stage that this version of its agent has not",
		{
			next: "end the processes of the older version; where no version has it, the call begins anew after half a minute",
		},
	);
}

/** Why a turn is not run again in which processes keep dying. */
export function deadly(deaths: number): CallboardError {
	return new CallboardError("TURN_DEADLY", "author", `its process died ${deaths} times in this turn`, {
		next: "look into the logs of those processes for what killed them",
	});
}

function isDeadly(error: unknown): boolean {
	return error instanceof CallboardError && error.code === "TURN_DEADLY";
}

function isForeign(error: unknown): boolean {
	return error instanceof CallboardError && error.code === "STAGE_FOREIGN";
}

function isStopping(error: unknown): boolean {
	return error instanceof CallboardError && error.code === "WORKER_STOPPING";
}

/** Why a turn failed, without what anybody said: a thrown error's own words may quote them. */
function reasonOf(error: unknown): string {
	if (error instanceof CallboardError) return error.explain();
	return error instanceof Error
		? `${error.name} in the turn; the log has its text`
		: "the turn threw something that is no error";
}
