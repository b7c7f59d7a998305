import type { ToolCall } from "../call/history.js";
import type { JsonObject } from "../call/json.js";
import type { Usage } from "./usage.js";

/** One tool as the model is told of it. */
export interface ToolDefinition {
	name: string;
	description: string;
	/** JSON Schema of the arguments object. */
	parameters: JsonObject;
	/** Whether the schema fits the provider's strict mode, so that it may be asked for. */
	strict: boolean;
}

export type ModelMessage =
	| { role: "user"; text: string; name?: string }
	| { role: "assistant"; text?: string; calls?: readonly ToolCall[] }
	| { role: "tool"; call: string; content: string }
	/** A sentence of the framework, shown as a system note in its place in the history. */
	| { role: "note"; text: string };

/**
 * One request. `system` is the static region, byte-identical through a call; `view` is what is true now and goes last.
 * `tools` is constant through a call; `allowed` names the ones visible now. How the two travel without breaking the
 * provider's prompt cache is the model's own business (see docs/caching.md).
 */
export interface ModelRequest {
	system: string;
	history: readonly ModelMessage[];
	view: string;
	tools: readonly ToolDefinition[];
	allowed: readonly string[];
	/** `none`: tools are off, words must come. */
	toolChoice: "auto" | "none";
	/** Stable through a call: lets a provider route its requests to one cache. */
	cacheKey: string;
}

export interface ModelResponse {
	/** Words for the person; "" when there are none. */
	text: string;
	calls: readonly ToolCall[];
	/** `length`: cut by the token limit. `filtered`/`refused`: the provider or model declined. */
	finish: "stop" | "tools" | "length" | "filtered" | "refused";
	usage: Usage;
	/** The model that answered, as the provider names it. */
	model: string;
	/** Cost in US dollars, where prices are known. */
	cost?: number;
	/** How many HTTP requests it took, retries and fallbacks included. */
	attempts: number;
}

export interface AskOptions {
	signal: AbortSignal;
	/** Called with each further piece of text. */
	onText?(piece: string): void;
	/** Called when what was streamed so far is void, because the request starts over. */
	onRestart?(): void;
}

/** Something that answers requests: the real client, or a script. */
export interface Model {
	/** For logs: `openai/gpt-4.1-mini`, `script/clinica-norte`. */
	readonly name: string;
	/**
	 * @throws CallboardError with fault `platform`, code `MODEL_UNAVAILABLE` (down, overloaded, breaker open),
	 * `MODEL_REFUSED_KEY`, `MODEL_QUOTA`, `MODEL_BAD_REQUEST` or `MODEL_CONTEXT_OVERFLOW`; never with the provider's own
	 * text, which may hold parts of a key.
	 */
	ask(request: ModelRequest, options: AskOptions): Promise<ModelResponse>;
}
