/** Who hears of a signal's abort. One listener a signal, since listeners are dear and a turn needs many. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * What `run` brings, or the signal's reason as soon as it is aborted: whatever hangs is left behind, and what it still
 * brings is ignored. Nothing is run once the signal is aborted.
 */
export function abortable<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
	return new Promise((resolve, reject) => {
		const abort = () => reject(signal.reason);
		if (signal.aborted) return abort();
		const hearing = listenersOf(signal);
		hearing.add(abort);
		run().then(
			(value) => {
				hearing.delete(abort);
				resolve(value);
			},
			(error) => {
				hearing.delete(abort);
				reject(error);
			},
		);
	});
}

function listenersOf(signal: AbortSignal): Set<() => void> {
	const known = waiting.get(signal);
	if (known !== undefined) return known;
	const hearing = new Set<() => void>();
	waiting.set(signal, hearing);
	signal.addEventListener(
		"abort",
		() => {
			for (const abort of hearing) abort();
		},
		{ once: true },
	);
	return hearing;
}
