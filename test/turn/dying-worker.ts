import type { JournalEntry } from "../../src/turn/journal.js";

export const died = new Error("the worker died");

/** A worker that writes to one durable journal and dies after its `after`th note. */
export function note(journal: JournalEntry[], after: number) {
	let written = 0;
	return async (entry: JournalEntry) => {
		journal.push(structuredClone(entry));
		written += 1;
		if (written === after) throw died;
	};
}
