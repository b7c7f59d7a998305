import type { Outcome, ToolOutcome } from "../agent/declaration.js";
import type { ModelResponse } from "../model/model.js";

/**
 * The record of the running turn, written as things happen, gone when it commits. A resumed turn replays it: what is
 * recorded is never asked or run again. `at` is when it happened, so that a replay dates its rows the same.
 */
export type JournalEntry =
	/**
	 * First entry: which waiting items are this turn's input, and its time. What arrives later is the next turn's. A second
	 * one begins the turn anew with more: of what stands before it only the hooks still count.
	 */
	| { entry: "began"; turn: string; items: number; at: number }
	| { entry: "hooked"; name: string; outcome: Outcome; at: number }
	| { entry: "answered"; step: number; response: ModelResponse; at: number }
	/** About to run: found without its `ran`, the outcome is unknown and `effect` decides. */
	| { entry: "running"; step: number; calls: readonly string[] }
	| { entry: "ran"; step: number; outcomes: readonly ToolOutcome[]; at: number };

/** What counts of a journal: from its last beginning on, with the hooks that ran before it. */
export function inForce(journal: readonly JournalEntry[]): readonly JournalEntry[] {
	const last = journal.findLastIndex(({ entry }) => entry === "began");
	if (last <= 0) return journal;
	const hooks = journal.slice(0, last).filter(({ entry }) => entry === "hooked");
	const [began, ...rest] = journal.slice(last);
	return began === undefined ? journal : [began, ...hooks, ...rest];
}
