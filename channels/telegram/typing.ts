import type { Clock } from "../../src/clock.js";

/** Telegram shows it for 5 s at most. */
const RENEW_MS = 4_000;
/** A turn that ended unseen must not type for ever. */
const LONGEST_MS = 5 * 60_000;

/** Keeps "typing…" alive while a turn runs. */
export class Typing {
	readonly #clock: Clock;
	readonly #signal: (address: string) => void;
	readonly #running = new Map<string, () => void>();

	/** @param signal shows the sign once; never throws */
	constructor(clock: Clock, signal: (address: string) => void) {
		this.#clock = clock;
		this.#signal = signal;
	}

	start(address: string): void {
		this.stop(address);
		this.#renew(address, this.#clock.now() + LONGEST_MS);
	}

	stop(address: string): void {
		this.#running.get(address)?.();
		this.#running.delete(address);
	}

	stopAll(): void {
		for (const address of [...this.#running.keys()]) this.stop(address);
	}

	#renew(address: string, until: number): void {
		if (this.#clock.now() >= until) {
			this.#running.delete(address);
			return;
		}
		this.#signal(address);
		this.#running.set(
			address,
			this.#clock.after(RENEW_MS, () => this.#renew(address, until)),
		);
	}
}
