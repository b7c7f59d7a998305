import { GroupCommit, unavailable } from "./group-commit.js";
import type { Range, Reading, Store, Writing } from "./store.js";

/** A store that lives as long as the object: for unit tests. Closed and opened again, it still has what it had. */
export class MemoryStore implements Store {
	readonly #values = new Map<string, string>();
	/** All keys, in order, by their first word: no range goes over more than one. */
	readonly #keys = new Map<string, string[]>();
	#commit: GroupCommit | undefined;

	async open(): Promise<void> {
		this.#commit = new GroupCommit((body) => this.#transact(body));
	}

	async close(): Promise<void> {
		this.#commit?.close();
		this.#commit = undefined;
	}

	read<T>(run: (tx: Reading) => T): T {
		if (this.#commit === undefined) throw unavailable("the store is closed");
		return run(this.#reading());
	}

	write<T>(run: (tx: Writing) => T): Promise<T> {
		return this.#commit?.write(run) ?? Promise.reject(unavailable("the store is closed"));
	}

	#transact(body: (tx: Writing) => void): void {
		const undo: [string, string | undefined][] = [];
		const set = (key: string, text: string | undefined) => {
			undo.push([key, this.#values.get(key)]);
			this.#set(key, text);
		};
		try {
			body({
				...this.#reading(),
				put: (key, value) => set(key, JSON.stringify(value)),
				remove: (key) => set(key, undefined),
			});
		} catch (error) {
			for (const [key, text] of undo.reverse()) this.#set(key, text);
			throw error;
		}
	}

	#reading(): Reading {
		return {
			get: <T>(key: string) => {
				const text = this.#values.get(key);
				return text === undefined ? undefined : (JSON.parse(text) as T);
			},
			range: <T>({ from, to, limit, reverse }: Range) => {
				const all = this.#keysLike(from);
				const [first, end] = [find(all, from), find(all, to)];
				const size = Math.min(end - first, limit ?? Number.POSITIVE_INFINITY);
				const keys = reverse ? all.slice(end - size, end).reverse() : all.slice(first, first + size);
				return keys.map((key) => ({ key, value: JSON.parse(this.#values.get(key)!) as T }));
			},
		};
	}

	#set(key: string, text: string | undefined): void {
		const known = this.#values.has(key);
		const keys = this.#keysLike(key);
		if (text === undefined) {
			if (known) keys.splice(find(keys, key), 1);
			this.#values.delete(key);
		} else {
			if (!known) keys.splice(find(keys, key), 0, key);
			this.#values.set(key, text);
		}
	}

	#keysLike(key: string): string[] {
		const word = key.slice(0, key.indexOf(" "));
		const keys = this.#keys.get(word) ?? [];
		if (keys.length === 0) this.#keys.set(word, keys);
		return keys;
	}
}

/** Index of the first key that is not below. */
function find(keys: readonly string[], key: string): number {
	let low = 0;
	let high = keys.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (keys[middle]! < key) low = middle + 1;
		else high = middle;
	}
	return low;
}
