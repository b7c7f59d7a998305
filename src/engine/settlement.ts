import type { CallRecord } from "../call/call-record.js";
import type { InboxItem } from "../call/message.js";
import type { Channel, Payload } from "../channel/channel.js";
import type { TurnResult } from "../turn/turn.js";
import type { Claim, OutboxRow, Settlement, Timer } from "./backend.js";

type Claimed = Extract<Claim, { outcome: "claimed" }>;

export interface SettlementContext {
	claim: Claimed;
	channel: Channel;
	idleMs: number;
	keep: number;
	now: number;
	/** Of the turn. */
	traceparent?: string | undefined;
}

/** The one timer of the engine itself: a call that stays quiet is closed. */
const IDLE = "idle";

/** What a turn decided, as the backend writes it: parts rendered, its timers and the idle close with it. */
export function settlementOf(result: TurnResult, context: SettlementContext): Settlement {
	const { claim, channel, idleMs, keep, now } = context;
	const trace = context.traceparent === undefined ? {} : { traceparent: context.traceparent };
	const { record } = result;
	const used = claim.items.slice(0, result.consumed);
	const answers = platformOf(used);
	const outbox = result.parts.flatMap(({ id, part, by, epoch }) =>
		channel.render(part).map((payload, index): OutboxRow => {
			const row = { id: `${id}.${index}`, payload, by, epoch, turn: id.slice(0, id.lastIndexOf(".")), ...trace };
			return answers === undefined ? row : { ...row, answers };
		}),
	);
	const moved = record.id !== claim.record?.id || record.turns !== claim.record.turns;
	const idle = moved && idleMs > 0 && record.ended === undefined;
	return {
		through: claim.position + result.consumed,
		record,
		fresh: record.id !== claim.record?.id,
		append: result.append,
		keep,
		outbox,
		// biome-ignore lint/suspicious/noThenProperty: the contract's word for what follows; it is data, never called
		...(result.then === undefined ? {} : { then: { ...result.then, ...trace } }),
		timers: idle ? [...result.timers, idleTimer(claim.lease.address, record, now + idleMs)] : result.timers,
		cancel: record.ended === undefined ? result.cancel : [...result.cancel, IDLE],
	};
}

function idleTimer(address: string, record: CallRecord, at: number): Timer {
	const id = `idle.${record.id}.${record.turns}`;
	return {
		id: IDLE,
		at,
		item: { type: "occurrence", id, address, occurrence: { kind: "close", reason: "idle" }, at },
	};
}

function platformOf(items: readonly InboxItem[]): Payload | undefined {
	const last = items.findLast((item) => item.type === "message");
	return last?.platform as Payload | undefined;
}
