import type OpenAI from "openai";
import type { ToolCall } from "../call/history.js";
import type { ModelResponse } from "./model.js";
import { SpokenText } from "./spoken-text.js";
import { ToolCallAssembly, type ToolCallPiece } from "./tool-call-assembly.js";
import type { Usage } from "./usage.js";

/** The stream ended before the answer did. */
class CutStream extends Error {
	override readonly name = "CutStream";
	constructor() {
		super("the stream ended before the answer did");
	}
}

/** Far above what any model answers, thoughts included, in characters: beyond it a stream is taken for one without an end. */
const LONGEST_ANSWER = 500_000;

/** The answer does not end. */
class EndlessStream extends Error {
	override readonly name = "EndlessStream";
	constructor() {
		super(`the answer has more than ${LONGEST_ANSWER} characters`);
	}
}

export interface StreamedAnswer {
	text: string;
	calls: readonly ToolCall[];
	finish: ModelResponse["finish"];
	/** Undefined when the server sent none. */
	usage: Usage | undefined;
	/** As the provider names it; undefined when it does not. */
	model: string | undefined;
}

export interface ReadOptions {
	/** Ids of tool calls that the history already uses. */
	taken: ReadonlySet<string>;
	onChunk(): void;
	onText(piece: string): void;
}

/**
 * Reads a streamed completion to its end. A stream that ends with neither a finish reason nor the usage that comes
 * last is cut; one that breaks off behind the finish reason has said all it had to say.
 *
 * @throws CutStream, EndlessStream, or what the stream itself threw
 */
export async function readChat(
	stream: AsyncIterable<OpenAI.ChatCompletionChunk>,
	options: ReadOptions,
): Promise<StreamedAnswer> {
	const words = new SpokenText(options.onText);
	const calls = new ToolCallAssembly();
	let reason: string | undefined;
	let refused = false;
	let size = 0;
	let usage: Usage | undefined;
	let model: string | undefined;

	try {
		for await (const chunk of stream) {
			options.onChunk();
			model ??= chunk.model || undefined;
			usage = usageOf(chunk.usage) ?? usage;
			const choice = chunk.choices?.[0];
			if (choice === undefined) continue;
			const delta = choice.delta as OpenAI.ChatCompletionChunk.Choice.Delta | undefined;
			size += sizeOf(delta);
			if (size > LONGEST_ANSWER) throw new EndlessStream();
			for (const piece of textPieces(delta?.content)) words.add(piece);
			if (delta?.refusal) {
				refused = true;
				words.add(delta.refusal);
			}
			for (const piece of (delta?.tool_calls ?? []) as ToolCallPiece[]) calls.add(piece);
			reason = choice.finish_reason ?? reason;
		}
	} catch (error) {
		if (reason === undefined) throw error;
	}
	if (reason === undefined && usage === undefined) throw new CutStream();
	words.end();
	return {
		text: words.text,
		calls: calls.finish(options.taken),
		finish: finishOf(reason, refused, calls.empty),
		usage,
		model,
	};
}

function sizeOf(delta: OpenAI.ChatCompletionChunk.Choice.Delta | undefined): number {
	const told = textPieces(delta?.content).reduce((sum, piece) => sum + piece.length, delta?.refusal?.length ?? 0);
	return (delta?.tool_calls ?? []).reduce((sum, call) => sum + (call.function?.arguments?.length ?? 0), told);
}

/** Servers differ in the reason they give for an answer with tool calls: the calls decide. */
function finishOf(reason: string | undefined, refused: boolean, noCalls: boolean): ModelResponse["finish"] {
	if (reason === "length") return "length";
	if (reason === "content_filter") return "filtered";
	if (!noCalls) return "tools";
	return refused ? "refused" : "stop";
}

/** Some servers stream content as a list of typed parts; only the text ones are words. */
function textPieces(content: unknown): readonly string[] {
	if (typeof content === "string") return [content];
	if (!Array.isArray(content)) return [];
	return content.flatMap((part: { type?: unknown; text?: unknown } | null) =>
		part?.type === "text" && typeof part.text === "string" ? [part.text] : [],
	);
}

/** Usage with the cached tokens under the names that OpenAI, DeepSeek and Moonshot give them. */
function usageOf(usage: unknown): Usage | undefined {
	if (typeof usage !== "object" || usage === null) return undefined;
	const counted = usage as Record<string, unknown> & { prompt_tokens_details?: Record<string, unknown> | null };
	if (typeof counted.prompt_tokens !== "number") return undefined;
	const input = counted.prompt_tokens;
	const cached =
		counted.prompt_tokens_details?.cached_tokens ?? counted.prompt_cache_hit_tokens ?? counted.cached_tokens;
	return { input, cached: Math.min(input, numberOr0(cached)), output: numberOr0(counted.completion_tokens) };
}

function numberOr0(value: unknown): number {
	return typeof value === "number" && value > 0 ? value : 0;
}
