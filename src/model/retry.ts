import type { Failure } from "./failure.js";

/** When a failed request is tried again. */
export interface RetryPolicy {
	/** Requests made to one model at most, the first included. Default 3. */
	readonly attempts: number;
	/** Longest wait before the second try, in ms; it doubles with each further one. Default 500. */
	readonly baseMs: number;
	/** No wait of our own is longer, in ms. Default 8,000. */
	readonly maxMs: number;
	/** A server that asks for a longer wait than this is not waited for, in ms. Default 20,000. */
	readonly retryAfterMaxMs: number;
}

export const defaultRetry: RetryPolicy = { attempts: 3, baseMs: 500, maxMs: 8_000, retryAfterMaxMs: 20_000 };

/**
 * How long to wait before trying again after the `attempt`-th failure, in ms; undefined when it is not worth it. The
 * upper half of each step is random, so that many calls that failed together do not come back together.
 */
export function retryDelay(
	failure: Failure,
	attempt: number,
	policy: RetryPolicy,
	random: () => number,
): number | undefined {
	if (failure.kind !== "down" && failure.kind !== "busy") return undefined;
	if (attempt >= policy.attempts) return undefined;
	if (failure.retryAfterMs !== undefined) {
		return failure.retryAfterMs <= policy.retryAfterMaxMs ? failure.retryAfterMs : undefined;
	}
	const step = Math.min(policy.maxMs, policy.baseMs * 2 ** (attempt - 1));
	return step / 2 + (step / 2) * random();
}
