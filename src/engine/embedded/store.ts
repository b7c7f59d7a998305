/** A stretch of keys in order: `from` is in it, `to` is not. */
export interface Range {
	from: string;
	to: string;
	limit?: number;
	/** Highest keys first. */
	reverse?: boolean;
}

/** What one operation may read. Values are plain data and belong to the reader: they are not shared with the store. */
export interface Reading {
	get<T>(key: string): T | undefined;
	range<T>(range: Range): readonly { key: string; value: T }[];
}

/** What one operation may write. It reads its own writes. */
export interface Writing extends Reading {
	put(key: string, value: unknown): void;
	remove(key: string): void;
}

/**
 * An ordered map from strings to plain data, with atomic operations. Everything the embedded backend knows is in one;
 * the operations themselves are written once, above it. Keys are printable ASCII and at most 1,900 characters.
 */
export interface Store {
	open(): Promise<void>;
	/** Waits for operations under way. After it, everything rejects. */
	close(): Promise<void>;
	read<T>(run: (tx: Reading) => T): T;
	/**
	 * Runs an operation and resolves when what it wrote is durable. When it throws, nothing of it is written. It may
	 * be run a second time, when another operation of the same flush failed, so it must touch nothing but `tx`.
	 */
	write<T>(run: (tx: Writing) => T): Promise<T>;
}
