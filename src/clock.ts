/** The only source of time. Tests replace it by a virtual one (`callboard/testing`). All times are milliseconds. */
export interface Clock {
	/** Milliseconds since 1970-01-01 UTC. */
	now(): number;
	/** Calls `run` once, `ms` from now, and returns what stops it. */
	after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
	now: () => Date.now(),
	after(ms, run) {
		const timer = setTimeout(run, ms);
		return () => clearTimeout(timer);
	},
};

/** Resolves `ms` from now; rejects with the signal's reason when it is aborted first. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		if (signal?.aborted) return reject(signal.reason);
		const abort = () => {
			stop();
			reject(signal?.reason);
		};
		const stop = clock.after(ms, () => {
			signal?.removeEventListener("abort", abort);
			resolve();
		});
		signal?.addEventListener("abort", abort, { once: true });
	});
}
