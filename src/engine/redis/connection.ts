import { Cluster, Redis, type RedisOptions } from "ioredis";
import { type Clock, systemClock } from "../../clock.js";
import type { Log } from "../../observe/log.js";
import type { Script } from "./scripts/script.js";
import { classOf, isScriptFault, notOpen, storeFault, unavailable } from "./unavailable.js";

/** A client of one server or of a cluster: both speak the same commands. */
export type Client = Redis | Cluster;

/** How long one operation may take before its outcome counts as unknown, ms. */
const ANSWER_MS = 3_000;
/** After how long without a connection operations are refused at once, ms. */
const GIVE_UP_MS = 1_000;
/** A socket on which an answer is due is dead after so much silence, ms. */
const SILENCE_MS = 5_000;
const LONGEST_RETRY_MS = 500;
/** How often operations without an answer are looked at, ms. */
const LOOK_MS = 250;

interface Pending {
	/** When its outcome counts as unknown. */
	until: number;
	giveUp: () => void;
}

const common = {
	maxRetriesPerRequest: null,
	connectTimeout: 3_000,
	socketTimeout: SILENCE_MS,
	keepAlive: 5_000,
};

const retry = (times: number) => Math.min(LONGEST_RETRY_MS, 50 * 2 ** Math.min(times, 5));

/** Makes clients of one Redis or of one cluster. */
export function connect(urls: readonly string[], cluster: boolean): Client {
	const [first = ""] = urls;
	if (!cluster) return connectOne(first);
	return new Cluster([...urls], {
		redisOptions: { ...common, ...accessOf(first) },
		clusterRetryStrategy: retry,
		retryDelayOnFailover: 100,
		slotsRefreshTimeout: 2_000,
	});
}

/**
 * Where the primary has become a replica, its address may soon be another's, so that it connects anew: once for all
 * answers of that kind.
 */
function connectOne(url: string): Redis {
	let leftAt = 0;
	const reconnectOnError = ({ message }: Error) => {
		if (!message.includes("READONLY") || systemClock.now() - leftAt < LONGEST_RETRY_MS) return false;
		leftAt = systemClock.now();
		return true;
	};
	return new Redis(url, { ...common, retryStrategy: retry, reconnectOnError });
}

/** What the nodes that a cluster names by itself are reached with. */
function accessOf(url: string): Pick<RedisOptions, "username" | "password" | "tls"> {
	const { username, password, protocol } = new URL(url);
	return {
		...(username !== "" && { username: decodeURIComponent(username) }),
		...(password !== "" && { password: decodeURIComponent(password) }),
		...(protocol === "rediss:" && { tls: {} }),
	};
}

/**
 * The connection over which operations go. A lost connection is logged once, and once when it is back; while it is
 * lost, operations fail soon instead of piling up.
 */
export class Connection {
	readonly client: Client;
	readonly #log: Log;
	/** Empty in production: then Redis' own time counts. */
	readonly #now: () => string;
	#lostAt: number | undefined;
	#cause = "CLOSED";
	#closed = false;
	/** Operations without an answer yet, in the order in which they began. */
	readonly #pending = new Set<Pending>();
	#watching = false;
	#whenIdle: (() => void)[] = [];

	constructor(client: Client, { clock, log }: { clock: Clock; log: Log }) {
		this.client = client;
		this.#log = log;
		this.#now = clock === systemClock ? () => "" : () => String(clock.now());
		client.on("error", (error) => {
			this.#cause = classOf(error);
		});
		client.on("close", () => this.#lost());
		client.on("ready", () => this.#back());
	}

	/** Whether the connection is there. */
	get up(): boolean {
		return this.#lostAt === undefined;
	}

	/**
	 * Runs a script; its first two arguments are the time and, for all that concern one, the address.
	 * @throws CallboardError `BACKEND_UNAVAILABLE`; `STORE_FAULT` when the script itself failed, as it would again
	 */
	run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
		if (this.#closed) return Promise.reject(notOpen());
		if (this.#lostAt !== undefined && systemClock.now() - this.#lostAt > GIVE_UP_MS)
			return Promise.reject(unavailable(this.#cause));
		return new Promise((resolve, reject) => {
			const fail = (error: unknown) => {
				this.#over(pending);
				if (!isScriptFault(error)) reject(unavailable(classOf(error)));
				else reject(storeFault(script.name, classOf(error), keys.length === 1 ? keys[0] : undefined));
			};
			const pending: Pending = {
				until: systemClock.now() + ANSWER_MS,
				giveUp: () => fail(new TooSlow("no answer in time")),
			};
			this.#pending.add(pending);
			this.#watch();
			this.#send(script, keys, [this.#now(), ...args]).then((answer) => {
				this.#over(pending);
				resolve(answer);
			}, fail);
		});
	}

	#over(pending: Pending): void {
		if (!this.#pending.delete(pending) || this.#pending.size > 0 || this.#whenIdle.length === 0) return;
		for (const resolve of this.#whenIdle.splice(0)) resolve();
	}

	/** Resolves when no operation is under way. */
	idle(): Promise<void> {
		return this.#pending.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenIdle.push(resolve));
	}

	/** Waits for what is under way, as long as Redis is there. */
	async close(): Promise<void> {
		this.#closed = true;
		if (this.up) await this.idle();
		this.client.disconnect();
	}

	#send(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
		this.#together();
		return this.client.evalsha(script.sha, keys.length, ...keys, ...args).catch((error) => {
			if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
			return this.client.eval(script.lua, keys.length, ...keys, ...args);
		});
	}

	/** One look for all operations that wait, so that each costs no timer of its own. */
	#watch(): void {
		if (this.#watching) return;
		this.#watching = true;
		systemClock.after(LOOK_MS, () => {
			this.#watching = false;
			const now = systemClock.now();
			for (const pending of this.#pending) {
				if (pending.until > now) break;
				pending.giveUp();
			}
			if (this.#pending.size > 0) this.#watch();
		});
	}

	/** Operations begun in one round of the event loop go out in one write. */
	#together(): void {
		if (this.client instanceof Cluster || this.client.status !== "ready") return;
		const { stream } = this.client;
		if (stream.writableCorked > 0) return;
		stream.cork();
		setImmediate(() => stream.uncork());
	}

	#lost(): void {
		if (this.#closed || this.#lostAt !== undefined) return;
		this.#lostAt = systemClock.now();
		this.#log.warn("redis.lost", { cause: this.#cause });
	}

	#back(): void {
		if (this.#lostAt === undefined) return;
		this.#log.info("redis.back", { afterMs: systemClock.now() - this.#lostAt });
		this.#lostAt = undefined;
		this.#cause = "CLOSED";
	}
}

class TooSlow extends Error {
	readonly code = "TIMEOUT";
}
