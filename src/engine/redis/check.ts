import { Redis } from "ioredis";

/** One thing found about a Redis. */
export interface RedisFinding {
	verdict: "ok" | "warn" | "fail";
	/** In words, without the URL, which may hold a password. */
	says: string;
	/** What to do about it. */
	next?: string;
	/** Set when it is no property of the Redis but that it does not answer. */
	unreachable?: true;
}

export interface RedisLook {
	findings: readonly RedisFinding[];
	/** Whether it is a node of a cluster. */
	cluster: boolean;
}

const CONNECT_MS = 3000;
const OLDEST = [6, 2] as const;

/**
 * Looks whether a Redis can be trusted with conversations: reachable, new enough, writable, never evicting, persistent.
 * Never rejects: what stands in the way is a finding.
 */
export async function checkRedis(url: string): Promise<readonly RedisFinding[]> {
	return (await lookAtRedis(url)).findings;
}

/** The same, and what kind of Redis it is. Waits while it reads its data from disk. */
export async function lookAtRedis(url: string): Promise<RedisLook> {
	const name = decodeURIComponent(new URL(url).pathname.slice(1)) || "0";
	if (!/^\d{1,9}$/.test(name)) return { findings: [noDatabase(name)], cluster: false };
	const redis = new Redis(url, {
		lazyConnect: true,
		connectTimeout: CONNECT_MS,
		commandTimeout: CONNECT_MS,
		retryStrategy: () => null,
		maxRetriesPerRequest: 0,
		enableOfflineQueue: false,
	});
	let failure: unknown;
	redis.on("error", (error) => {
		failure = error;
	});
	try {
		await redis.connect();
		const info = parseInfo(await redis.info());
		const cluster = info.get("cluster_enabled") === "1";
		const sync = await redis.config("GET", "appendfsync").catch(() => []);
		info.set("appendfsync", String((sync as readonly unknown[])[1] ?? "unknown"));
		return { findings: [...(await database(redis, name, cluster)), ...judge(info)], cluster };
	} catch (error) {
		return { findings: [unreachable(failure ?? error)], cluster: false };
	} finally {
		redis.disconnect();
	}
}

/** The client says nothing of a database that there is not, and goes on in the first one. */
async function database(redis: Redis, name: string, cluster: boolean): Promise<RedisFinding[]> {
	if (name === "0") return [];
	if (cluster) {
		const next = "take it out of REDIS_URL; calls of several projects go to clusters of their own";
		return [{ verdict: "fail", says: `a Redis Cluster has no database ${name}, only 0`, next }];
	}
	const answer = await redis.select(Number(name)).catch(() => undefined);
	return [answer === "OK" ? { verdict: "ok", says: `database ${name}` } : noDatabase(name)];
}

function noDatabase(name: string): RedisFinding {
	const next = "name another number behind the last / of REDIS_URL, or raise `databases` in redis.conf";
	return { verdict: "fail", says: `this Redis has no database ${name}`, next };
}

function unreachable(error: unknown): RedisFinding {
	const said = error instanceof Error ? error.message : "";
	if (/NOAUTH|WRONGPASS|invalid password/i.test(said)) {
		return { verdict: "fail", says: "Redis wants another password", next: "correct the password in REDIS_URL" };
	}
	const code = (error as { code?: unknown }).code;
	const why = typeof code === "string" ? ` (${code})` : "";
	return {
		verdict: "fail",
		says: `Redis cannot be reached${why}`,
		next: "start it, or correct host and port in REDIS_URL",
		unreachable: true,
	};
}

function judge(info: ReadonlyMap<string, string>): RedisFinding[] {
	return [version(info), role(info), policy(info), persistence(info)];
}

function version(info: ReadonlyMap<string, string>): RedisFinding {
	const found = info.get("redis_version") ?? "0";
	const [major = 0, minor = 0] = found.split(".").map(Number);
	if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]))
		return { verdict: "ok", says: `Redis ${found}` };
	return { verdict: "fail", says: `Redis ${found} is too old`, next: `update it to ${OLDEST.join(".")} or newer` };
}

function role(info: ReadonlyMap<string, string>): RedisFinding {
	if (info.get("role") !== "slave" || info.get("cluster_enabled") === "1")
		return { verdict: "ok", says: "Redis takes writes" };
	return {
		verdict: "fail",
		says: "this Redis is a read-only replica",
		next: "put the primary's address into REDIS_URL",
	};
}

function policy(info: ReadonlyMap<string, string>): RedisFinding {
	const found = info.get("maxmemory_policy") ?? "unknown";
	if (found === "noeviction") return { verdict: "ok", says: "maxmemory-policy is noeviction" };
	return {
		verdict: "fail",
		says: `maxmemory-policy is ${found}, so that Redis may throw conversations away`,
		next: "set `maxmemory-policy noeviction` in redis.conf",
	};
}

function persistence(info: ReadonlyMap<string, string>): RedisFinding {
	if (info.get("aof_enabled") === "1") {
		const says = `the append-only file is on, appendfsync ${info.get("appendfsync")}`;
		if (info.get("appendfsync") === "always") return { verdict: "ok", says };
		return { verdict: "ok", says, next: "set `appendfsync always` where a crash may not even lose two seconds" };
	}
	return {
		verdict: "warn",
		says: "the append-only file is off, so that a restart of Redis loses messages",
		next: "set `appendonly yes` in redis.conf",
	};
}

function parseInfo(text: string): Map<string, string> {
	return new Map(
		text.split("\r\n").flatMap((line) => {
			const at = line.indexOf(":");
			return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
		}),
	);
}
