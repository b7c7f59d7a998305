/**
 * Whole turns on a Redis of the bench's own: the class agent, journal, outbox and sender as they ship, beside BullMQ's
 * empty jobs and beside the Vercel Chat SDK doing the same stateful echo. See docs/performance.md.
 */
import { loadavg } from "node:os";
import type { Bench, Row } from "./row.js";
import { direct } from "./turns/direct.js";
import { growth } from "./turns/growth.js";
import { queued } from "./turns/queued.js";
import { startRedis } from "./turns/redis-server.js";
import { trouble } from "./turns/trouble.js";

const bench: Bench = {
	name: "turns",
	async run() {
		const rows: Row[] = [];
		for (const part of [direct, queued, growth, trouble]) {
			const redis = await startRedis();
			try {
				rows.push(...(await part(redis)));
			} finally {
				await redis.stop();
			}
			const [load = 0] = loadavg();
			console.error(`turns: ${part.name} done, load of the machine ${load.toFixed(1)}`);
		}
		return rows;
	},
};
export default bench;
