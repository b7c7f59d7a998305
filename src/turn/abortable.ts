/**
 * The promise, or the signal's reason as soon as it is aborted: whatever hangs is left behind. What it still brings is
 * ignored.
 */
export function abortable<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
	return new Promise((resolve, reject) => {
		const abort = () => reject(signal.reason);
		if (signal.aborted) abort();
		signal.addEventListener("abort", abort, { once: true });
		promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
	});
}
