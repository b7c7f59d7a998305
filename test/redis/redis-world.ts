import { redis } from "../../src/engine/redis/redis.js";
import type { RedisBackend } from "../../src/engine/redis/redis-backend.js";
import { silentLog } from "../../src/observe/log.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import { leftInRedis } from "../chaos/redis-leftovers.js";
import type { World } from "../engine/scenarios/world.js";

/** Each node of a cluster has some of them; more make hours of a scenario's time long, since each is swept by itself. */
const PARTITIONS = 8;

let worlds = 0;

/** A clock that lets whatever is asked of Redis come back before it goes on. */
class PatientClock extends VirtualClock {
	readonly backends = new Set<RedisBackend>();

	override async settle(): Promise<void> {
		await super.settle();
		for (const backend of this.backends) await backend.idle();
		await super.settle();
	}
}

/**
 * Processes over a real Redis, each with a backend of its own; a prefix of its own for each world.
 * @param nodes the one Redis, or all nodes of a cluster
 */
export function redisWorld(...nodes: readonly { url: string; port: number }[]): World {
	worlds += 1;
	const prefix = `scene${worlds}`;
	const clock = new PatientClock();
	return {
		clock,
		patience: 2_000,
		async left() {
			const found = await Promise.all(nodes.map(({ port }) => leftInRedis(port, prefix)));
			return found.flat();
		},
		backend() {
			const url = nodes.map(({ url }) => url);
			const backend = redis({ url, prefix, partitions: PARTITIONS, clock, log: silentLog });
			clock.backends.add(backend);
			return backend;
		},
	};
}
