import { Worker } from "bullmq";
import type { AddressKey } from "../../call/address.js";
import { type Clock, systemClock } from "../../clock.js";
import type { Log } from "../../observe/log.js";
import type { Serving, Work } from "../backend.js";
import type { Client } from "./connection.js";
import { QUEUES, queuePrefix, type WakeUp, type WakeUps } from "./wake-ups.js";

export interface ServerOptions {
	work: Work;
	concurrency: number;
	run: (address: AddressKey) => Promise<void>;
	client: Client;
	prefix: string;
	wakeUps: WakeUps;
	/** Addresses that any server of this process runs, and whether they were woken meanwhile. */
	running: Map<AddressKey, boolean>;
	clock: Clock;
	log: Log;
}

/** How long BullMQ may take to say goodbye, ms. */
const GOODBYE_MS = 1_000;

/** Takes wake-ups of one kind and runs their addresses, each at most once at a time in this process. */
export class Server implements Serving {
	readonly #options: ServerOptions;
	readonly #worker: Worker<WakeUp>;
	#active = 0;
	#stopped: Promise<void> | undefined;
	#whenIdle: (() => void) | undefined;
	readonly #unregister: () => void;

	constructor(options: ServerOptions) {
		this.#options = options;
		const { work, concurrency, client, prefix, log } = options;
		this.#worker = new Worker<WakeUp>(QUEUES[work], (job) => this.#take(job.data.address), {
			connection: client,
			prefix: queuePrefix(prefix),
			concurrency,
			lockDuration: 2_000,
			stalledInterval: 500,
			maxStalledCount: 1e6,
			removeOnComplete: { count: 0 },
			removeOnFail: { count: 100 },
			drainDelay: 2,
			metrics: { maxDataPoints: 60 },
		});
		client.on("error", () => {});
		this.#unregister = options.wakeUps.serve(work, (address) => {
			if (this.#active < this.#worker.concurrency) void this.#take(address);
		});
		this.#worker.on("error", (error) => log.debug("wakeup.trouble", { work, reason: error.name }));
	}

	allow(concurrency: number): void {
		this.#worker.concurrency = concurrency;
	}

	stop(graceMs: number): Promise<void> {
		this.#stopped ??= this.#stop(graceMs);
		return this.#stopped;
	}

	async #stop(graceMs: number): Promise<void> {
		const { clock, client } = this.#options;
		this.#unregister();
		void this.#worker.pause(true);
		if (this.#active > 0 && graceMs > 0) {
			await new Promise<void>((resolve) => {
				const stop = clock.after(graceMs, resolve);
				this.#whenIdle = () => {
					stop();
					resolve();
				};
			});
		}
		const goodbye = this.#worker.close(this.#active > 0);
		let stop = () => {};
		await Promise.race([
			goodbye,
			new Promise<void>((resolve) => {
				stop = systemClock.after(GOODBYE_MS, resolve);
			}),
		]);
		stop();
		void this.#worker.close(true);
		client.disconnect();
	}

	async #take(address: AddressKey): Promise<void> {
		const { running, work, wakeUps } = this.#options;
		if (this.#stopped !== undefined) return wakeUps.wake(work, address);
		if (running.has(address)) {
			running.set(address, true);
			return;
		}
		this.#active += 1;
		try {
			await this.#run(address);
		} finally {
			this.#active -= 1;
			if (this.#active === 0) this.#whenIdle?.();
		}
	}

	async #run(address: AddressKey): Promise<void> {
		const { running, work, run, wakeUps, log } = this.#options;
		let again = true;
		while (again) {
			running.set(address, false);
			try {
				await run(address);
			} catch (error) {
				log.error("serving.threw", { work, address, error });
			} finally {
				again = running.get(address) === true;
				running.delete(address);
			}
			if (again && this.#stopped !== undefined) return wakeUps.wake(work, address);
		}
	}
}
