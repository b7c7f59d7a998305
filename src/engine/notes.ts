import type { JournalEntry } from "../turn/journal.js";

/**
 * Writes the journal of one turn. What changes nothing outside is not worth a write of its own and is written along with
 * what follows it: that a turn began, and an answer of mere words. Behind such an answer the turn's own write comes next,
 * which keeps it as soon as an entry would have; anything with an effect that may come between writes it first.
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
		if (entry.entry !== "began" && !isLastWord(entry)) await this.keep();
	}

	/** Writes what was not worth a write of its own, for a turn that does not come to its end. */
	async keep(): Promise<void> {
		const entries = this.#held;
		if (entries.length === 0) return;
		const at = this.#position;
		this.#held = [];
		this.#position += entries.length;
		await this.#write(at, entries);
	}
}

/** Whether nothing is asked after this: the model wants no tool and has said something. */
function isLastWord(entry: JournalEntry): boolean {
	return entry.entry === "answered" && entry.response.calls.length === 0 && entry.response.text.trim() !== "";
}
