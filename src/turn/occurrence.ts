import type { Outcome } from "../agent/declaration.js";
import type { CallRecord } from "../call/call-record.js";
import type { HistoryEntry } from "../call/history.js";
import type { InboxItem, Occurrence } from "../call/message.js";
import { noUsage } from "../model/usage.js";
import { endCall } from "./end-call.js";
import { perform } from "./perform.js";
import type { TurnInput, TurnResult } from "./turn.js";
import type { Decision, TurnDraft } from "./turn-draft.js";

/** Handles a fact that nobody said. The model is asked only where the agent's code wants it to speak. */
export async function occur(draft: TurnDraft, { occurrence }: Occurrence): Promise<Decision> {
	switch (occurrence.kind) {
		case "close":
			await endCall(draft, occurrence.reason);
			return "rest";
		case "delivered": {
			const data = { turn: occurrence.turn };
			draft.event("bot.finished", data);
			draft.told.push({ session: draft.session, name: "bot.finished", data });
			if (draft.record.ending !== undefined) await endCall(draft, draft.record.ending.reason);
			return "rest";
		}
		case "event":
			perform(draft, await handled(draft, occurrence));
			return draft.guided ? "ask" : "rest";
	}
}

/** `onEvent` of one event. A throw discards its writes, is logged, and stops neither the call nor what waits behind it. */
async function handled(
	draft: TurnDraft,
	{ name, data, source }: Extract<Occurrence["occurrence"], { kind: "event" }>,
): Promise<Outcome> {
	const { session, input, recorder } = draft;
	return recorder.hooked(`event:${name}`, async () => {
		const nothing: Outcome = { changes: [], acts: [] };
		try {
			const outcome = await session.event(name, data, source, input.signal);
			if (outcome === undefined) draft.log.warn("event.undeclared", { name, source });
			return outcome ?? nothing;
		} catch (error) {
			if (input.signal.aborted) throw input.signal.reason;
			draft.log.error("event.failed", { name, error });
			return nothing;
		}
	});
}

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
		record: item.occurrence.kind === "close" ? stillOpen(input) : (input.record ?? neverBegun(input)),
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
			return occurrence.source === "timer" && (live === undefined || isOfAnotherCall(item.id, live));
		case "delivered":
			return live === undefined || (live.ending === undefined && !occurrence.turn.startsWith(`${live.id}.`));
		case "close":
			return live === undefined || (occurrence.reason === "idle" && !isIdle(item.at, live, input));
	}
}

function isOfAnotherCall(timer: string, live: CallRecord): boolean {
	const setBy = /^(.+)\.\d+\.later\./.exec(timer)?.[1];
	return setBy !== undefined && setBy !== live.id;
}

/** A close that does not hold counts as a turn, so that whoever watches for quiet begins to count anew. */
function stillOpen(input: TurnInput): CallRecord {
	if (input.record === undefined) return neverBegun(input);
	return input.record.ended === undefined ? { ...input.record, turns: input.record.turns + 1 } : input.record;
}

/** An idle close that fired just as somebody wrote is no longer true once they were answered. */
function isIdle(firedAt: number, live: CallRecord, input: TurnInput): boolean {
	const newest = Math.max(live.startedAt, ...input.history.slice(-20).map((row: HistoryEntry) => row.at));
	return newest <= firedAt - input.agent.settings.idleMs;
}

function neverBegun(input: TurnInput): CallRecord {
	const at = input.clock.now();
	return {
		v: 1,
		id: input.newId(),
		agent: input.agent.name,
		contact: { id: "nobody" },
		startedAt: at,
		turns: 0,
		rows: 0,
		state: {},
		owner: "agent",
		epoch: 0,
		ended: { at, reason: "never begun" },
	};
}
