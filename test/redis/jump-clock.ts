import type { Clock } from "../../src/clock.js";

interface Timer {
	at: number;
	run: () => void;
}

const JUMPS = 8;

/**
 * A clock that moves only when told, in a few jumps however far: what repeats twice a second fires once a jump, not
 * millions of times. After each jump it waits until whoever uses it has come to rest.
 */
export class JumpClock implements Clock {
	#now = Date.parse("2026-03-02T09:00:00Z");
	readonly #timers = new Set<Timer>();

	/** @param settled resolves when nothing is under way that a timer has begun */
	constructor(readonly settled: () => Promise<void>) {}

	now(): number {
		return this.#now;
	}

	after(ms: number, run: () => void): () => void {
		const timer = { at: this.#now + Math.max(0, ms), run };
		this.#timers.add(timer);
		return () => this.#timers.delete(timer);
	}

	async advance(ms: number): Promise<void> {
		const end = this.#now + ms;
		await this.settled();
		for (let jump = Math.min(JUMPS, ms); jump > 0; jump -= 1) {
			this.#now += Math.round((end - this.#now) / jump);
			const due = [...this.#timers].filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at);
			for (const timer of due) {
				if (this.#timers.delete(timer)) timer.run();
			}
			await this.settled();
		}
	}
}
