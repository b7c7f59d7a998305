import type { Clock } from "../clock.js";

/** Aborts one request when the caller does, when its time is up, or when the server has been silent for too long. */
export class Watch {
	readonly #controller = new AbortController();
	readonly #caller: AbortSignal;
	readonly #abort = () => this.#controller.abort();
	readonly #clock: Clock;
	readonly #idleMs: number;
	readonly #stopDeadline: () => void;
	#stopIdle: () => void;

	constructor(clock: Clock, caller: AbortSignal, deadline: number, idleMs: number) {
		this.#clock = clock;
		this.#caller = caller;
		this.#idleMs = idleMs;
		caller.addEventListener("abort", this.#abort, { once: true });
		this.#stopDeadline = clock.after(Math.max(0, deadline - clock.now()), this.#abort);
		this.#stopIdle = clock.after(idleMs, this.#abort);
	}

	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	heard(): void {
		this.#stopIdle();
		if (!this.signal.aborted) this.#stopIdle = this.#clock.after(this.#idleMs, this.#abort);
	}

	stop(): void {
		this.#caller.removeEventListener("abort", this.#abort);
		this.#stopDeadline();
		this.#stopIdle();
	}
}
