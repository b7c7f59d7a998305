import { Cluster, type Redis } from "ioredis";
import { systemClock } from "../../clock.js";
import type { Log } from "../../observe/log.js";
import type { News } from "../news.js";
import type { Client } from "./connection.js";

/** How long whoever wants to listen waits for a Redis that does not let it, ms. */
const PATIENCE_MS = 1_000;
const RETRY_MS = 500;

/** Carries news between processes by Redis' own publishing: who is not connected at that moment does not hear. */
export class NewsWire {
	readonly #client: Client;
	readonly #channel: string;
	readonly #log: Log;
	readonly #listeners = new Set<(news: News) => void>();
	#listener: Redis | undefined;
	#hearing: Promise<void> | undefined;
	#deaf = false;
	#closed = false;

	constructor(client: Client, channel: string, log: Log) {
		this.#client = client;
		this.#channel = channel;
		this.#log = log;
	}

	publish(news: News): void {
		if (this.#client.status !== "ready") return;
		this.#node()
			?.publish(this.#channel, JSON.stringify(news))
			.catch(() => {});
	}

	/** Resolves when it hears, or after a moment in which Redis did not let it; then it hears from when Redis does. */
	async listen(hear: (news: News) => void): Promise<() => void> {
		const own = (news: News) => hear(news);
		this.#listeners.add(own);
		this.#hearing ??= new Promise((resolve) => {
			const stop = systemClock.after(PATIENCE_MS, resolve);
			void this.#connect().finally(() => {
				stop();
				resolve();
			});
		});
		await this.#hearing;
		return () => this.#listeners.delete(own);
	}

	close(): void {
		this.#closed = true;
		this.#listener?.disconnect();
		this.#listeners.clear();
	}

	/** On a cluster always the same node, of those that are there: only what one node passes on arrives in order. */
	#node(): Redis | undefined {
		if (!(this.#client instanceof Cluster)) return this.#client;
		const name = ({ options }: Redis) => `${options.host}:${options.port}`;
		const nodes = this.#client.nodes("master").sort((a, b) => (name(a) < name(b) ? -1 : 1));
		return nodes.find(({ status }) => status === "ready") ?? nodes[0];
	}

	/**
	 * Listens at one node, and at another when that one goes. The cluster client's own way does not notice a connection
	 * that died without a goodbye.
	 */
	async #connect(): Promise<void> {
		const listener = this.#node()?.duplicate({ lazyConnect: false, retryStrategy: () => null });
		this.#listener = listener;
		if (listener === undefined) return this.#again("no node");
		listener.on("error", () => {});
		listener.on("message", (_channel: string, text: string) => {
			const news = read(text);
			if (news === undefined) return;
			for (const hear of [...this.#listeners]) hear(news);
		});
		listener.once("end", () => this.#again("disconnected"));
		try {
			await listener.subscribe(this.#channel);
			this.#deaf = false;
		} catch {
			listener.disconnect();
		}
	}

	#again(reason: string): void {
		if (this.#closed) return;
		if (!this.#deaf) this.#log.warn("news.deaf", { reason });
		this.#deaf = true;
		systemClock.after(RETRY_MS, () => {
			if (!this.#closed) void this.#connect();
		});
	}
}

/** Undefined for what no process of ours has published. */
function read(text: string): News | undefined {
	try {
		const news: unknown = JSON.parse(text);
		return typeof news === "object" && news !== null && "address" in news ? (news as News) : undefined;
	} catch {
		return undefined;
	}
}
