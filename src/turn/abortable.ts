/**
 * What `run` brings, or the signal's reason as soon as it is aborted: whatever hangs is left behind, and what it still
 * brings is ignored. Nothing is run once the signal is aborted.
 */
export function abortable<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
	return new Promise((resolve, reject) => {
		const abort = () => reject(signal.reason);
		if (signal.aborted) return abort();
		signal.addEventListener("abort", abort, { once: true });
		run()
			.then(resolve, reject)
			.finally(() => signal.removeEventListener("abort", abort));
	});
}
