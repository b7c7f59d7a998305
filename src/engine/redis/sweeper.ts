import type { AddressKey } from "../../call/address.js";
import { type Clock, systemClock } from "../../clock.js";
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
/** How long a look waits for partitions whose node does not answer, ms: the others are not to wait for them. */
const PATIENCE_MS = 500;

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
	/** What was asked and has not answered yet is not asked again. */
	readonly #asked = new Set<string>();
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
		await this.#sweepAll();
		this.#lastAt = clock.now();
		this.#schedule(Math.min(EVERY_MS * (0.8 + 0.4 * Math.random()), this.#askedFor - clock.now()));
	}

	#sweepAll(): Promise<void> {
		const { partitions, cluster } = this.#options;
		const groups = cluster ? partitions.all.map((prefix) => [prefix]) : [partitions.all];
		return new Promise((resolve) => {
			const stop = systemClock.after(PATIENCE_MS, resolve);
			void Promise.all(groups.map((prefixes) => this.#sweep(prefixes))).then(() => {
				stop();
				resolve();
			});
		});
	}

	async #sweep(prefixes: readonly string[]): Promise<void> {
		const { connection, wakeUps, clock } = this.#options;
		const [first = ""] = prefixes;
		if (this.#asked.has(first)) return;
		this.#asked.add(first);
		try {
			const reply = (await connection.run(sweep, prefixes, ["", AT_ONCE])) as Reply;
			const [turns, sends, next, more, lost] = reply;
			this.lost += lost;
			wakeUps.wake("turns", ...turns);
			wakeUps.wake("sends", ...sends);
			const rest = turns.length + sends.length > 0 ? AFTER_FIND_MS : 0;
			const due = more === 1 ? 0 : next === "" ? Number.POSITIVE_INFINITY : Number(next) - clock.now();
			this.lookBy(clock.now() + Math.max(rest, due));
		} catch {
			// Asked again at the next look.
		} finally {
			this.#asked.delete(first);
		}
	}
}
