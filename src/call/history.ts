import type { Content } from "./message.js";
import type { Part } from "./part.js";

export interface ToolCall {
	/** The model's own id of the call; every call gets exactly one result with it. */
	id: string;
	name: string;
	/** JSON as the model wrote it; may be malformed. */
	arguments: string;
}

/** Who said something to the person: the model, the agent's code, or a human of the business. */
export type Speaker = "model" | "code" | "human";

/**
 * One row of a conversation's history, append-only. What was said to the person is one `said` row a part, with the id
 * of its outbox row; the request that asked for tools is an `asked` row and each result a `result` row.
 */
export type HistoryEntry =
	| { role: "user"; id: string; content: Content; name?: string; at: number }
	| { role: "said"; id: string; part: Part; by: Speaker; at: number }
	| { role: "asked"; text?: string; calls: readonly ToolCall[]; at: number }
	| { role: "result"; call: string; name: string; content: string; error?: true; at: number }
	/** A sentence of the framework: a hand-over, a collapse. Shown to the model as a note, never as anyone's words. */
	| { role: "note"; text: string; at: number };
