import { redis } from "../../src/engine/redis/redis.js";
import type { RedisBackend } from "../../src/engine/redis/redis-backend.js";
import { silentLog } from "../../src/observe/log.js";
import { type BackendUnderTest, backendConformance } from "../../src/testing/backend-conformance.js";
import { JumpClock } from "./jump-clock.js";

/** Holds the backend to the contract over the Redis at `url()`; each test has a prefix of its own. */
export function redisConformance(name: string, url: () => string, skip: BackendUnderTest["skip"] = []): void {
	let stores = 0;
	backendConformance({
		name,
		manyProcesses: true,
		skip,
		make() {
			stores += 1;
			const prefix = `test${stores}`;
			const open = new Set<RedisBackend>();
			const clock = new JumpClock(async () => {
				for (const backend of open) await backend.idle();
			});
			return {
				clock,
				async open() {
					const backend = redis({ url: url(), prefix, clock, log: silentLog });
					open.add(backend);
					await backend.open();
					return backend;
				},
			};
		},
	});
}
