import type { AddressKey } from "../call/address.js";
import type { Clock } from "../clock.js";
import type { Backend } from "./backend.js";

/** How long a sender's right to the row it took outlives its process, ms. */
export const RIGHT_MS = 3_000;
/** How often it is renewed: a send that is over sooner costs no renewal. */
const RENEW_MS = 1_000;

export interface RowRightOptions {
	backend: Pick<Backend, "keep">;
	owner: string;
	clock: Clock;
}

/**
 * Renews the right to the row taken while `work` lasts. Where another process has it by now, the work goes on all the
 * same: what it sent is sent, and its mark changes nothing any more.
 */
export async function whileKept<T>(
	{ backend, owner, clock }: RowRightOptions,
	address: AddressKey,
	work: () => Promise<T>,
): Promise<T> {
	let over = false;
	let stop = () => {};
	const schedule = () => {
		stop = clock.after(RENEW_MS, () => void renew());
	};
	const renew = async () => {
		const kept = await backend.keep(address, { owner, leaseMs: RIGHT_MS }).catch(() => true);
		if (kept && !over) schedule();
	};
	schedule();
	try {
		return await work();
	} finally {
		over = true;
		stop();
	}
}
