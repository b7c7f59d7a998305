import type { AddressKey } from "../call/address.js";
import type { Clock } from "../clock.js";
import type { Backend } from "./backend.js";
import { SameWait, type Waiting } from "./same-wait.js";

/** How long a sender's right to the row it took outlives its process, ms. */
export const RIGHT_MS = 3_000;
/** How often it is renewed: a send that is over sooner costs no renewal. */
const RENEW_MS = 1_000;

export interface RowRightOptions {
	backend: Pick<Backend, "keep">;
	owner: string;
	clock: Clock;
}

/** Keeps the rights to rows that a sender took. */
export class RowRights {
	readonly #options: RowRightOptions;
	readonly #waits: SameWait;

	constructor(options: RowRightOptions) {
		this.#options = options;
		this.#waits = new SameWait(options.clock, RENEW_MS);
	}

	/**
	 * Renews the right to the row taken while `work` lasts. Where another process has it by now, the work goes on all the
	 * same: what it sent is sent, and its mark changes nothing any more.
	 */
	async during<T>(address: AddressKey, work: () => Promise<T>): Promise<T> {
		const right = new Right(address, this);
		this.#waits.begin(right);
		try {
			return await work();
		} finally {
			right.isOver = true;
			this.#waits.end(right);
		}
	}

	async renew(right: Right): Promise<void> {
		const { backend, owner } = this.#options;
		const kept = await backend.keep(right.address, { owner, leaseMs: RIGHT_MS }).catch(() => true);
		if (kept && !right.isOver) this.#waits.begin(right);
	}

	stop(): void {
		this.#waits.stop();
	}
}

class Right implements Waiting {
	at = 0;
	isOver = false;

	constructor(
		readonly address: AddressKey,
		private readonly rights: RowRights,
	) {}

	due(): void {
		void this.rights.renew(this);
	}
}
