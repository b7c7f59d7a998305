/**
 * Ends a turn, or a send, before its time. It says no more than an AbortSignal, which it makes only for who asks for one: signals
 * and their listeners are dear, and most of what a turn does needs none.
 */
export class Stop {
	#aborted = false;
	#reason: unknown;
	#waiting: Set<() => void> | undefined;
	#controller: AbortController | undefined;

	get aborted(): boolean {
		return this.#aborted;
	}

	/** What it was aborted with. */
	get reason(): unknown {
		return this.#reason;
	}

	/** For whoever outside has to hear of it. */
	get signal(): AbortSignal {
		if (this.#controller === undefined) {
			this.#controller = new AbortController();
			if (this.#aborted) this.#controller.abort(this.#reason);
		}
		return this.#controller.signal;
	}

	throwIfAborted(): void {
		if (this.#aborted) throw this.#reason;
	}

	/** The first reason counts. */
	abort(reason: unknown): void {
		if (this.#aborted) return;
		this.#aborted = true;
		this.#reason = reason;
		this.#controller?.abort(reason);
		for (const hear of this.#waiting ?? []) hear();
	}

	/** One that is aborted with this one, and may be alone. */
	child(): Stop {
		const child = new Stop();
		if (this.#aborted) child.abort(this.#reason);
		else this.#hearers.add(() => child.abort(this.#reason));
		return child;
	}

	/**
	 * What `run` brings, or the reason as soon as this is aborted: whatever hangs is left behind, and what it still brings
	 * is ignored. Nothing is run once it is aborted.
	 */
	race<T>(run: () => Promise<T>): Promise<T> {
		return new Promise((resolve, reject) => {
			const abort = () => reject(this.#reason);
			if (this.#aborted) return abort();
			const hearers = this.#hearers;
			hearers.add(abort);
			run().then(
				(value) => {
					hearers.delete(abort);
					resolve(value);
				},
				(error) => {
					hearers.delete(abort);
					reject(error);
				},
			);
		});
	}

	get #hearers(): Set<() => void> {
		this.#waiting ??= new Set();
		return this.#waiting;
	}
}
