import type { JournalEntry } from "../turn/journal.js";

/**
 * Writes the journal of one turn. That a turn began changes nothing outside, so it is not worth a write of its own: it
 * is written along with what follows it.
 */
export class Notes {
	readonly #write: (position: number, entries: readonly JournalEntry[]) => Promise<void>;
	#position: number;
	#held: JournalEntry[] = [];

	/** @param position how many entries the journal has already */
	constructor(position: number, write: (position: number, entries: readonly JournalEntry[]) => Promise<void>) {
		this.#position = position;
		this.#write = write;
	}

	async note(entry: JournalEntry): Promise<void> {
		this.#held.push(entry);
		if (entry.entry === "began") return;
		const entries = this.#held;
		const at = this.#position;
		this.#held = [];
		this.#position += entries.length;
		await this.#write(at, entries);
	}
}
