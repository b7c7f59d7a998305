import type { AddressKey } from "../call/address.js";
import type { InboxItem } from "../call/message.js";
import type { Accepted } from "../channel/channel.js";
import type { AcceptLimits, Claimed, Serving } from "./backend.js";
import type { Door } from "./door.js";
import { stopping } from "./setback.js";
import { Stint, type StintParts } from "./stint.js";

/**
 * Advances calls, in two ways. *Worker*: the backend names an address that has something waiting, and it is claimed.
 * *Direct*: what this process accepts is claimed in the same step and its turn runs here at once. Either way nothing
 * rests on this process: what it leaves undone, the backend has another one do.
 */
export class Worker {
	readonly #parts: StintParts;
	readonly #stints = new Map<AddressKey, Stint>();
	readonly #running = new Set<Promise<void>>();
	/** Turns that run where their message was accepted, those about to be claimed too; and those the backend named. */
	#direct = 0;
	#served = 0;
	#serving: Serving | undefined;
	#stopping = false;

	constructor(parts: StintParts) {
		this.#parts = parts;
	}

	start(): void {
		const { backend, limits } = this.#parts;
		this.#stopping = false;
		this.#serving = backend.serve("turns", limits.turns, (address) => this.#serve(address));
	}

	/** Begins no turn any more; what is accepted waits for another process. */
	pause(): void {
		this.#stopping = true;
	}

	/** Takes no new turn; what still runs when `graceMs` is over is handed back, with what it already did on record. */
	async stop(graceMs: number): Promise<void> {
		this.pause();
		await Promise.all([this.#serving?.stop(graceMs), this.#quiet(graceMs)]);
		for (const stint of this.#stints.values()) stint.abort(stopping());
		await Promise.all(this.#running);
	}

	/** How many turns are running. */
	get running(): number {
		return this.#running.size;
	}

	/**
	 * Accepts an item, and runs its turn here at once where one may begin and a place is free. Resolves when the item is
	 * durable.
	 */
	async accept(item: InboxItem, limits: AcceptLimits, door: Door): Promise<Accepted> {
		const { backend, owner } = this.#parts;
		const waits = item.type === "message" && (item.gathersMs ?? 0) > 0;
		if (waits || !this.#enter()) {
			return this.#noticed(item, await backend.accept(item, limits));
		}
		const stint = new Stint(this.#parts, item.address, door);
		let claimed: Claimed | undefined;
		try {
			const got = await backend.accept(item, limits, { owner, ...stint.terms });
			claimed = got.claimed;
			return this.#noticed(item, { outcome: got.outcome });
		} finally {
			if (claimed === undefined) this.#leave();
			else void this.#track(this.#atOnce(stint, item.address, claimed));
		}
	}

	/** Takes a place for a direct turn, if one is free; the backend may then use one less. */
	#enter(): boolean {
		const taken = this.#direct + this.#served;
		if (this.#serving === undefined || this.#stopping || taken >= this.#parts.limits.turns) return false;
		this.#direct += 1;
		this.#serving.allow(Math.max(1, this.#parts.limits.turns - this.#direct));
		return true;
	}

	#leave(): void {
		this.#direct -= 1;
		this.#serving?.allow(Math.max(1, this.#parts.limits.turns - this.#direct));
	}

	/** A turn that runs here may want to know of what arrived. */
	#noticed({ address }: InboxItem, accepted: Accepted): Accepted {
		if (accepted.outcome === "accepted") this.#stints.get(address)?.look();
		return accepted;
	}

	/** Whoever waits for the item to be durable goes first. */
	async #atOnce(stint: Stint, address: AddressKey, claimed: Claimed): Promise<void> {
		this.#stints.set(address, stint);
		try {
			await new Promise((resolve) => setImmediate(resolve));
			await this.#run(stint, address, claimed);
		} finally {
			this.#leave();
		}
	}

	async #serve(address: AddressKey): Promise<void> {
		const { backend, doors, owner } = this.#parts;
		const door = doors.of(address);
		if (door === undefined || this.#stopping) return;
		const work = async () => {
			const stint = new Stint(this.#parts, address, door);
			const claim = await backend.claim(address, { owner, ...stint.terms });
			if (claim.outcome === "claimed") await this.#run(stint, address, claim);
		};
		this.#served += 1;
		await this.#track(work());
		this.#served -= 1;
	}

	async #run(stint: Stint, address: AddressKey, claimed: Claimed): Promise<void> {
		this.#stints.set(address, stint);
		try {
			await stint.run(claimed, () => !this.#stopping);
		} finally {
			if (this.#stints.get(address) === stint) this.#stints.delete(address);
		}
	}

	async #track(work: Promise<void>): Promise<void> {
		const run = work.catch((error) => this.#parts.log.error("worker.failed", { error }));
		this.#running.add(run);
		await run;
		this.#running.delete(run);
		this.#parts.pulse.beat();
	}

	/** Resolves when nothing runs any more, or the time is up. */
	async #quiet(graceMs: number): Promise<void> {
		if (this.#running.size === 0 || graceMs <= 0) return;
		await new Promise<void>((resolve) => {
			const stop = this.#parts.clock.after(graceMs, resolve);
			void Promise.all(this.#running).then(() => {
				stop();
				resolve();
			});
		});
	}
}
