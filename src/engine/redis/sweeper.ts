import type { AddressKey } from "../../call/address.js";
import type { Clock } from "../../clock.js";
import type { Connection } from "./connection.js";
import type { Partitions } from "./partition.js";
import { sweep } from "./scripts/sweep.js";
import type { WakeUps } from "./wake-ups.js";

export interface SweeperOptions {
	connection: Connection;
	partitions: Partitions;
	/** On a cluster each partition is swept by itself. */
	cluster: boolean;
	wakeUps: WakeUps;
	clock: Clock;
}

/** Longest time between two looks, ms; a little more or less each time, so that processes do not look together. */
const EVERY_MS = 500;
/** Shortest time between two looks, ms. */
const REST_MS = 1;
/** Shortest time after a look that found something, ms. */
const AFTER_FIND_MS = 25;
const AT_ONCE = 500;

type Reply = [turns: AddressKey[], sends: AddressKey[], next: string, more: number, lost: number];

/**
 * Looks at what should have happened by now: wakes whoever was woken in vain, takes over from leases and senders that
 * ran out, fires timers at their time and forgets old calls. Every process does it; each entry is handled by one.
 */
export class Sweeper {
	readonly #options: SweeperOptions;
	#stop: () => void = () => {};
	#stopped = false;
	/** When it looks next; unset while it looks. */
	#nextAt: number | undefined;
	#lastAt = 0;
	/** When it was asked to look while it looked. */
	#askedFor = Number.POSITIVE_INFINITY;
	/** How many wake-ups were found lost. */
	lost = 0;

	constructor(options: SweeperOptions) {
		this.#options = options;
	}

	/** Looks once, and from then on at its times. */
	async start(): Promise<void> {
		await this.#look();
	}

	/** Something is due then: what this process puts off itself is not late by the time between two looks. */
	lookBy(at: number): void {
		if (this.#nextAt === undefined) this.#askedFor = Math.min(this.#askedFor, at);
		else if (at < this.#nextAt) this.#schedule(at - this.#options.clock.now());
	}

	stop(): void {
		this.#stopped = true;
		this.#stop();
	}

	#schedule(wait: number): void {
		this.#stop();
		if (this.#stopped) return;
		const { clock } = this.#options;
		this.#nextAt = Math.max(clock.now() + wait, this.#lastAt + REST_MS);
		this.#stop = clock.after(this.#nextAt - clock.now(), () => void this.#look());
	}

	async #look(): Promise<void> {
		const { clock } = this.#options;
		this.#nextAt = undefined;
		this.#askedFor = Number.POSITIVE_INFINITY;
		const wait = await this.#sweep().catch(() => EVERY_MS);
		this.#lastAt = clock.now();
		this.#schedule(Math.min(wait, this.#askedFor - clock.now()));
	}

	/** @returns how long to wait for the next look */
	async #sweep(): Promise<number> {
		const { connection, partitions, cluster, wakeUps, clock } = this.#options;
		const groups = cluster ? partitions.all.map((prefix) => [prefix]) : [partitions.all];
		const replies = await Promise.all(
			groups.map((prefixes) => connection.run(sweep, prefixes, ["", AT_ONCE]) as Promise<Reply>),
		);
		let wait = EVERY_MS * (0.8 + 0.4 * Math.random());
		let found = 0;
		for (const [turns, sends, next, more, lost] of replies) {
			this.lost += lost;
			wakeUps.wake("turns", ...turns);
			wakeUps.wake("sends", ...sends);
			found += turns.length + sends.length;
			if (more === 1) wait = 0;
			else if (next !== "") wait = Math.min(wait, Math.max(0, Number(next) - clock.now()));
		}
		return found > 0 ? Math.max(AFTER_FIND_MS, wait) : wait;
	}
}
