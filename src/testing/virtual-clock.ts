import type { Clock } from "../clock.js";

interface Timer {
	at: number;
	order: number;
	run: () => void;
}

/**
 * A clock that stands still until it is told to move. Nothing that waits on it ever really waits, so a two hour idle
 * close is tested in a millisecond, and always with the same result.
 */
export class VirtualClock implements Clock {
	#now: number;
	#order = 0;
	#timers: Timer[] = [];

	/** @param start the first time it shows: a day such as `2026-03-02` (09:00 UTC), or milliseconds since 1970 */
	constructor(start: string | number = "2026-03-02") {
		this.#now = typeof start === "number" ? start : Date.parse(start.includes("T") ? start : `${start}T09:00:00Z`);
		if (Number.isNaN(this.#now)) throw new TypeError(`a clock cannot start at "${start}", write 2026-03-02`);
	}

	now(): number {
		return this.#now;
	}

	after(ms: number, run: () => void): () => void {
		const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order++, run };
		this.#timers.push(timer);
		return () => {
			this.#timers = this.#timers.filter((each) => each !== timer);
		};
	}

	/** How many timers wait. */
	get pending(): number {
		return this.#timers.length;
	}

	/** When the next timer is due, or undefined when none waits. */
	get nextAt(): number | undefined {
		return this.#next()?.at;
	}

	/**
	 * Moves the clock by `ms`. Timers due on the way run in order, each at its own time, and what they start is let
	 * settle before the next one runs; timers they set fire too when they fall within `ms`.
	 */
	async advance(ms: number): Promise<void> {
		const end = this.#now + ms;
		await this.settle();
		for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next()) {
			await this.#fire(next);
		}
		this.#now = Math.max(this.#now, end);
	}

	/** Moves the clock to the next timer and runs it. Resolves to false when none waits. */
	async step(): Promise<boolean> {
		await this.settle();
		const next = this.#next();
		if (next === undefined) return false;
		await this.#fire(next);
		return true;
	}

	/** Lets promises settle, without moving the time. Waits for callbacks of this process, not for other processes. */
	async settle(): Promise<void> {
		for (let round = 0; round < 10; round += 1) await new Promise<void>((resolve) => setImmediate(resolve));
	}

	async #fire(timer: Timer): Promise<void> {
		this.#timers = this.#timers.filter((each) => each !== timer);
		this.#now = Math.max(this.#now, timer.at);
		timer.run();
		await this.settle();
	}

	#next(): Timer | undefined {
		let first: Timer | undefined;
		for (const timer of this.#timers) {
			if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
				first = timer;
		}
		return first;
	}
}
