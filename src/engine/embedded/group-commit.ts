import { CallboardError } from "../../errors.js";
import type { Writing } from "./store.js";

interface Pending {
	run: (tx: Writing) => unknown;
	resolve: (value: unknown) => void;
	reject: (error: unknown) => void;
}

type Outcome = { value: unknown } | { error: unknown };

/** Runs `body` in one transaction and makes it durable before it returns; writes nothing when `body` throws. */
export type Transact = (body: (tx: Writing) => void) => void;

/**
 * Puts operations that arrive together into one transaction, so that a flush to disk serves all of them. Each stays
 * atomic for itself: one that throws takes no other with it.
 */
export class GroupCommit {
	readonly #transact: Transact;
	#waiting: Pending[] = [];
	#scheduled: NodeJS.Immediate | undefined;
	#closed = false;

	constructor(transact: Transact) {
		this.#transact = transact;
	}

	write<T>(run: (tx: Writing) => T): Promise<T> {
		if (this.#closed) return Promise.reject(unavailable("the store is closed"));
		return new Promise<T>((resolve, reject) => {
			this.#waiting.push({ run, resolve: resolve as (value: unknown) => void, reject });
			this.#scheduled ??= setImmediate(() => this.flush());
		});
	}

	/** Runs what waits now, instead of when this round of the event loop ends. */
	flush(): void {
		if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
		this.#scheduled = undefined;
		const group = this.#waiting;
		this.#waiting = [];
		if (group.length === 0) return;
		const outcomes = this.#together(group) ?? group.map((each) => this.#alone(each));
		group.forEach((each, index) => {
			const outcome = outcomes[index]!;
			if ("error" in outcome) each.reject(outcome.error);
			else each.resolve(outcome.value);
		});
	}

	close(): void {
		this.flush();
		this.#closed = true;
	}

	/** Undefined when the group as a whole cannot be written. */
	#together(group: readonly Pending[]): Outcome[] | undefined {
		if (group.length === 1) return undefined;
		const outcomes: Outcome[] = [];
		try {
			this.#transact((tx) => {
				for (const each of group) {
					const watched = watch(tx);
					try {
						outcomes.push({ value: each.run(watched.tx) });
					} catch (error) {
						if (watched.wrote()) throw error;
						outcomes.push({ error });
					}
				}
			});
			return outcomes;
		} catch {
			return undefined;
		}
	}

	#alone(each: Pending): Outcome {
		let thrown: { error: unknown } | undefined;
		try {
			let value: unknown;
			this.#transact((tx) => {
				try {
					value = each.run(tx);
				} catch (error) {
					thrown = { error };
					throw error;
				}
			});
			return { value };
		} catch (error) {
			return thrown ?? { error: unavailable("the store cannot be written", error) };
		}
	}
}

function watch(tx: Writing): { tx: Writing; wrote: () => boolean } {
	let wrote = false;
	return {
		wrote: () => wrote,
		tx: {
			get: (key) => tx.get(key),
			range: (range) => tx.range(range),
			put(key, value) {
				wrote = true;
				tx.put(key, value);
			},
			remove(key) {
				wrote = true;
				tx.remove(key);
			},
		},
	};
}

export function unavailable(what: string, cause?: unknown): CallboardError {
	return new CallboardError("BACKEND_UNAVAILABLE", "platform", what, {
		next: "look at the free space of the disk and at who may write there, then start again",
		...(cause === undefined ? {} : { cause }),
	});
}
