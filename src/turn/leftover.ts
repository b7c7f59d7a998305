import type { CallRecord } from "../call/call-record.js";
import type { InboxItem, Repeat } from "../call/message.js";
import { noUsage } from "../model/usage.js";
import { newRecord } from "./new-record.js";
import type { TurnInput, TurnResult } from "./turn.js";

/**
 * What to do with an item that has no call to act on: one that only concerns a call which is over. Used up, nothing else.
 * Undefined when the item is worth a turn.
 */
export function leftover(input: TurnInput): TurnResult | undefined {
	const [item] = input.items;
	if (item?.type !== "occurrence" || !concernsNoCall(item, input)) return undefined;
	input.log.info("occurrence.stale", { id: item.id, kind: item.occurrence.kind });
	return {
		consumed: 1,
		record: isTimersClose(item) ? stillOpen(input, item) : (input.record ?? neverBegun(input, item)),
		append: [],
		parts: [],
		timers: [],
		cancel: [],
		changes: [],
		usage: noUsage,
		cost: 0,
		requests: 0,
		events: [],
	};
}

function concernsNoCall(item: Extract<InboxItem, { type: "occurrence" }>, input: TurnInput): boolean {
	const live = input.record !== undefined && input.record.ended === undefined ? input.record : undefined;
	const { occurrence } = item;
	switch (occurrence.kind) {
		case "event":
			if (occurrence.source !== "timer") return false;
			return live === undefined || isOfAnotherCall(item.id, live) || hasStopped(occurrence.repeat, live);
		case "delivered":
			return live === undefined || !occurrence.turn.startsWith(`${live.id}.`);
		case "close":
			if (live === undefined) return true;
			if (occurrence.call !== undefined) return occurrence.call !== live.id;
			return occurrence.reason === "idle" && !isIdle(item.at, live, input);
	}
}

function isTimersClose({ occurrence }: Extract<InboxItem, { type: "occurrence" }>): boolean {
	return occurrence.kind === "close" && occurrence.call === undefined;
}

function isOfAnotherCall(timer: string, live: CallRecord): boolean {
	const setBy = /^(.+)\.\d+\.later\./.exec(timer)?.[1];
	return setBy !== undefined && setBy !== live.id;
}

function hasStopped(repeat: Repeat | undefined, live: CallRecord): boolean {
	return repeat !== undefined && live.repeats?.[repeat.id] !== repeat.by;
}

/** A close that does not hold counts as a turn, and its timer as gone: the quiet is counted from when it began. */
function stillOpen(input: TurnInput, item: InboxItem): CallRecord {
	if (input.record === undefined) return neverBegun(input, item);
	if (input.record.ended !== undefined) return input.record;
	const { idleAt: _, ...record } = input.record;
	return { ...record, turns: record.turns + 1, touchedAt: quietSince(record, input) };
}

/** An idle close is not true where something has happened since its timer was set. */
function isIdle(firedAt: number, live: CallRecord, input: TurnInput): boolean {
	return quietSince(live, input) <= firedAt - input.agent.settings.idleMs;
}

/** When a person or the agent last did something in the call. */
function quietSince({ touchedAt, startedAt }: CallRecord, { history }: TurnInput): number {
	const rows = history.slice(-20);
	const others = rows.filter((row) => row.role === "user" || (row.role === "said" && row.by === "human"));
	return Math.max(touchedAt ?? startedAt, ...(touchedAt === undefined ? rows : others).map((row) => row.at));
}

function neverBegun(input: TurnInput, item: InboxItem): CallRecord {
	const at = input.clock.now();
	return { ...newRecord(input, item, input.newId(), at), ended: { at, reason: "never begun" } };
}
