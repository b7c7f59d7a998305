import type { Clock } from "../clock.js";

/** Something that waits for as long as all the others do. */
export interface Waiting {
	/** When it is due; set when it begins. */
	at: number;
	due(): void;
}

/**
 * Many waits of one length on one timer: the one that begun first is due first. Most are over long before, and cost no
 * more than to be put down and crossed out.
 */
export class SameWait {
	readonly #clock: Clock;
	readonly #ms: number;
	/** In the order in which they began. */
	readonly #waiting = new Set<Waiting>();
	#disarm: (() => void) | undefined;

	constructor(clock: Clock, ms: number) {
		this.#clock = clock;
		this.#ms = ms;
	}

	begin(wait: Waiting): void {
		wait.at = this.#clock.now() + this.#ms;
		this.#waiting.add(wait);
		if (this.#disarm === undefined) this.#arm(this.#ms);
	}

	end(wait: Waiting): void {
		this.#waiting.delete(wait);
	}

	/** All that wait now. */
	get all(): readonly Waiting[] {
		return [...this.#waiting];
	}

	/** Nothing is due any more, unless it begins anew. */
	stop(): void {
		this.#waiting.clear();
		this.#disarm?.();
		this.#disarm = undefined;
	}

	/** The timer goes on when what it was for is over: to stop and set it for each would cost what it spares. */
	#arm(ms: number): void {
		this.#disarm = this.#clock.after(ms, () => this.#look());
	}

	#look(): void {
		const now = this.#clock.now();
		for (const wait of this.#waiting) {
			if (wait.at > now) break;
			this.#waiting.delete(wait);
			wait.due();
		}
		this.#disarm = undefined;
		const [first] = this.#waiting;
		if (first !== undefined) this.#arm(first.at - now);
	}
}
