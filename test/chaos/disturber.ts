import { setTimeout as sleep } from "node:timers/promises";
import type { Disturbance } from "./plan.js";
import type { RedisServer } from "./redis-server.js";
import type { Slot } from "./slot.js";
import type { Watch } from "./watch.js";

export interface DisturberOptions {
	slots: readonly Slot[];
	redis: RedisServer | undefined;
	watch: Watch;
	/** Told of everything done, in words. */
	told(line: string): void;
}

/** How long a process may take to find out that the store is down, ms. */
const STARTED_WITHIN_MS = 10_000;
/** How often to look for a process in the middle of a turn, every 5 ms, before any will do. */
const BUSY_LOOKS = 100;

/** Does to the processes what the plan says, when it says it. */
export class Disturber {
	/** How often each was done. */
	readonly done = { kill: 0, "kill gateway": 0, drain: 0, freeze: 0, redis: 0 };
	readonly #options: DisturberOptions;
	readonly #running = new Set<Promise<void>>();
	#storeIsDown = false;
	#storeWasDownUntil = 0;
	#frozen = 0;
	#redis: Promise<void> = Promise.resolve();

	constructor(options: DisturberOptions) {
		this.#options = options;
	}

	/** Whether the store is down, or was when a process that ends now was started. */
	get storeInTrouble(): boolean {
		return this.#storeIsDown || Date.now() - this.#storeWasDownUntil < STARTED_WITHIN_MS;
	}

	/** Resolves once all of it is done and over. */
	async run(plan: readonly Disturbance[]): Promise<void> {
		for (const disturbance of plan) {
			await this.#options.watch.reached(disturbance.after);
			await sleep(disturbance.waitMs);
			const doing = this.#do(disturbance).finally(() => this.#running.delete(doing));
			this.#running.add(doing);
			if (disturbance.what !== "freeze" && disturbance.what !== "redis" && disturbance.what !== "drain") await doing;
		}
		await Promise.all(this.#running);
	}

	async #do(disturbance: Disturbance): Promise<void> {
		const { redis, watch } = this.#options;
		watch.disturbed();
		if (disturbance.what === "redis") {
			const { signal, downMs } = disturbance;
			this.#tell(disturbance, `${signal} to Redis, down for ${downMs} ms`);
			this.#redis = this.#redis.then(async () => {
				this.#storeIsDown = true;
				await redis?.restart(signal, downMs);
				this.#storeIsDown = false;
				this.#storeWasDownUntil = Date.now();
			});
			return this.#redis;
		}
		const slot = await this.#victim(disturbance.what === "kill gateway" ? ["gateway"] : ["all", "worker"], disturbance);
		if (disturbance.what === "drain") {
			this.#tell(disturbance, `SIGTERM to ${slot.name}`);
			return slot.drain();
		}
		if (disturbance.what === "freeze") {
			this.#tell(disturbance, `SIGSTOP to ${slot.name} for ${disturbance.ms} ms`);
			this.#frozen += 1;
			await slot.freeze(disturbance.ms);
			this.#frozen -= 1;
			return;
		}
		const by = slot.by;
		const calm =
			!this.#storeIsDown && this.#frozen === 0 && this.#options.slots.every(({ port }) => port !== undefined);
		const turns = slot.kill();
		watch.orphaned(turns, by, !calm);
		this.#tell(disturbance, `SIGKILL to ${slot.name}, in the middle of ${turns.length} turns`);
	}

	/** A process that runs, waited for if need be. */
	async #victim(roles: readonly Slot["role"][], { victim, busy }: { victim: number; busy: boolean }): Promise<Slot> {
		for (let looks = 0; ; looks += 1) {
			const up = this.#up(roles).filter(({ turns }) => !busy || looks > BUSY_LOOKS || turns.size > 0);
			const slot = up[victim % Math.max(1, up.length)];
			if (slot !== undefined) return slot;
			await sleep(5);
		}
	}

	#up(roles: readonly Slot["role"][]): readonly Slot[] {
		return this.#options.slots.filter(({ role, port }) => roles.includes(role) && port !== undefined);
	}

	#tell({ what }: Disturbance, line: string): void {
		this.done[what] += 1;
		this.#options.told(`at ${this.#options.watch.handled}: ${line}`);
	}
}
