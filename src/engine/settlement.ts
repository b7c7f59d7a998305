import type { CallRecord } from "../call/call-record.js";
import type { HistoryEntry } from "../call/history.js";
import type { InboxItem } from "../call/message.js";
import type { Part } from "../call/part.js";
import type { Channel, Payload } from "../channel/channel.js";
import { keepsQuiet } from "../turn/settle.js";
import type { SpokenPart, TurnResult } from "../turn/turn.js";
import { type Claimed, LATER, type OutboxRow, type Settlement, type Timer } from "./backend.js";

export interface SettlementContext {
	claim: Claimed;
	/** What the turn knew to wait, of which it used up the first. */
	items: readonly InboxItem[];
	channel: Channel;
	idleMs: number;
	keep: number;
	now: number;
	/** Of the turn. */
	traceparent?: string | undefined;
	/** Messages behind those used up that nobody will read, and what the person is told of it. */
	unread?: { messages: number; say?: string };
}

/** The one timer of the engine itself: a call that stays quiet is closed. */
const IDLE = "idle";
/** Timers of the agent's author stand apart from it, whatever they are called. */
const own = (id: string) => `${LATER}${id}`;

/** What a turn decided, as the backend writes it: parts rendered, its timers and the idle close with it. */
export function settlementOf(result: TurnResult, context: SettlementContext): Settlement {
	const { claim, items, channel, idleMs, keep, now, unread } = context;
	const trace = context.traceparent === undefined ? {} : { traceparent: context.traceparent };
	const { record } = result;
	const used = items.slice(0, result.consumed);
	const answers = platformOf(used);
	const notice = unread?.say === undefined ? undefined : noticeOf(unread.say, claim, record, now);
	const parts = notice === undefined ? result.parts : [...result.parts, notice.spoken];
	const outbox = parts
		.flatMap((part) => rowsOf(channel, part))
		.map((row) => ({ ...row, ...trace, ...(answers === undefined ? {} : { answers }) }));
	const moved = record.id !== claim.record?.id || record.turns !== claim.record.turns;
	const stirred = moved && !(used.length > 0 && used.every(keepsQuiet));
	const idle = stirred && idleMs > 0 && record.ended === undefined;
	const idleAt = idle ? idleFrom(record, (record.touchedAt ?? now) + idleMs) : undefined;
	const timers = result.timers.map((timer) => ({ ...timer, id: own(timer.id) }));
	const cancel = result.cancel.map(own);
	return {
		through: claim.position + result.consumed + (unread?.messages ?? 0),
		record: idleAt === undefined ? record : { ...record, idleAt },
		fresh: record.id !== claim.record?.id,
		append: notice === undefined ? result.append : [...result.append, notice.row],
		keep,
		outbox: ends(record, claim) ? withEnd(outbox, record.ended?.reason ?? "") : outbox,
		// biome-ignore lint/suspicious/noThenProperty: the contract's word for what follows; it is data, never called
		...(result.then === undefined ? {} : { then: { ...result.then, ...trace } }),
		timers: idleAt === undefined ? timers : [...timers, idleTimer(claim.lease.address, record, idleAt)],
		cancel: record.ended === undefined ? cancel : [...cancel, IDLE],
	};
}

/** Whether a turn that leaves the call like this has ended it. */
export function ends(record: CallRecord, { record: before }: Claimed): boolean {
	return record.ended !== undefined && (record.id !== before?.id || before.ended === undefined);
}

/** What has to be sent for one part. */
export function rowsOf(channel: Channel, { id, part, by, epoch }: SpokenPart): OutboxRow[] {
	const turn = id.slice(0, id.lastIndexOf("."));
	return channel.render(part).map((payload, index) => ({ id: `${id}.${index}`, payload, by, epoch, turn }));
}

function withEnd(rows: readonly OutboxRow[], reason: string): OutboxRow[] {
	return rows.map((row, index) => (index === rows.length - 1 ? { ...row, ends: reason } : row));
}

function noticeOf(text: string, { position }: Claimed, { epoch }: CallRecord, at: number) {
	const part: Part = { kind: "text", text };
	const spoken: SpokenPart = { id: `unread.${position}.1`, part, by: "code", epoch };
	const row: HistoryEntry = { role: "said", id: spoken.id, part, by: "code", at };
	return { spoken, row };
}

/**
 * When the idle timer has to be set for; undefined while one stands that looks in time. So a call in which much is said
 * sets it once in a while instead of in every turn: the timer finds that it came early, and is set anew.
 */
function idleFrom({ idleAt }: CallRecord, due: number): number | undefined {
	return idleAt !== undefined && idleAt <= due ? undefined : due;
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
