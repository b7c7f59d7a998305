import type { Clock } from "../clock.js";
import type { Log } from "../observe/log.js";
import type { Backend } from "./backend.js";
import type { Budget } from "./gate.js";
import type { DoorLimit } from "./rates.js";
import type { Shared } from "./share-terms.js";

/** How long a part outlives its process, ms. */
const LEASE_MS = 3_000;
/** How often it is renewed, ms: a part that is too great for a process is another's within this time and that of a send. */
const RENEW_MS = 1_000;
/** Who has too little asks again no sooner, ms. */
const SOON_MS = 250;

export interface ShareOptions {
	/** Takes part with the other processes. */
	ask: NonNullable<Backend["share"]>;
	door: string;
	owner: string;
	limit: DoorLimit;
	clock: Clock;
	log: Log;
	/** How many sends are wanted within the limit's time. */
	wants(): number;
	/** The part has changed, or until when the door is closed; 0: it is not. */
	changed(closedUntil: number): void;
}

/** The part of what a door takes that is this process's: renewed beside the sends, so that none has to ask. */
export class Share implements Budget {
	readonly #options: ShareOptions;
	#part = 0;
	#until = 0;
	#askedAt = 0;
	#nextAt = Number.POSITIVE_INFINITY;
	#asking = false;
	#closedUntil = 0;
	#stopped = false;
	#cancel: () => void = () => {};

	constructor(options: ShareOptions) {
		this.#options = options;
	}

	start(): void {
		void this.#ask();
	}

	/** The part, in sends. */
	get most(): number {
		return this.#until > this.#options.clock.now() ? this.#part : 0;
	}

	get withinMs(): number {
		return this.#options.limit.withinMs;
	}

	tooLittle(): void {
		if (this.#asking || this.#stopped || this.most >= this.#options.limit.most) return;
		this.#askAt(this.#askedAt + SOON_MS);
	}

	/** The platform wants the door left alone: the other processes are told at once. */
	close(until: number): void {
		if (until <= this.#closedUntil) return;
		this.#closedUntil = until;
		if (!this.#asking && !this.#stopped) this.#askAt(this.#options.clock.now());
	}

	/** Gives it back, without waiting. */
	stop(): void {
		this.#stopped = true;
		this.#cancel();
		this.#request(0, 0, 0).catch(() => {});
	}

	#askAt(at: number): void {
		if (at >= this.#nextAt) return;
		this.#nextAt = at;
		this.#cancel();
		this.#cancel = this.#options.clock.after(Math.max(0, at - this.#options.clock.now()), () => void this.#ask());
	}

	async #ask(): Promise<void> {
		const { clock, log, door, limit, wants, changed } = this.#options;
		this.#asking = true;
		this.#nextAt = Number.POSITIVE_INFINITY;
		this.#askedAt = clock.now();
		const has = this.most;
		const told = this.#closedUntil;
		let next = RENEW_MS;
		try {
			const { part, closedUntil } = await this.#request(has, Math.min(limit.most, wants()), LEASE_MS);
			this.#part = part;
			this.#until = this.#askedAt + LEASE_MS;
			// The rest is the others' once it is known to be kept to.
			if (part < has || this.#closedUntil > told) next = 0;
			this.#closedUntil = Math.max(this.#closedUntil, closedUntil);
		} catch (error) {
			log.debug("share.unknown", { door, error });
		}
		this.#asking = false;
		if (this.#stopped) return;
		this.#askAt(clock.now() + next);
		changed(this.#closedUntil);
	}

	#request(has: number, wants: number, leaseMs: number): Promise<Shared> {
		const { ask, door, owner, limit } = this.#options;
		return ask(door, { owner, ...limit, has, wants, leaseMs, closedUntil: this.#closedUntil });
	}
}
