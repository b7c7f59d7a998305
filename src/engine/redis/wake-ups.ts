import { Queue } from "bullmq";
import type { AddressKey } from "../../call/address.js";
import { systemClock } from "../../clock.js";
import type { Log } from "../../observe/log.js";
import type { Work } from "../backend.js";
import type { Client } from "./connection.js";

/** A job says only whom to wake; what is to be done stands under the address. */
export interface WakeUp {
	address: AddressKey;
}

export const QUEUES: Readonly<Record<Work, string>> = { turns: "cb-turn", sends: "cb-send" };

/** Hash tag of the queues: on a cluster all keys of BullMQ must be in one place. */
export const queuePrefix = (prefix: string) => `{${prefix}}`;

const OPTIONS = { removeOnComplete: true, removeOnFail: { count: 100 } } as const;
const EVENTS_KEPT = 100;
/** How long the queue may take to take a wake-up in before this process helps itself, ms. */
const PATIENCE_MS = 1_000;

/**
 * Wakes whoever serves an address, in whatever process. A wake-up may be lost or come twice: the sweeper gives another,
 * and one that finds nothing to do does no harm.
 */
export class WakeUps {
	readonly queues: Readonly<Record<Work, Queue<WakeUp>>>;
	readonly #log: Log;
	readonly #waiting: Record<Work, AddressKey[]> = { turns: [], sends: [] };
	readonly #adding = new Set<Promise<unknown>>();
	/** Whoever serves in this process. */
	readonly #servers: Record<Work, Set<(address: AddressKey) => void>> = { turns: new Set(), sends: new Set() };
	/** Set while the queue takes nothing in: on a cluster, its node may be gone and others be there. */
	#down = false;
	#scheduled = false;

	constructor(client: Client, prefix: string, log: Log) {
		this.#log = log;
		const make = (work: Work) => {
			const queue = new Queue<WakeUp>(QUEUES[work], {
				connection: client,
				prefix: queuePrefix(prefix),
				streams: { events: { maxLen: EVENTS_KEPT } },
			});
			queue.on("error", () => {});
			return queue;
		};
		this.queues = { turns: make("turns"), sends: make("sends") };
	}

	/** Wakes soon; those of one moment go together. */
	wake(work: Work, ...addresses: readonly AddressKey[]): void {
		if (addresses.length === 0) return;
		this.#waiting[work].push(...addresses);
		if (this.#scheduled) return;
		this.#scheduled = true;
		setImmediate(() => this.#flush());
	}

	/** Whom to wake without the queue while it takes nothing in. Returns what ends it. */
	serve(work: Work, wake: (address: AddressKey) => void): () => void {
		this.#servers[work].add(wake);
		return () => this.#servers[work].delete(wake);
	}

	/** Resolves when all wake-ups asked for so far were given, or failed. */
	async idle(): Promise<void> {
		while (this.#scheduled || this.#adding.size > 0) {
			if (this.#scheduled) this.#flush();
			await Promise.all(this.#adding);
		}
	}

	async close(): Promise<void> {
		await Promise.all(Object.values(this.queues).map((queue) => queue.close()));
	}

	#flush(): void {
		this.#scheduled = false;
		for (const work of ["turns", "sends"] as const) {
			const addresses = this.#waiting[work].splice(0);
			if (addresses.length === 0) continue;
			const adding: Promise<unknown> = this.#add(work, addresses).finally(() => this.#adding.delete(adding));
			this.#adding.add(adding);
		}
	}

	async #add(work: Work, addresses: readonly AddressKey[]): Promise<void> {
		const help = () => {
			this.#down = true;
			for (const wake of this.#servers[work]) addresses.forEach(wake);
		};
		const stop = this.#down ? undefined : systemClock.after(PATIENCE_MS, help);
		if (this.#down) help();
		try {
			await this.queues[work].addBulk(addresses.map((address) => ({ name: "wake", data: { address }, opts: OPTIONS })));
			this.#down = false;
		} catch (error) {
			this.#log.debug("wakeup.lost", { work, count: addresses.length, error });
			if (!this.#down) help();
		} finally {
			stop?.();
		}
	}
}
