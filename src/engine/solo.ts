import { type Clock, pause } from "../clock.js";
import type { Log } from "../observe/log.js";
import type { Backend } from "./backend.js";

export interface SoloOptions {
	backend: Pick<Backend, "hold" | "letGo">;
	/** Unique among all processes. */
	owner: string;
	clock: Clock;
	log: Log;
}

/** How long a right outlives a holder who died; with the look below it, the longest time nobody has it. */
const LEASE_MS = 6_000;
/** How often a holder renews its right, and somebody who stands by looks whether it is free. */
const LOOK_MS = 2_000;

/** Lets one process at a time do a thing, by a right that the backend keeps. */
export class Solo {
	readonly #options: SoloOptions;

	constructor(options: SoloOptions) {
		this.#options = options;
	}

	/** As `ChannelHost.alone`; `name` is unique over all doors. */
	async run(name: string, run: (signal: AbortSignal) => Promise<void>, stop: AbortSignal): Promise<void> {
		const { log } = this.#options;
		let standsBy = false;
		while (!stop.aborted) {
			if (await this.#hold(name)) {
				if (standsBy) log.info("solo.taken-over", { right: name });
				standsBy = false;
				if (await this.#whileHeld(name, run, stop)) return;
			} else if (!standsBy) {
				standsBy = true;
				log.info("solo.stands-by", { right: name });
			}
			await this.#wait(LOOK_MS, stop);
		}
	}

	/** @returns whether `run` ended by itself */
	async #whileHeld(name: string, run: (signal: AbortSignal) => Promise<void>, stop: AbortSignal): Promise<boolean> {
		const { backend, owner, clock, log } = this.#options;
		const over = new AbortController();
		const signal = AbortSignal.any([over.signal, stop]);
		let lost = false;
		const renewing = (async () => {
			let heldUntil = clock.now() + LEASE_MS;
			while (!signal.aborted) {
				await this.#wait(LOOK_MS, signal);
				if (signal.aborted) return;
				const held = await this.#hold(name);
				if (held) heldUntil = clock.now() + LEASE_MS;
				else if (held === false || clock.now() + LOOK_MS > heldUntil) {
					lost = true;
					log.warn("solo.lost", { right: name });
					over.abort(new Error("another process has this right now"));
				}
			}
		})();
		try {
			await run(signal);
		} finally {
			over.abort();
			await renewing;
			if (!lost) await backend.letGo?.(name, owner).catch(() => {});
		}
		return !lost && !stop.aborted;
	}

	/** Undefined when the backend cannot say. */
	async #hold(name: string): Promise<boolean | undefined> {
		const { backend, owner, log } = this.#options;
		try {
			return (await backend.hold?.(name, { owner, leaseMs: LEASE_MS })) ?? true;
		} catch (error) {
			log.warn("solo.unknown", { right: name, error });
			return undefined;
		}
	}

	async #wait(ms: number, signal: AbortSignal): Promise<void> {
		await pause(this.#options.clock, ms, signal).catch(() => {});
	}
}
