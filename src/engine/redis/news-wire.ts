import { Cluster, type Redis } from "ioredis";
import type { Log } from "../../observe/log.js";
import type { News } from "../backend.js";
import type { Client } from "./connection.js";

/** Carries news between processes by Redis' own publishing: who is not connected at that moment does not hear. */
export class NewsWire {
	readonly #client: Client;
	readonly #makeListener: () => Client;
	readonly #channel: string;
	readonly #log: Log;
	readonly #listeners = new Set<(news: News) => void>();
	#listener: Client | undefined;
	#connecting: Promise<unknown> = Promise.resolve();

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

	listen(hear: (news: News) => void): () => void {
		const own = (news: News) => hear(news);
		this.#listeners.add(own);
		if (this.#listener === undefined) this.#connect();
		return () => this.#listeners.delete(own);
	}

	/** Resolves when listening has begun. */
	async idle(): Promise<void> {
		await this.#connecting;
	}

	close(): void {
		this.#listener?.disconnect();
		this.#listeners.clear();
	}

	/** On a cluster always the same node: only what one node passes on arrives in order. */
	#publisher(): Redis | undefined {
		if (!(this.#client instanceof Cluster)) return this.#client;
		const name = ({ options }: Redis) => `${options.host}:${options.port}`;
		return this.#client.nodes("master").sort((a, b) => (name(a) < name(b) ? -1 : 1))[0];
	}

	#connect(): void {
		const listener = this.#makeListener();
		this.#listener = listener;
		listener.on("error", () => {});
		listener.on("message", (_channel: string, text: string) => {
			const news = JSON.parse(text) as News;
			for (const hear of [...this.#listeners]) hear(news);
		});
		this.#connecting = listener.subscribe(this.#channel).catch((error) => {
			this.#log.warn("news.deaf", { reason: error instanceof Error ? error.name : "unknown" });
		});
	}
}
