import type { Clock } from "../clock.js";

/** When a model that keeps failing is left alone. */
export interface BreakerPolicy {
	/** Failures in a row that open it. Default 5. */
	readonly failures: number;
	/** How long it stays open before one request may probe, in ms. Default 30,000. */
	readonly openMs: number;
}

export const defaultBreaker: BreakerPolicy = { failures: 5, openMs: 30_000 };

/**
 * Keeps every call of a process from waiting, one by one, for a model that is down: after some failures in a row
 * requests fail at once, until a single probe comes through.
 */
export class Breaker {
	#inRow = 0;
	#openUntil: number | undefined;
	#probing = false;

	constructor(
		private readonly policy: BreakerPolicy,
		private readonly clock: Clock,
	) {}

	/**
	 * Asks for leave to send one request: true when it may go. Whoever got leave reports the end by `succeeded`,
	 * `failed` or `abandoned`.
	 */
	admit(): boolean {
		if (this.#openUntil === undefined) return true;
		if (this.#probing || this.clock.now() < this.#openUntil) return false;
		this.#probing = true;
		return true;
	}

	/** The server answered, be it with a refusal. */
	succeeded(): void {
		this.#inRow = 0;
		this.#openUntil = undefined;
		this.#probing = false;
	}

	/** It did not. Returns true when this failure opened the breaker. */
	failed(): boolean {
		this.#inRow += 1;
		const wasProbe = this.#probing;
		this.#probing = false;
		if (!wasProbe && (this.#openUntil !== undefined || this.#inRow < this.policy.failures)) return false;
		this.#openUntil = this.clock.now() + this.policy.openMs;
		return true;
	}

	/** The request was given up before its end told anything. */
	abandoned(): void {
		this.#probing = false;
	}

	/** Milliseconds until a probe may go; 0 when closed. */
	get waitMs(): number {
		return this.#openUntil === undefined ? 0 : Math.max(0, this.#openUntil - this.clock.now());
	}
}

const byClock = new WeakMap<Clock, Map<string, Breaker>>();

/**
 * The breaker of one model at one server, shared by all that live on one clock: a process has one, a test its own.
 * The first to ask sets its policy.
 */
export function sharedBreaker(clock: Clock, baseURL: string, model: string, policy: BreakerPolicy): Breaker {
	let breakers = byClock.get(clock);
	if (breakers === undefined) {
		breakers = new Map();
		byClock.set(clock, breakers);
	}
	const key = `${baseURL} ${model}`;
	let breaker = breakers.get(key);
	if (breaker === undefined) {
		breaker = new Breaker(policy, clock);
		breakers.set(key, breaker);
	}
	return breaker;
}
