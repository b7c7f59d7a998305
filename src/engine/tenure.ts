import type { InboxItem } from "../call/message.js";
import type { Clock } from "../clock.js";
import { CallboardError } from "../errors.js";
import { Stop } from "../turn/stop.js";
import type { Backend, Lease } from "./backend.js";

/** Who wants to know what arrives while the lease lasts. */
export interface Lookout {
	/** Absolute position of the first item not known yet. */
	from(): number;
	/** At most so many at once. */
	items: number;
	/** Called with what came, oldest first. */
	came(items: readonly InboxItem[]): void;
}

export interface TenureOptions {
	backend: Backend;
	clock: Clock;
	leaseMs: number;
	renewMs: number;
}

/**
 * A worker's time with one address: renews the lease until it is ended, and stops the turn when the lease is lost or
 * cannot be renewed in time. From then on nothing of the turn may be written.
 */
export class Tenure {
	readonly lease: Lease;
	readonly #options: TenureOptions;
	/** Aborted with fault `lease` when the address was lost, or with the reason given to `abort`. */
	readonly stop = new Stop();
	#lookout: Lookout | undefined;
	#until: number;
	#stopTimer: () => void = () => {};
	#renewing = false;
	#again = false;
	#ended = false;

	constructor(lease: Lease, options: TenureOptions) {
		this.lease = lease;
		this.#options = options;
		this.#until = options.clock.now() + options.leaseMs;
		this.#schedule();
	}

	abort(reason: CallboardError): void {
		this.end();
		this.stop.abort(reason);
	}

	/** Looks for what arrives whenever the lease is renewed. */
	watch(lookout: Lookout): void {
		this.#lookout = lookout;
	}

	/** Looks now: something has arrived. Does nothing when nobody watches. */
	look(): void {
		if (this.#lookout === undefined || this.#ended) return;
		if (this.#renewing) this.#again = true;
		else void this.#renew();
	}

	/** Renews no more. */
	end(): void {
		this.#ended = true;
		this.#stopTimer();
	}

	#schedule(): void {
		this.#stopTimer = this.#options.clock.after(this.#options.renewMs, () => void this.#renew());
	}

	async #renew(): Promise<void> {
		this.#stopTimer();
		this.#renewing = true;
		this.#again = false;
		await this.#extend();
		this.#renewing = false;
		if (this.#ended) return;
		if (this.#again) void this.#renew();
		else this.#schedule();
	}

	async #extend(): Promise<void> {
		const { backend, clock, leaseMs } = this.#options;
		const lookout = this.#lookout;
		const asked = clock.now();
		try {
			const look = lookout && { from: lookout.from(), items: lookout.items };
			const came = await backend.extend(this.lease, leaseMs, look);
			this.#until = asked + leaseMs;
			if (came.length > 0 && !this.#ended) lookout?.came(came);
		} catch (error) {
			if (this.#ended) return;
			const lost = error instanceof CallboardError && error.fault === "lease";
			if (lost) this.abort(error);
			else if (clock.now() >= this.#until) this.abort(leaseLost(this.lease, error));
		}
	}
}

function leaseLost({ address }: Lease, cause: unknown): CallboardError {
	return new CallboardError("LEASE_LOST", "lease", "the lease could not be renewed in time", {
		where: address,
		next: "stop: another worker may have this address now",
		cause,
	});
}
