import type { InboxItem } from "../../src/call/message.js";
import { systemClock } from "../../src/clock.js";
import type { Claimed, OutboxRow, Settlement } from "../../src/engine/backend.js";
import { redis } from "../../src/engine/redis/redis.js";
import type { RedisBackend } from "../../src/engine/redis/redis-backend.js";
import { type Log, silentLog } from "../../src/observe/log.js";

export const limits = { inbox: 1_000, dedupeMs: 7 * 24 * 3_600_000 };
export const terms = { leaseMs: 2_000, window: 60, items: 100 };
export const sent = { status: "sent", platformId: "p" } as const;

/** A backend on the system's clock, open. */
export async function opened(
	url: string | readonly string[],
	prefix: string,
	log: Log = silentLog,
): Promise<RedisBackend> {
	const backend = redis({ url, prefix, clock: systemClock, log });
	await backend.open();
	return backend;
}

export function message(address: string, id: string, text = `text of ${id}`): InboxItem {
	return { type: "message", id, address, contact: { id: "web:ana" }, content: { kind: "text", text }, sentAt: 0 };
}

/** What an agent decides that repeats each message: a row of history and one to send for each. */
export function echo({ record, items, position }: Claimed): Settlement {
	const turns = (record?.turns ?? 0) + 1;
	const said = items.map(
		(item, index): OutboxRow => ({
			id: `call-1.${turns}.${index}`,
			payload: { text: item.id },
			by: "model",
			epoch: record?.epoch ?? 0,
			turn: `call-1.${turns}`,
		}),
	);
	return {
		through: position + items.length,
		record: {
			v: 1,
			id: "call-1",
			agent: "echo",
			contact: { id: "web:ana" },
			startedAt: 0,
			turns,
			rows: 0,
			state: {},
			owner: record?.owner ?? "agent",
			epoch: record?.epoch ?? 0,
		},
		fresh: record === undefined,
		append: items.map(({ id }) => ({ role: "user", id, content: { kind: "text", text: id }, at: 0 })),
		keep: 1_000,
		outbox: said,
		timers: [],
		cancel: [],
	};
}
