/** How the engine of one process works. Every value has a default; times are ms. */
export interface EngineLimits {
	/** Turns run at once. Default 200: a turn mostly waits for a model. */
	turns: number;
	/** Addresses sent to at once. Default 200. */
	sends: number;
	/** How long a worker may be silent before its call is taken from it. Default 2 s. */
	leaseMs: number;
	/** How often a worker renews its right. Default 0.7 s. */
	renewMs: number;
	/** Waiting items given to one turn at most. Default 100. */
	items: number;
	/** Turns of one address run in a row before others have theirs. Default 10. */
	batch: number;
	/** History rows kept of a call at least. Default 1,000. */
	keep: number;
	/** Items that may wait at one address. Default 1,000. */
	inbox: number;
	/** How long a message id is remembered. Default 8 days. */
	dedupeMs: number;
	/** Failed turns in a row after which an address is set aside. Default 5. */
	failures: number;
	/**
	 * Processes that may die in the same turn before its address is set aside. More than `failures`, for a turn may stand
	 * beside one that kills its process. One that is stopped gives its turns back and does not count. Default 10.
	 */
	deaths: number;
	/** Wait after the first failed turn; doubled with each further one. Default 1 s. */
	firstRetryMs: number;
	/** Longest wait after a failed turn. Default 1 min. */
	longestRetryMs: number;
	/** Tries of one send before it counts as failed. Default 8. */
	attempts: number;
	/** How long one send may take before its outcome counts as unknown. Default 10 s. */
	sendMs: number;
}

export const defaultLimits: EngineLimits = {
	turns: 200,
	sends: 200,
	leaseMs: 2_000,
	renewMs: 700,
	items: 100,
	batch: 10,
	keep: 1_000,
	inbox: 1_000,
	dedupeMs: 8 * 24 * 3_600_000,
	failures: 5,
	deaths: 10,
	firstRetryMs: 1_000,
	longestRetryMs: 60_000,
	attempts: 8,
	sendMs: 10_000,
};
