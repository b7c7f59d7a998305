import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type OpenAI from "openai";

/** One call of a tool in an answer. */
export interface ServedCall {
	/** Default `call_<n>`; `null` sends none. */
	id?: string | null;
	name: string;
	/** JSON text, or an object. */
	arguments?: string | object;
}

/** A streamed completion. */
export interface ServedAnswer {
	/** Words; a list is sent piece by piece. */
	text?: string | readonly string[];
	calls?: readonly ServedCall[];
	/** Words of a refusal. */
	refusal?: string;
	/** Default `stop`, or `tool_calls` with calls; `null` sends none. */
	finish?: string | null;
	/** Default 100 and 20 tokens, none cached; `null` sends none. */
	usage?: { input: number; cached?: number; output: number } | null;
	/** Default: the model that was asked for. */
	model?: string;
	/** Chunks sent instead of what the members above would make: for servers with their own ideas. */
	chunks?: readonly unknown[];
	/** What befalls the answer on its way, in the order of `after`. */
	faults?: readonly StreamFault[];
}

/** What happens after so many bytes of an answer: `stall` is silent from there. */
export type StreamFault =
	| { after: number; what: "stall" }
	/** Goes on once `when` resolves. */
	| { after: number; what: "pause"; when: Promise<void> }
	/** Closes the connection, once `when` resolves. Without `when` the reader may not get to see the bytes before. */
	| { after: number; what: "cut"; when?: Promise<void> };

/** An answer that is no completion. */
export type ServedFault =
	| { status: number; error?: unknown; headers?: Record<string, string> }
	/** Any body with status 200, as an event stream. */
	| { raw: string }
	/** The connection is closed without a byte. */
	| { reset: true }
	/** Not a byte ever comes. */
	| { silent: true };

/** One request as it came. */
export interface ServedRequest {
	path: string;
	headers: IncomingMessage["headers"];
	/** The exact bytes, as text. */
	raw: string;
	/** The same, parsed. */
	body: OpenAI.ChatCompletionCreateParamsStreaming;
}

/** A local server that speaks Chat Completions, answering what it was told to. */
export interface ModelServer {
	/** For `openai({ baseURL })`. */
	readonly baseURL: string;
	readonly requests: readonly ServedRequest[];
	/** The next request that has no answer yet gets this one. In the order they are queued. */
	answer(...answers: readonly (ServedAnswer | ServedFault)[]): void;
	/** What a request gets when nothing is queued. Without it, HTTP 500. */
	always(answer: (request: ServedRequest) => ServedAnswer | ServedFault): void;
	/** Resolves once the `n`-th request, counted from 1, is answered as far as it ever will be, silence included. */
	served(n: number): Promise<void>;
	close(): Promise<void>;
}

/** The errors that OpenAI answers with, as bodies for `{ status, error }`. */
export const openaiErrors = {
	quota: {
		message: "You exceeded your current quota, please check your plan and billing details.",
		type: "insufficient_quota",
		param: null,
		code: "insufficient_quota",
	},
	badKey: (key: string) => ({
		message: `Incorrect API key provided: ${key}. You can find your API key at the provider's page.`,
		type: "invalid_request_error",
		param: null,
		code: "invalid_api_key",
	}),
	overflow: {
		message: "This model's maximum context length is 16385 tokens. However, your messages resulted in 300120 tokens.",
		type: "invalid_request_error",
		param: "messages",
		code: "context_length_exceeded",
	},
	busy: { message: "Rate limit reached for requests", type: "requests", param: null, code: "rate_limit_exceeded" },
	refused: (param: string) => ({
		message: `Unsupported parameter: '${param}' is not supported with this model.`,
		type: "invalid_request_error",
		param,
		code: "unsupported_parameter",
	}),
} as const;

/**
 * Starts a local stand-in for a model provider on 127.0.0.1, at a free port. It streams what is queued, breaks off
 * where it is told to, and keeps every request as it came.
 *
 * ```ts
 * const server = await startModelServer();
 * server.answer({ status: 503 }, { text: "Hola" });
 * const model = openai({ apiKey: "any", baseURL: server.baseURL, model: "test" });
 * ```
 */
export async function startModelServer(): Promise<ModelServer> {
	const stand = new StandIn();
	await stand.listen();
	return stand;
}

class StandIn implements ModelServer {
	readonly requests: ServedRequest[] = [];
	readonly #queue: (ServedAnswer | ServedFault)[] = [];
	readonly #server: Server;
	readonly #waiting: { n: number; resolve: () => void }[] = [];
	#served = 0;
	#always: ((request: ServedRequest) => ServedAnswer | ServedFault) | undefined;

	constructor() {
		this.#server = createServer((request, response) => {
			void this.#handle(request, response);
		});
	}

	get baseURL(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
	}

	listen(): Promise<void> {
		return new Promise((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
	}

	answer(...answers: readonly (ServedAnswer | ServedFault)[]): void {
		this.#queue.push(...answers);
	}

	always(answer: (request: ServedRequest) => ServedAnswer | ServedFault): void {
		this.#always = answer;
	}

	served(n: number): Promise<void> {
		if (this.#served >= n) return Promise.resolve();
		return new Promise((resolve) => this.#waiting.push({ n, resolve }));
	}

	close(): Promise<void> {
		const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
		this.#server.closeAllConnections();
		return closed;
	}

	async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const pieces: Buffer[] = [];
		for await (const piece of request) pieces.push(piece as Buffer);
		const raw = Buffer.concat(pieces).toString("utf8");
		const kept = { path: request.url ?? "", headers: request.headers, raw, body: parsed(raw) };
		this.requests.push(kept);
		const answer = this.#queue.shift() ??
			this.#always?.(kept) ?? { status: 500, error: { message: "nothing was queued for this request" } };
		await respond(answer, kept, response);
		this.#served += 1;
		for (const waiting of this.#waiting) if (this.#served >= waiting.n) waiting.resolve();
	}
}

async function respond(
	answer: ServedAnswer | ServedFault,
	request: ServedRequest,
	response: ServerResponse,
): Promise<void> {
	if ("reset" in answer) {
		response.destroy();
		return;
	}
	if ("silent" in answer) return;
	if ("status" in answer) {
		response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
		response.end(JSON.stringify({ error: answer.error ?? { message: "injected" } }));
		return;
	}
	response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
	if ("raw" in answer) {
		response.end(answer.raw);
		return;
	}
	const events = [...chunksOf(answer, request).map((chunk) => JSON.stringify(chunk)), "[DONE]"];
	if (answer.faults === undefined) {
		for (const event of events) await written(response, `data: ${event}\n\n`);
		response.end();
		return;
	}
	const body = Buffer.from(events.map((event) => `data: ${event}\n\n`).join(""));
	response.flushHeaders();
	let sent = 0;
	for (const fault of answer.faults) {
		if (fault.after > sent) await written(response, body.subarray(sent, fault.after));
		sent = fault.after;
		if (fault.what === "stall") return;
		await fault.when;
		if (fault.what === "cut") {
			response.destroy();
			return;
		}
	}
	await written(response, body.subarray(sent));
	response.end();
}

function written(response: ServerResponse, data: string | Buffer): Promise<void> {
	return new Promise((resolve) => response.write(data, () => resolve()));
}

function chunksOf(answer: ServedAnswer, request: ServedRequest): readonly unknown[] {
	const head = {
		id: "chatcmpl-1",
		object: "chat.completion.chunk",
		created: 1,
		model: answer.model ?? request.body.model,
	};
	const chunk = (delta: object, finish: string | null = null) => ({
		...head,
		choices: [{ index: 0, delta, finish_reason: finish }],
	});
	const chunks: unknown[] = [];
	if (answer.chunks !== undefined) chunks.push(...answer.chunks);
	else {
		chunks.push(chunk({ role: "assistant", content: "" }));
		for (const piece of typeof answer.text === "string" ? [answer.text] : (answer.text ?? [])) {
			chunks.push(chunk({ content: piece }));
		}
		if (answer.refusal !== undefined) chunks.push(chunk({ refusal: answer.refusal }));
		for (const [index, call] of (answer.calls ?? []).entries()) {
			chunks.push(...callDeltas(call, index).map((delta) => chunk({ tool_calls: [delta] })));
		}
	}
	const finish = answer.finish === undefined ? (answer.calls === undefined ? "stop" : "tool_calls") : answer.finish;
	if (finish !== null) chunks.push(chunk({}, finish));
	if (answer.usage !== null) {
		const { input = 100, cached = 0, output = 20 } = answer.usage ?? {};
		const usage = {
			prompt_tokens: input,
			completion_tokens: output,
			total_tokens: input + output,
			prompt_tokens_details: { cached_tokens: cached },
		};
		chunks.push({ ...head, choices: [], usage });
	}
	return chunks;
}

/** A call as OpenAI streams it: its name first, then its arguments in two halves. */
function callDeltas(call: ServedCall, index: number): readonly object[] {
	const text = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments ?? {});
	const half = Math.ceil(text.length / 2);
	const id = call.id === null ? {} : { id: call.id ?? `call_${index + 1}` };
	return [
		{ index, ...id, type: "function", function: { name: call.name, arguments: "" } },
		{ index, function: { arguments: text.slice(0, half) } },
		{ index, function: { arguments: text.slice(half) } },
	];
}

/** What cannot be read is an empty request; `raw` shows it. */
function parsed(text: string): ServedRequest["body"] {
	try {
		return JSON.parse(text) as ServedRequest["body"];
	} catch {
		return { model: "", messages: [], stream: true };
	}
}
