import type { ToolCall } from "../call/history.js";
import type { ModelRequest } from "./model.js";
import type { Usage } from "./usage.js";

const charactersPerToken = 4;

/** Tokens by length, for a script and for servers that count none. */
export function estimateUsage(request: ModelRequest, answer: { text: string; calls: readonly ToolCall[] }): Usage {
	const sent = JSON.stringify([request.system, request.tools, request.history, request.view]);
	const got = answer.text + answer.calls.map((call) => call.name + call.arguments).join("");
	return { input: tokens(sent), cached: 0, output: tokens(got) };
}

function tokens(text: string): number {
	return Math.ceil(text.length / charactersPerToken);
}
