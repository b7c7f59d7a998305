import { join } from "node:path";
import type { Clock } from "../clock.js";
import type { Config } from "../config.js";
import type { Backend } from "../engine/backend.js";
import { embedded, inMemory } from "../engine/embedded/embedded.js";
import { redis } from "../engine/redis/redis.js";
import { CallboardError } from "../errors.js";
import type { Log } from "../observe/log.js";

/**
 * Where calls are kept. `private`: in memory, gone with the process, beside whatever else runs. `embedded`: on disk
 * whatever the settings say. `settings`: as they say.
 * @throws CallboardError `NO_REDIS_URL` when the settings ask for Redis and do not say which
 */
export function chooseBackend(
	kind: "private" | "embedded" | "settings",
	{ config, clock, log }: { config: Config; clock: Clock; log: Log },
): Backend {
	if (kind === "private") return inMemory({ clock, log });
	if (kind === "settings" && config.backend === "redis") {
		if (config.redisUrls !== undefined) return redis({ url: config.redisUrls, clock, log });
		throw new CallboardError("NO_REDIS_URL", "operator", "REDIS_URL is not set", {
			next: "set REDIS_URL=redis://host:6379, or CALLBOARD_BACKEND=embedded to keep calls on this machine's disk",
		});
	}
	return embedded({ path: join(config.data, "store"), clock, log });
}
