import { describe, expect, test } from "vitest";
import type { ModelMessage } from "../../src/model/model.js";
import { openai } from "../../src/model/openai.js";
import { ask, recordingLog, requestWith, toolNamed } from "./asking.js";
import { servedModel } from "./served-model.js";

const served = servedModel();
const { modelAt } = served;

/** The server of a test, spoken to as if it were OpenAI's. */
const asOpenAI = {
	dialect: {
		visibility: "choice",
		view: "message",
		cacheKey: true,
		strict: true,
		usage: true,
		limit: "max_completion_tokens",
	},
} as const;

describe("an answer", () => {
	test("is streamed in pieces and given whole at the end", async () => {
		served.server.answer({ text: ["Good ", "morning", "!"] });
		const pieces: string[] = [];
		const answer = await ask(modelAt(), requestWith(), { onText: (piece) => pieces.push(piece) });
		expect(pieces).toEqual(["Good ", "morning", "!"]);
		expect(answer).toEqual({
			text: "Good morning!",
			calls: [],
			finish: "stop",
			usage: { input: 100, cached: 0, output: 20 },
			model: "small",
			attempts: 1,
		});
	});

	test("may hold words and several tool calls at once", async () => {
		served.server.answer({
			text: "One moment.",
			calls: [
				{ name: "freeSlots", arguments: { day: "mon" } },
				{ name: "freeSlots", arguments: { day: "tue" } },
			],
		});
		const answer = await ask(modelAt(), requestWith({ tools: [toolNamed("freeSlots")], allowed: ["freeSlots"] }));
		expect(answer.finish).toBe("tools");
		expect(answer.text).toBe("One moment.");
		expect(answer.calls).toEqual([
			{ id: "call_1", name: "freeSlots", arguments: '{"day":"mon"}' },
			{ id: "call_2", name: "freeSlots", arguments: '{"day":"tue"}' },
		]);
	});

	test("H16: of blanks only is no words at all, and nothing of it is streamed", async () => {
		served.server.answer({ text: [" ", "\n"] });
		const pieces: string[] = [];
		const answer = await ask(modelAt(), requestWith(), { onText: (piece) => pieces.push(piece) });
		expect(answer).toMatchObject({ text: "", calls: [], finish: "stop" });
		expect(pieces).toEqual([]);
	});

	test("leaves out the thoughts that an open-weights model writes first", async () => {
		served.server.answer({ text: ["<thi", "nk>The person wants", " a slot.</th", "ink>\n\nWhich day?"] });
		const pieces: string[] = [];
		const answer = await ask(modelAt(), requestWith(), { onText: (piece) => pieces.push(piece) });
		expect(answer.text).toBe("Which day?");
		expect(pieces.join("")).toBe("Which day?");
	});

	test("keeps words that only begin like a thought", async () => {
		served.server.answer({ text: ["<th"] }, { text: ["<3 ", "to you"] });
		const model = modelAt();
		expect((await ask(model)).text).toBe("<th");
		expect((await ask(model)).text).toBe("<3 to you");
	});

	test("that the model refuses is marked, with its words", async () => {
		served.server.answer({ refusal: "I cannot help with that." });
		expect(await ask(modelAt())).toMatchObject({ finish: "refused", text: "I cannot help with that." });
	});

	test.each([
		["length", "length"],
		["content_filter", "filtered"],
		["stop", "stop"],
	])("with the provider's reason %s ends as %s", async (reason, finish) => {
		served.server.answer({ text: "so", finish: reason });
		expect((await ask(modelAt())).finish).toBe(finish);
	});

	test("with calls ends as tools, whatever reason the server gives", async () => {
		served.server.answer({ calls: [{ name: "book" }], finish: "stop" });
		expect((await ask(modelAt(), requestWith({ tools: [toolNamed("book")], allowed: ["book"] }))).finish).toBe("tools");
	});

	test("H4: cut by the token limit in mid-arguments keeps the arguments as they came", async () => {
		served.server.answer({ calls: [{ name: "book", arguments: '{"city":"Par' }], finish: "length" });
		const answer = await ask(modelAt(), requestWith({ tools: [toolNamed("book")], allowed: ["book"] }));
		expect(answer.finish).toBe("length");
		expect(answer.calls[0]?.arguments).toBe('{"city":"Par');
	});

	test("gives no calls when tools were off, and says so in the log", async () => {
		const { log, events } = recordingLog();
		served.server.answer({ text: "Well.", calls: [{ name: "book" }] });
		const answer = await ask(modelAt({ log }), requestWith({ tools: [toolNamed("book")], toolChoice: "none" }));
		expect(answer).toMatchObject({ text: "Well.", calls: [], finish: "stop" });
		expect(events).toContain("model.ignored-tools-off");
	});

	test("without a finish reason counts as whole when the usage came, because that comes last", async () => {
		served.server.answer({ text: "Fine.", finish: null });
		expect(await ask(modelAt())).toMatchObject({ text: "Fine.", finish: "stop", attempts: 1 });
	});

	test("in typed content parts gives the text parts", async () => {
		const delta = {
			content: [
				{ type: "thinking", thinking: "hm" },
				{ type: "text", text: "Yes." },
			],
		};
		served.server.answer({ chunks: [{ choices: [{ index: 0, delta }] }] });
		expect((await ask(modelAt())).text).toBe("Yes.");
	});
});

describe("usage and cost", () => {
	test("count cached tokens, under any of the names servers give them", async () => {
		const tail = (usage: object) => ({ chunks: [{ choices: [], usage }], usage: null, text: "x" });
		served.server.answer(
			{ text: "x", usage: { input: 2000, cached: 1500, output: 10 } },
			tail({ prompt_tokens: 2000, completion_tokens: 10, prompt_cache_hit_tokens: 1400 }),
			tail({ prompt_tokens: 2000, completion_tokens: 10, cached_tokens: 1300 }),
		);
		const model = modelAt();
		for (const cached of [1500, 1400, 1300]) {
			expect((await ask(model)).usage).toEqual({ input: 2000, cached, output: 10 });
		}
	});

	test("are estimated from lengths when the server counts nothing", async () => {
		served.server.answer({ text: "a".repeat(40), usage: null });
		const { usage } = await ask(modelAt(), requestWith({ system: "s".repeat(4000) }));
		expect(usage.output).toBe(10);
		expect(usage.input).toBeGreaterThan(1000);
	});

	test("have a price with a cached rate; a dated name has the price of the name", async () => {
		served.server.answer({
			text: "x",
			model: "small-2026-01-31",
			usage: { input: 1_000_000, cached: 400_000, output: 10_000 },
		});
		const { cost } = await ask(modelAt({ prices: { small: { input: 1, cached: 0.5, output: 10 } } }));
		expect(cost).toBeCloseTo(0.6 + 0.2 + 0.1, 10);
	});

	test("have no price at a server whose prices nobody gave", async () => {
		served.server.answer({ text: "x", model: "gpt-4.1-mini" });
		expect((await ask(modelAt({ model: "gpt-4.1-mini" }))).cost).toBeUndefined();
	});
});

describe("what is sent", () => {
	test("is a streamed Chat Completion with usage, the cache key, the limit and the temperature", async () => {
		served.server.answer({ text: "x" });
		await ask(modelAt({ ...asOpenAI, maxOutputTokens: 400, temperature: 0.2 }));
		expect(served.server.requests[0]?.path).toBe("/v1/chat/completions");
		expect(served.server.requests[0]?.headers.authorization).toBe("Bearer sk-test");
		expect(served.server.requests[0]?.body).toMatchObject({
			model: "small",
			stream: true,
			stream_options: { include_usage: true },
			prompt_cache_key: "call-1",
			max_completion_tokens: 400,
			temperature: 0.2,
		});
	});

	test("stands in the order of its steadiness: settings, tools, messages, and last the choice", async () => {
		served.server.answer({ text: "x" });
		const tools = [toolNamed("a"), toolNamed("b")];
		await ask(modelAt({ ...asOpenAI, maxOutputTokens: 5, temperature: 0 }), requestWith({ tools, allowed: ["a"] }));
		expect(Object.keys(served.server.requests[0]!.body)).toEqual([
			"model",
			"stream",
			"stream_options",
			"temperature",
			"max_completion_tokens",
			"prompt_cache_key",
			"tools",
			"messages",
			"tool_choice",
		]);
	});

	test("holds tools only when the agent has some", async () => {
		served.server.answer({ text: "x" });
		await ask(modelAt(asOpenAI));
		expect(served.server.requests[0]?.body).not.toHaveProperty("tools");
		expect(served.server.requests[0]?.body).not.toHaveProperty("tool_choice");
	});

	test("H4: turns malformed arguments of the history into an empty object, and keeps good ones to the byte", async () => {
		served.server.answer({ text: "x" });
		const history: ModelMessage[] = [
			{ role: "user", text: "weather" },
			{
				role: "assistant",
				calls: [
					{ id: "a", name: "weather", arguments: '{"city":"Par' },
					{ id: "b", name: "weather", arguments: '{ "city":  "Lyon" }' },
					{ id: "c", name: "no such/tool!", arguments: "[1]" },
				],
			},
			...["a", "b", "c"].map((call): ModelMessage => ({ role: "tool", call, content: "{}" })),
		];
		await ask(modelAt(), requestWith({ history }));
		const message = served.server.requests[0]?.body.messages.find((each) => each.role === "assistant");
		expect(message).toMatchObject({
			tool_calls: [
				{ id: "a", function: { arguments: "{}" } },
				{ id: "b", function: { arguments: '{ "city":  "Lyon" }' } },
				{ id: "c", function: { name: "no_such_tool_", arguments: "{}" } },
			],
		});
	});

	test("is left without what an older server refuses, once and for all", async () => {
		const refusal = (param: string) => ({
			status: 422,
			error: {
				message: `[{"type":"extra_forbidden","loc":["body","${param}"],"msg":"Extra inputs are not permitted"}]`,
			},
		});
		const { log, events } = recordingLog();
		served.server.answer(refusal("stream_options"), refusal("prompt_cache_key"), { text: "first" }, { text: "second" });
		const model = modelAt({ ...asOpenAI, log });
		expect(await ask(model)).toMatchObject({ text: "first", attempts: 3 });
		expect(await ask(model)).toMatchObject({ text: "second", attempts: 1 });
		expect(served.server.requests[3]?.body).not.toHaveProperty("stream_options");
		expect(served.server.requests[3]?.body).not.toHaveProperty("prompt_cache_key");
		expect(events.filter((event) => event === "model.without")).toHaveLength(2);
	});

	test("moves a late system message into the last one when the chat template allows a leading one only", async () => {
		served.server.answer(
			{ status: 500, error: { message: "Jinja Exception: System message must be at the beginning." } },
			{ text: "ok" },
		);
		await ask(modelAt(asOpenAI));
		expect(served.server.requests[0]?.body.messages.map((each) => each.role)).toEqual(["system", "user", "system"]);
		expect(served.server.requests[1]?.body.messages.map((each) => each.role)).toEqual(["system", "user"]);
	});

	test("falls back to a constant array and plain auto when allowed_tools is refused", async () => {
		const request = requestWith({ tools: [toolNamed("a"), toolNamed("b")], allowed: ["a"] });
		served.server.answer(
			{ status: 400, error: { message: "Invalid value for tool_choice", param: "tool_choice" } },
			{ text: "ok" },
		);
		await ask(modelAt(asOpenAI), request);
		expect(served.server.requests[0]?.body.tool_choice).toMatchObject({ type: "allowed_tools" });
		expect(served.server.requests[1]?.body.tool_choice).toBe("auto");
		expect(JSON.stringify(served.server.requests[1]?.body.tools)).toBe(
			JSON.stringify(served.server.requests[0]?.body.tools),
		);
	});
});

test("a base URL that is none is refused at once", () => {
	expect(() => openai({ apiKey: "k", baseURL: "localhost", model: "m" })).toThrow(
		expect.objectContaining({ code: "MODEL_BAD_URL", fault: "operator" }),
	);
});

test.each(["", "sk-a b", "sk-a\n", "“sk-a”"])(
	"a key that cannot be one is refused at once, without showing it: %j",
	(apiKey) => {
		expect(() => openai({ apiKey, model: "m" })).toThrow(
			expect.objectContaining({
				code: "MODEL_BAD_KEY",
				message: "the model's key holds a character that no key has, or is empty",
			}),
		);
	},
);

test("the name tells the server and the model", () => {
	expect(openai({ apiKey: "k", model: "gpt-4.1-mini" }).name).toBe("openai/gpt-4.1-mini");
	expect(openai({ apiKey: "k", baseURL: "http://localhost:11434/v1", model: "qwen3" }).name).toBe(
		"localhost:11434/qwen3",
	);
});
