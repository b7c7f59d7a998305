import type { AddressKey } from "../../call/address.js";
import type { Clock } from "../../clock.js";
import type { Serving } from "../backend.js";

interface Server {
	concurrency: number;
	run: (address: AddressKey) => Promise<void>;
	active: number;
	stopped: boolean;
	whenIdle: (() => void) | undefined;
}

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 5_000;
/** Longest wait given to a clock at once: what a timer of Node can hold is less than a month. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

/**
 * Hands addresses that have work to whoever serves it: in the order in which they became ready, one at a time for each
 * address, and again when work is left. An address whose work was not taken is offered again later, and ever later.
 */
export class Dispatcher {
	readonly #clock: Clock;
	/** Every address that has work, and from when on. */
	readonly #due = new Map<AddressKey, number>();
	readonly #ready = new Set<AddressKey>();
	readonly #running = new Set<AddressKey>();
	/** Of the running ones, those that changed meanwhile. */
	readonly #changed = new Set<AddressKey>();
	readonly #timers = new Map<AddressKey, () => void>();
	/** How often in a row nothing came of an address. */
	readonly #fruitless = new Map<AddressKey, number>();
	readonly #servers: Server[] = [];
	#next = 0;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Says when an address has work: from `due` on, or not at all. */
	set(address: AddressKey, due: number | undefined): void {
		if (due === undefined) this.#due.delete(address);
		else this.#due.set(address, due);
		if (this.#running.has(address)) this.#changed.add(address);
		else this.#schedule(address);
	}

	serve(concurrency: number, run: (address: AddressKey) => Promise<void>): Serving {
		const server: Server = { concurrency, run, active: 0, stopped: false, whenIdle: undefined };
		this.#servers.push(server);
		this.#pump();
		return {
			allow: (most) => {
				server.concurrency = most;
				this.#pump();
			},
			stop: (graceMs) => this.#stop(server, graceMs),
		};
	}

	/** Takes nothing any more. */
	close(): void {
		for (const server of this.#servers) server.stopped = true;
		this.#servers.length = 0;
		for (const stop of this.#timers.values()) stop();
		this.#timers.clear();
		this.#ready.clear();
		this.#due.clear();
	}

	#stop(server: Server, graceMs: number): Promise<void> {
		server.stopped = true;
		const index = this.#servers.indexOf(server);
		if (index >= 0) this.#servers.splice(index, 1);
		if (server.active === 0 || graceMs <= 0) return Promise.resolve();
		return new Promise((resolve) => {
			const stop = this.#clock.after(graceMs, resolve);
			server.whenIdle = () => {
				stop();
				resolve();
			};
		});
	}

	#schedule(address: AddressKey, notBefore = 0): void {
		this.#timers.get(address)?.();
		this.#timers.delete(address);
		const due = this.#due.get(address);
		if (due === undefined) {
			this.#ready.delete(address);
			this.#fruitless.delete(address);
			return;
		}
		const wait = Math.max(due, notBefore) - this.#clock.now();
		if (wait <= 0) {
			this.#ready.add(address);
			this.#pump();
			return;
		}
		this.#ready.delete(address);
		const stop = this.#clock.after(Math.min(wait, LONGEST_WAIT_MS), () => this.#schedule(address, notBefore));
		this.#timers.set(address, stop);
	}

	#pump(): void {
		for (const address of this.#ready) {
			const server = this.#free();
			if (server === undefined) return;
			this.#ready.delete(address);
			void this.#run(server, address);
		}
	}

	#free(): Server | undefined {
		for (let tried = 0; tried < this.#servers.length; tried += 1) {
			const server = this.#servers[this.#next++ % this.#servers.length]!;
			if (server.active < server.concurrency) return server;
		}
		return undefined;
	}

	async #run(server: Server, address: AddressKey): Promise<void> {
		server.active += 1;
		this.#running.add(address);
		try {
			await server.run(address);
		} finally {
			server.active -= 1;
			this.#running.delete(address);
			if (server.stopped && server.active === 0) server.whenIdle?.();
			this.#schedule(address, this.#notBefore(address));
			this.#pump();
		}
	}

	#notBefore(address: AddressKey): number {
		if (this.#changed.delete(address)) {
			this.#fruitless.delete(address);
			return 0;
		}
		const times = this.#fruitless.get(address) ?? 0;
		this.#fruitless.set(address, times + 1);
		return this.#clock.now() + Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** times);
	}
}
