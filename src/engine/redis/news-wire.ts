import { Cluster, type Redis } from "ioredis";
import { systemClock } from "../../clock.js";
import type { Log } from "../../observe/log.js";
import type { News } from "../backend.js";
import type { Client } from "./connection.js";

/** How long whoever wants to listen waits for a Redis that does not let it, ms. */
const PATIENCE_MS = 1_000;
const RETRY_MS = 500;

/** Carries news between processes by Redis' own publishing: who is not connected at that moment does not hear. */
export class NewsWire {
	readonly #client: Client;
	readonly #makeListener: () => Client;
	readonly #channel: string;
	readonly #log: Log;
	readonly #listeners = new Set<(news: News) => void>();
	#listener: Client | undefined;
	#hearing: Promise<void> = Promise.resolve();
	#closed = false;

	constructor(client: Client, makeListener: () => Client, channel: string, log: Log) {
		this.#client = client;
		this.#makeListener = makeListener;
		this.#channel = channel;
		this.#log = log;
	}

	publish(news: News): void {
		if (this.#client.status !== "ready") return;
		this.#publisher()
			?.publish(this.#channel, JSON.stringify(news))
			.catch(() => {});
	}

	/** Resolves when it hears, or after a moment in which Redis did not let it; then it hears from when Redis does. */
	async listen(hear: (news: News) => void): Promise<() => void> {
		const own = (news: News) => hear(news);
		this.#listeners.add(own);
		if (this.#listener === undefined) this.#connect();
		await this.#hearing;
		return () => this.#listeners.delete(own);
	}

	close(): void {
		this.#closed = true;
		this.#listener?.disconnect();
		this.#listeners.clear();
	}

	/** On a cluster always the same node, of those that are there: only what one node passes on arrives in order. */
	#publisher(): Redis | undefined {
		if (!(this.#client instanceof Cluster)) return this.#client;
		const name = ({ options }: Redis) => `${options.host}:${options.port}`;
		const nodes = this.#client.nodes("master").sort((a, b) => (name(a) < name(b) ? -1 : 1));
		return nodes.find(({ status }) => status === "ready") ?? nodes[0];
	}

	#connect(): void {
		const listener = this.#makeListener();
		this.#listener = listener;
		listener.on("error", () => {});
		listener.on("message", (_channel: string, text: string) => {
			const news = JSON.parse(text) as News;
			for (const hear of [...this.#listeners]) hear(news);
		});
		this.#hearing = new Promise((resolve) => {
			const stop = systemClock.after(PATIENCE_MS, resolve);
			void this.#subscribe(listener).finally(() => {
				stop();
				resolve();
			});
		});
	}

	async #subscribe(listener: Client): Promise<void> {
		try {
			await listener.subscribe(this.#channel);
		} catch (error) {
			if (this.#closed) return;
			this.#log.warn("news.deaf", { reason: error instanceof Error ? error.name : "unknown" });
			systemClock.after(RETRY_MS, () => void this.#subscribe(listener));
		}
	}
}
