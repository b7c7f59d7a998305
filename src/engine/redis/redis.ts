import type { Clock } from "../../clock.js";
import type { Log } from "../../observe/log.js";
import { RedisBackend } from "./redis-backend.js";

export interface RedisOptions {
	/** `redis://` or `rediss://` of one Redis, or of any node of a cluster; several nodes, so that one may be down. */
	url: string | readonly string[];
	/** Begins all keys; two prefixes are two separate sets of calls. Default `cb`. */
	prefix?: string;
	/** Into how many parts addresses are spread on a cluster. Must not change while calls are stored. Default 64. */
	partitions?: number;
	/** How long an ended call can still be looked at, ms. Default 30 days. */
	keepEndedMs?: number;
	/**
	 * With the system's clock, the end of a lease and what is due are judged by Redis' own time, so that processes whose
	 * clocks differ agree. A test's clock is followed instead.
	 */
	clock: Clock;
	log: Log;
}

const KEEP_ENDED_MS = 30 * 24 * 3_600_000;

/**
 * The backend for production and for many processes: calls in a Redis (6.2 or newer, `noeviction`, append-only file
 * on) or a Redis Cluster, woken by BullMQ. `open` throws `BACKEND_UNAVAILABLE` when Redis does not answer,
 * `REDIS_UNFIT` when it would lose calls, `REDIS_FORMAT` when what it holds is of another format.
 */
export function redis(options: RedisOptions): RedisBackend {
	const { url, prefix = "cb", partitions = 64, keepEndedMs = KEEP_ENDED_MS, clock, log } = options;
	const urls = typeof url === "string" ? [url] : url;
	return new RedisBackend({ urls, prefix, partitions, keepEndedMs, clock, log });
}
