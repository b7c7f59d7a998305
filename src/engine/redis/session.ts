import type { AddressKey } from "../../call/address.js";
import type { Clock } from "../../clock.js";
import type { Log } from "../../observe/log.js";
import type { Serving, Work } from "../backend.js";
import { Connection, connect } from "./connection.js";
import { checkFit, checkFormat } from "./fit.js";
import { NewsWire } from "./news-wire.js";
import type { Partitions } from "./partition.js";
import { Server } from "./server.js";
import { Sweeper } from "./sweeper.js";
import { WakeUps } from "./wake-ups.js";

export interface SessionOptions {
	/** URLs of one Redis, or of some nodes of a cluster. */
	urls: readonly string[];
	prefix: string;
	clock: Clock;
	log: Log;
}

/** All that is open towards Redis between `open` and `close` of a backend. */
export class Session {
	readonly #options: SessionOptions;
	readonly #running: Record<Work, Map<AddressKey, boolean>> = { turns: new Map(), sends: new Map() };
	readonly #servers = new Set<Server>();

	private constructor(
		options: SessionOptions,
		readonly cluster: boolean,
		readonly connection: Connection,
		readonly wakeUps: WakeUps,
		readonly sweeper: Sweeper,
		readonly news: NewsWire,
	) {
		this.#options = options;
	}

	/** @throws CallboardError `BACKEND_UNAVAILABLE`, `REDIS_UNFIT`, `REDIS_FORMAT`; then nothing is open */
	static async open(options: SessionOptions, partitions: Partitions): Promise<Session> {
		const { urls, prefix, clock, log } = options;
		const cluster = await checkFit(urls, log);
		const connection = new Connection(connect(urls, cluster), { clock, log });
		try {
			const keys = cluster ? partitions.all.map((each) => `${each}format`) : [`${prefix}:format`];
			await checkFormat(connection.client, keys, partitions.all.length);
		} catch (error) {
			connection.client.disconnect();
			throw error;
		}
		const wakeUps = new WakeUps(connection.client, prefix, log);
		const sweeper = new Sweeper({ connection, partitions, cluster, wakeUps, clock });
		const news = new NewsWire(connection.client, `${prefix}:news`, log);
		await sweeper.start();
		return new Session(options, cluster, connection, wakeUps, sweeper, news);
	}

	serve(work: Work, concurrency: number, run: (address: AddressKey) => Promise<void>): Serving {
		const { urls, prefix, clock, log } = this.#options;
		const { wakeUps } = this;
		const client = connect(urls, this.cluster);
		const running = this.#running[work];
		const server = new Server({ work, concurrency, run, client, prefix, wakeUps, running, clock, log });
		this.#servers.add(server);
		return {
			allow: (most) => server.allow(most),
			stop: async (graceMs) => {
				await server.stop(graceMs);
				this.#servers.delete(server);
			},
		};
	}

	/** Resolves when no operation, sweep or wake-up is under way in this process. */
	async idle(): Promise<void> {
		await this.connection.idle();
		await this.wakeUps.idle();
	}

	/** Does not wait for a Redis that is not there. */
	async close(): Promise<void> {
		this.sweeper.stop();
		this.news.close();
		await Promise.all([...this.#servers].map((server) => server.stop(0)));
		if (this.connection.up) await this.wakeUps.idle();
		await Promise.all([this.wakeUps.close(), this.connection.close()]);
	}
}
