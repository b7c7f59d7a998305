import type { Outcome, ToolOutcome } from "../agent/declaration.js";
import type { ModelResponse } from "../model/model.js";

/**
 * The record of the running turn, written as things happen, gone when it commits. A resumed turn replays it: what is
 * recorded is never asked or run again. `at` is when it happened, so that a replay dates its rows the same.
 */
export type JournalEntry =
	/** First entry: which waiting items are this turn's input, and its time. What arrives later is the next turn's. */
	| { entry: "began"; turn: string; items: number; at: number }
	| { entry: "hooked"; name: string; outcome: Outcome; at: number }
	| { entry: "answered"; step: number; response: ModelResponse; at: number }
	/** About to run: found without its `ran`, the outcome is unknown and `effect` decides. */
	| { entry: "running"; step: number; calls: readonly string[] }
	| { entry: "ran"; step: number; outcomes: readonly ToolOutcome[]; at: number };
