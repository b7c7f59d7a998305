import type { AddressKey } from "../call/address.js";
import type { Clock } from "../clock.js";

/** A place that nobody came back from is free again after so long, ms: longer than a turn may take to be written. */
const PLACE_MS = 15_000;

/** How many sends may begin within any so long. */
export interface Budget {
	/** It may change; `Gate.look` is then called. */
	readonly most: number;
	readonly withinMs: number;
	/** There is too little of it. */
	tooLittle?(): void;
	/** The door is closed. */
	close?(until: number): void;
}

/** A wait that is worth telling, and the longest that is told, ms. */
const SHORT_MS = 4_000;
const LONG_MS = 30_000;

export interface GateOptions {
	clock: Clock;
	/** Default: any number. */
	budget?: Budget;
	/** Lets an address go on that had to wait: it enters at once. */
	go(address: AddressKey): void;
}

/**
 * Lets sends through a door: none while it is closed, no more than its budget, and whoever had to wait first. Who enters
 * has a place until it sends or leaves; what counts is when a send begins.
 */
export class Gate {
	readonly #options: GateOptions;
	#closedUntil = 0;
	/** Addresses that have a place, and since when; in that order. */
	readonly #places = new Map<AddressKey, number>();
	/** When the newest sends began, the oldest first. */
	readonly #began: number[] = [];
	readonly #queue = new Set<AddressKey>();
	#called: AddressKey | undefined;
	#timer: { at: number; stop: () => void } | undefined;

	constructor(options: GateOptions) {
		this.#options = options;
	}

	/** Whether an address may take what it sends next now. If not, it is let go on when its turn has come. */
	enter(address: AddressKey): boolean {
		const { budget, clock } = this.#options;
		const now = clock.now();
		if (budget !== undefined) this.#forget(now, budget.withinMs);
		if (this.#places.has(address)) return false;
		const isNext = this.#queue.size === 0 || this.#called === address;
		if (isNext && this.#opensAt(now) <= now) {
			if (budget !== undefined) this.#places.set(address, now);
			return true;
		}
		this.#queue.add(address);
		if (isNext) this.look();
		return false;
	}

	/** What entered begins to be sent. */
	begin(address: AddressKey): void {
		if (this.#options.budget === undefined) return;
		this.#places.delete(address);
		this.#began.push(this.#options.clock.now());
		// Only now is it known when there is a place again.
		this.look();
	}

	/** What entered sends nothing. */
	leave(address: AddressKey): void {
		if (this.#places.delete(address)) this.look();
	}

	/** Nothing goes through before then. */
	close(until: number): void {
		if (until <= this.#closedUntil) return;
		this.#closedUntil = until;
		this.#options.budget?.close?.(until);
	}

	/**
	 * When the turn of an address that waits will have come at the latest, roughly and no farther than half a minute away;
	 * undefined when it does not wait, or only for seconds, or when nobody knows.
	 */
	turnOf(address: AddressKey): number | undefined {
		const { budget, clock } = this.#options;
		if (!this.#queue.has(address) || budget?.most === 0) return undefined;
		const now = clock.now();
		const line = budget === undefined ? 0 : (this.#queue.size / budget.most) * budget.withinMs;
		const wait = Math.max(line, this.#closedUntil - now);
		return wait < SHORT_MS ? undefined : now + Math.min(wait, LONG_MS);
	}

	/** How many sends have begun lately, are about to, or wait. */
	get wanted(): number {
		return this.#began.length + this.#places.size + this.#queue.size;
	}

	/** Lets go on who may by now. */
	look(): void {
		for (const address of this.#queue) {
			const now = this.#options.clock.now();
			const at = this.#opensAt(now);
			if (at > now) {
				this.#lookAt(at);
				return;
			}
			this.#queue.delete(address);
			this.#called = address;
			this.#options.go(address);
			this.#called = undefined;
		}
	}

	/** Nobody is let go on any more. */
	stop(): void {
		this.#timer?.stop();
		this.#timer = undefined;
		this.#queue.clear();
	}

	/** When one more may enter; a time past, or one that only what happens will tell. */
	#opensAt(now: number): number {
		const { budget } = this.#options;
		if (this.#closedUntil > now || budget === undefined) return this.#closedUntil;
		this.#forget(now, budget.withinMs);
		const tooMany = this.#began.length + this.#places.size - budget.most;
		if (tooMany < 0) return now;
		budget.tooLittle?.();
		const [since] = this.#places.values();
		return Math.min(
			(this.#began[tooMany] ?? Number.POSITIVE_INFINITY) + budget.withinMs,
			(since ?? Number.POSITIVE_INFINITY) + PLACE_MS,
		);
	}

	#forget(now: number, withinMs: number): void {
		while (this.#began.length > 0 && this.#began[0]! + withinMs <= now) this.#began.shift();
		for (const [address, since] of this.#places) {
			if (since + PLACE_MS > now) break;
			this.#places.delete(address);
		}
	}

	#lookAt(at: number): void {
		if (at === Number.POSITIVE_INFINITY || (this.#timer !== undefined && this.#timer.at <= at)) return;
		const { clock } = this.#options;
		this.#timer?.stop();
		const run = () => {
			this.#timer = undefined;
			this.look();
		};
		this.#timer = { at, stop: clock.after(at - clock.now(), run) };
	}
}
