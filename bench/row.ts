/** One line of a bench's table. `ratio` is `ours / against`; `ok` says whether `target` holds. */
export interface Row {
	row: string;
	ours: number;
	against: number;
	ratio: number;
	/** In words: `<= 1.2`. */
	target: string;
	ok: boolean;
	/** Unit of `ours` and `against`. */
	unit: string;
}

/** A bench file's default export. */
export interface Bench {
	name: string;
	run(): Promise<readonly Row[]>;
}

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
