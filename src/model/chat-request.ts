import type OpenAI from "openai";
import type { ToolCall } from "../call/history.js";
import type { Dialect } from "./dialect.js";
import type { ModelMessage, ModelRequest, ToolDefinition } from "./model.js";

type Params = OpenAI.ChatCompletionCreateParamsStreaming;
type Message = OpenAI.ChatCompletionMessageParam;

/** Settings of a request that do not change through a call. */
export interface ChatSettings {
	model: string;
	maxOutputTokens: number | undefined;
	temperature: number | undefined;
}

/**
 * The request as the server gets it. Members stand in the order of their steadiness, what changes comes last, so that
 * two requests of one call share the longest prefix that the dialect allows.
 */
export function chatRequest(request: ModelRequest, dialect: Dialect, settings: ChatSettings): Params {
	const offered = offeredTools(request, dialect);
	const { maxOutputTokens, temperature } = settings;
	return {
		model: settings.model,
		stream: true,
		...(dialect.usage ? { stream_options: { include_usage: true } } : {}),
		...(temperature === undefined ? {} : { temperature }),
		...(maxOutputTokens === undefined ? {} : { [dialect.limit]: maxOutputTokens }),
		...(dialect.cacheKey ? { prompt_cache_key: request.cacheKey } : {}),
		...(offered.length === 0 ? {} : { tools: offered.map((tool) => toolParam(tool, dialect.strict)) }),
		messages: dialect.view === "message" ? separateMessages(request) : joinedMessages(request),
		...(offered.length === 0 ? {} : { tool_choice: toolChoice(request, dialect) }),
	};
}

function offeredTools(request: ModelRequest, dialect: Dialect): readonly ToolDefinition[] {
	if (dialect.visibility !== "changed") return request.tools;
	const allowed = new Set(request.allowed);
	return request.tools.filter((tool) => allowed.has(tool.name));
}

function toolParam(tool: ToolDefinition, strict: boolean): OpenAI.ChatCompletionTool {
	return {
		type: "function",
		function: {
			name: tool.name,
			description: tool.description,
			parameters: tool.parameters,
			...(strict && tool.strict ? { strict: true } : {}),
		},
	};
}

function toolChoice(request: ModelRequest, dialect: Dialect): OpenAI.ChatCompletionToolChoiceOption {
	if (request.toolChoice === "none" || request.allowed.length === 0) return "none";
	if (dialect.visibility !== "choice" || request.allowed.length === request.tools.length) return "auto";
	return {
		type: "allowed_tools",
		allowed_tools: {
			mode: "auto",
			tools: request.allowed.map((name) => ({ type: "function", function: { name } })),
		},
	};
}

function separateMessages(request: ModelRequest): Message[] {
	const messages: Message[] = [];
	if (request.system !== "") messages.push({ role: "system", content: request.system });
	for (const entry of request.history) {
		switch (entry.role) {
			case "user": {
				const name = participantName(entry.name);
				messages.push({ role: "user", content: entry.text, ...(name === undefined ? {} : { name }) });
				break;
			}
			case "assistant":
				messages.push(...assistantMessage(entry, null));
				break;
			case "tool":
				messages.push({ role: "tool", tool_call_id: entry.call, content: entry.content });
				break;
			case "note":
				messages.push({ role: "system", content: entry.text });
		}
	}
	if (request.view !== "") messages.push({ role: "system", content: request.view });
	return messages;
}

const blockRule =
	"Text between <callboard> and </callboard> is written by the system, never by the person. It may stand at the end " +
	"of a message or of a tool's result. Follow it and never quote it.";

function block(text: string): string {
	return `<callboard>\n${text}\n</callboard>`;
}

/** Nobody but the framework opens or closes its block. */
function unmarked(text: string): string {
	return text.replace(/<(?=\s*\/?\s*callboard)/gi, "‹");
}

/**
 * One leading system message; neighbours of the person's side are one message, because many chat templates want the
 * two sides to alternate; the view ends the last message, whichever side or tool it is of, because some servers take no
 * user message after a tool's result.
 */
function joinedMessages(request: ModelRequest): Message[] {
	const messages: Message[] = [{ role: "system", content: [request.system, blockRule].filter(Boolean).join("\n\n") }];
	const fromPerson = (text: string) => {
		const last = messages.at(-1);
		if (last?.role === "user") last.content = `${last.content}\n\n${text}`;
		else messages.push({ role: "user", content: text });
	};
	for (const entry of request.history) {
		if (entry.role === "user") fromPerson(unmarked(entry.text));
		else if (entry.role === "note") fromPerson(block(unmarked(entry.text)));
		else if (entry.role === "assistant") messages.push(...assistantMessage(entry, ""));
		else messages.push({ role: "tool", tool_call_id: entry.call, content: unmarked(entry.content) });
	}
	if (request.view === "") return messages;
	const last = messages.at(-1);
	if (last?.role === "tool") last.content = `${last.content}\n\n${block(request.view)}`;
	else fromPerson(block(request.view));
	return messages;
}

function assistantMessage(entry: Extract<ModelMessage, { role: "assistant" }>, noText: "" | null): Message[] {
	if (entry.calls === undefined || entry.calls.length === 0) {
		return entry.text === undefined || entry.text === "" ? [] : [{ role: "assistant", content: entry.text }];
	}
	return [{ role: "assistant", content: entry.text ?? noText, tool_calls: entry.calls.map(sentCall) }];
}

function sentCall(call: ToolCall): OpenAI.ChatCompletionMessageFunctionToolCall {
	return {
		id: call.id,
		type: "function",
		function: { name: sentName(call.name), arguments: isObject(call.arguments) ? call.arguments : "{}" },
	};
}

/** A name the model made up may hold anything; servers refuse a history with such a name for ever. */
function sentName(name: string): string {
	return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}

/** Cut-off arguments stay in the history as they came; servers that parse it would refuse every later request. */
function isObject(json: string): boolean {
	try {
		const value: unknown = JSON.parse(json);
		return typeof value === "object" && value !== null && !Array.isArray(value);
	} catch {
		return false;
	}
}

/** A stranger's display name in the alphabet that servers take. */
function participantName(name: string | undefined): string | undefined {
	const clean = name
		?.normalize("NFKD")
		.replace(/\p{M}/gu, "")
		.replace(/[^a-zA-Z0-9_-]+/g, "_");
	return clean?.replace(/^_+|_+$/g, "").slice(0, 64) || undefined;
}
