import type { Clock } from "../clock.js";
import { CallboardError } from "../errors.js";
import type { Backend, Lease } from "./backend.js";

/**
 * A worker's time with one address: renews the lease until it is ended, and stops the turn when the lease is lost or
 * cannot be renewed in time. From then on nothing of the turn may be written.
 */
export class Tenure {
	readonly lease: Lease;
	readonly #backend: Backend;
	readonly #clock: Clock;
	readonly #options: { leaseMs: number; renewMs: number };
	readonly #stopper = new AbortController();
	#until: number;
	#stopTimer: () => void = () => {};
	#ended = false;

	constructor(backend: Backend, lease: Lease, clock: Clock, options: { leaseMs: number; renewMs: number }) {
		this.#backend = backend;
		this.lease = lease;
		this.#clock = clock;
		this.#options = options;
		this.#until = clock.now() + options.leaseMs;
		this.#schedule();
	}

	/** Aborted with fault `lease` when the address was lost, or with the reason given to `abort`. */
	get signal(): AbortSignal {
		return this.#stopper.signal;
	}

	abort(reason: CallboardError): void {
		this.end();
		this.#stopper.abort(reason);
	}

	/** Renews no more. */
	end(): void {
		this.#ended = true;
		this.#stopTimer();
	}

	#schedule(): void {
		this.#stopTimer = this.#clock.after(this.#options.renewMs, () => void this.#renew());
	}

	async #renew(): Promise<void> {
		const { leaseMs } = this.#options;
		const asked = this.#clock.now();
		try {
			await this.#backend.extend(this.lease, leaseMs);
			this.#until = asked + leaseMs;
		} catch (error) {
			if (this.#ended) return;
			const lost = error instanceof CallboardError && error.fault === "lease";
			if (lost) return this.abort(error);
			if (this.#clock.now() >= this.#until) return this.abort(leaseLost(this.lease, error));
		}
		if (!this.#ended) this.#schedule();
	}
}

function leaseLost({ address }: Lease, cause: unknown): CallboardError {
	return new CallboardError("LEASE_LOST", "lease", "the lease could not be renewed in time", {
		where: address,
		next: "stop: another worker may have this address now",
		cause,
	});
}
