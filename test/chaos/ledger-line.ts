/** One thing that happened in the world outside, as the ledger wrote it down. */
export type LedgerLine =
	/** A tool did something under `key`. */
	| { what: "tool"; tool: "note" | "tally"; address: string; n: number; key: string; by: string }
	/** A message was handed to the platform. `arrived`: the person has it. */
	| { what: "send"; address: string; key: string; text: string; answer: SendAnswer; arrived: boolean; by: string };

/**
 * How the platform answered a send. `late`: long after the message had arrived. `reset` and `lost`: not at all; with
 * `reset` it had arrived.
 */
export type SendAnswer = "sent" | "slow" | "late" | "too many" | "unavailable" | "reset" | "lost";

/** What a process asks of the ledger. */
export type ToolRequest = Omit<Extract<LedgerLine, { what: "tool" }>, "what">;
export type SendRequest = Pick<Extract<LedgerLine, { what: "send" }>, "address" | "key" | "text" | "by">;

/** What the ledger is started with. */
export interface LedgerOrder {
	path: string;
	seed: number;
}

/** What the ledger tells whoever started it. */
export type LedgerNews = { port: number } | { lines: readonly LedgerLine[] };
