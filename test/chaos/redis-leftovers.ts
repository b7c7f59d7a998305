import { Redis } from "ioredis";

/** Lists and sets that are gone when nothing is to be done; see `src/engine/redis/scripts/address.ts`. */
const gone = /^\{p\d+\}:(?:[ts]$|[ijow]:)/;
const head = /^\{p\d+\}:m:/;
/** Fields of a head that stand only while a worker or a sender is at an address. */
const held = ["lo", "lu", "ob", "so", "su"] as const;

/** None here: the queue is on another node of the cluster. */
function elsewhere(error: Error): number {
	if (error.message.startsWith("MOVED")) return 0;
	throw error;
}

/** What an idle Redis still holds that it should not: inboxes, journals, outboxes, leases, wake-ups, failed jobs. */
export async function leftInRedis(port: number, prefix = "cb"): Promise<readonly string[]> {
	const redis = new Redis(port, "127.0.0.1");
	const found: string[] = [];
	try {
		for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1_000 }) as AsyncIterable<string[]>) {
			for (const key of keys) {
				const name = key.slice(prefix.length + 1);
				if (gone.test(name)) found.push(`${key} is still there`);
				if (!head.test(name)) continue;
				const values = await redis.hmget(key, ...held);
				for (const [index, field] of held.entries()) if (values[index]) found.push(`${key} still has ${field}`);
			}
		}
		for (const queue of ["cb-turn", "cb-send"]) {
			const failed = await redis.zcard(`{${prefix}}:${queue}:failed`).catch(elsewhere);
			if (failed > 0) found.push(`${failed} wake-ups of ${queue} failed`);
		}
		return [...new Set(found)];
	} finally {
		redis.disconnect();
	}
}
