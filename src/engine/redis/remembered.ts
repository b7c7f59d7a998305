import type { AddressKey } from "../../call/address.js";
import type { HistoryEntry } from "../../call/history.js";
import type { Lease, Settlement } from "../backend.js";

/** Record and newest rows of a call, as they are stored and as they are read. */
export interface KnownCall {
	/** Fence and rows of the settlement that left it so: by that a claim names it. */
	name: string;
	record: string;
	history: readonly HistoryEntry[];
}

/** A call as the last settlement of this process left it, or as a claim that it has not settled yet handed it out. */
interface Known {
	fence: number;
	/** As it is stored; absent until it is settled. */
	record: string | undefined;
	/** The newest rows, as many as the window has. */
	history: readonly HistoryEntry[];
	/** How many rows the call has. */
	rows: number;
	window: number;
}

/** Rows kept of all calls together. */
const MOST_ROWS = 50_000;

/**
 * What this process knows of the calls that it had last, so that a claim need not hand out again what it wrote itself.
 * Redis says whether that still holds; nothing rests on it but speed. The oldest are forgotten.
 */
export class Remembered {
	readonly #known = new Map<AddressKey, Known>();
	#rows = 0;

	/** What is remembered of a call since its last settlement, if it has enough rows for the window. */
	settled(address: AddressKey, window: number): KnownCall | undefined {
		const known = this.#known.get(address);
		if (known?.record === undefined || known.window !== window) return undefined;
		return { name: `${known.fence} ${known.rows}`, record: known.record, history: known.history };
	}

	claimed({ address, fence }: Lease, window: number, history: readonly HistoryEntry[], rows: number): void {
		this.#put(address, { fence, record: undefined, history, rows, window });
	}

	/**
	 * A call as it was claimed, where that is known: a settlement begins with it, since it may be forgotten before Redis
	 * answers.
	 * @param window of the claim that is to follow, if one is
	 */
	claimedBy({ address, fence }: Lease, window: number | undefined): Known | undefined {
		const known = this.#known.get(address);
		return known?.fence === fence && (window ?? known.window) === known.window ? known : undefined;
	}

	/**
	 * @param record as it was written
	 * @param known what the settlement began with, if the history in Redis is that and what it appended
	 */
	wrote(
		{ address, fence }: Lease,
		{ fresh, append, keep }: Settlement,
		record: string,
		known: Known | undefined,
	): void {
		if (known === undefined) {
			this.forget(address);
			return;
		}
		const { window } = known;
		const earlier = fresh ? [] : known.history;
		const rows = (fresh ? 0 : known.rows) + append.length;
		const history = newest([...earlier, ...append], Math.min(window, keep));
		this.#put(address, { fence, record, history, rows, window });
	}

	forget(address: AddressKey): void {
		const known = this.#known.get(address);
		if (known === undefined) return;
		this.#rows -= known.history.length + 1;
		this.#known.delete(address);
	}

	#put(address: AddressKey, known: Known): void {
		this.forget(address);
		this.#known.set(address, known);
		this.#rows += known.history.length + 1;
		if (this.#rows <= MOST_ROWS) return;
		for (const oldest of this.#known.keys()) {
			if (this.#rows <= MOST_ROWS || oldest === address) return;
			this.forget(oldest);
		}
	}
}

/** The last `count` of a list. */
export function newest<T>(all: readonly T[], count: number): readonly T[] {
	return all.length <= count ? all : all.slice(all.length - count);
}
