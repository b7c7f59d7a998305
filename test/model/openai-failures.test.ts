import { describe, expect, test } from "vitest";
import { CallboardError } from "../../src/errors.js";
import { openaiErrors, type ServedAnswer, type ServedFault } from "../../src/testing/model-server.js";
import { ask, overPauses, recordingLog, rejection, requestWith, toolNamed } from "./asking.js";
import { servedModel } from "./served-model.js";

const served = servedModel();
const { modelAt } = served;

const down: ServedFault = { status: 503 };

describe("trying again", () => {
	test.each<[string, ServedFault]>([
		["408", { status: 408 }],
		["409", { status: 409 }],
		["429", { status: 429, error: openaiErrors.busy }],
		["500", { status: 500 }],
		["503", { status: 503 }],
		["a reset connection", { reset: true }],
		["a body that is no stream", { raw: '{"choices":[{"message":{"content":"hi"}}]}' }],
		["broken JSON in the stream", { raw: 'data: {"choices": [{"del\n\n' }],
		["an error in mid-stream", { raw: 'data: {"error":{"message":"overloaded","code":"server_error"}}\n\n' }],
		["a gateway's error in mid-stream", { raw: 'data: {"error":{"message":"bad gateway","code":502}}\n\n' }],
	])("after %s", async (_name, fault) => {
		served.server.answer(fault, { text: "there" });
		const { value, pauses } = await overPauses(served.clock, ask(modelAt()));
		expect(value).toMatchObject({ text: "there", attempts: 2 });
		expect(pauses).toEqual([500]);
	});

	test("waits longer each time, half of it by chance, and gives up after the last attempt", async () => {
		served.server.always(() => down);
		const steps = [1, 0, 0.5];
		const model = modelAt({ retry: { attempts: 4 }, random: () => steps.shift()! });
		const running = rejection(ask(model));
		const { value, pauses } = await overPauses(served.clock, running);
		expect(pauses).toEqual([500, 500, 1500]);
		expect(value).toMatchObject({ code: "MODEL_UNAVAILABLE", fault: "platform" });
		expect(served.server.requests).toHaveLength(4);
	});

	test("H8: a plain 429 with Retry-After 3 costs one wait of three seconds", async () => {
		served.server.answer({ status: 429, error: openaiErrors.busy, headers: { "retry-after": "3" } }, { text: "there" });
		const { value, pauses } = await overPauses(served.clock, ask(modelAt()));
		expect(pauses).toEqual([3000]);
		expect(value.attempts).toBe(2);
	});

	test("takes Retry-After as a date, and retry-after-ms", async () => {
		const date = new Date(served.clock.now() + 5000).toUTCString();
		served.server.answer(
			{ status: 503, headers: { "retry-after": date } },
			{ status: 429, headers: { "retry-after-ms": "250", "retry-after": "1" } },
			{ text: "there" },
		);
		expect((await overPauses(served.clock, ask(modelAt()))).pauses).toEqual([5000, 250]);
	});

	test("does not wait longer than the cap for a server that asks for it", async () => {
		served.server.answer({ status: 429, error: openaiErrors.busy, headers: { "retry-after": "3600" } });
		const patient = modelAt({ timeoutMs: 7_200_000 });
		const { value, pauses } = await overPauses(served.clock, rejection(ask(patient)));
		expect(pauses).toEqual([]);
		expect(value).toMatchObject({ code: "MODEL_UNAVAILABLE" });
	});

	test("H8: never after insufficient_quota, though it comes as a 429", async () => {
		served.server.answer({ status: 429, error: openaiErrors.quota });
		const { value, pauses } = await overPauses(served.clock, rejection(ask(modelAt({ fallbacks: ["other"] }))));
		expect(pauses).toEqual([]);
		expect(served.server.requests).toHaveLength(1);
		expect(value).toMatchObject({ code: "MODEL_QUOTA", fault: "platform" });
	});

	test("voids what was streamed of an answer that broke off in mid-sentence", async () => {
		const seen: string[] = [];
		let pieceCame = () => {};
		const firstPiece = new Promise<void>((resolve) => {
			pieceCame = resolve;
		});
		served.server.answer(
			{ text: ["Good ", "mor", "ning"], faults: [{ after: 420, what: "cut", when: firstPiece }] },
			{ text: "Hello again" },
		);
		const onText = (piece: string) => {
			seen.push(piece);
			pieceCame();
		};
		const running = ask(modelAt(), requestWith(), { onText, onRestart: () => seen.push("<restart>") });
		expect((await overPauses(served.clock, running)).value.text).toBe("Hello again");
		expect(seen).toEqual(["Good ", "<restart>", "Hello again"]);
	});

	test("H4: runs nothing of tool calls whose arguments broke off", async () => {
		const tools = [toolNamed("book")];
		served.server.answer(
			{ calls: [{ name: "book", arguments: { day: "monday" } }], faults: [{ after: 560, what: "cut" }] },
			{ calls: [{ name: "book", arguments: { day: "tuesday" } }] },
		);
		const { value } = await overPauses(served.clock, ask(modelAt(), requestWith({ tools, allowed: ["book"] })));
		expect(value.calls.map((call) => call.arguments)).toEqual(['{"day":"tuesday"}']);
		expect(value.attempts).toBe(2);
	});

	test("takes a stream that ends politely but early for a cut one", async () => {
		served.server.answer({ text: "half an", finish: null, usage: null }, { text: "whole" });
		expect((await overPauses(served.clock, ask(modelAt()))).value).toMatchObject({ text: "whole", attempts: 2 });
	});

	test("not when the connection breaks behind the finish reason: all was said", async () => {
		const events = [
			'{"choices":[{"index":0,"delta":{"content":"whole"}}]}',
			'{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
		];
		served.server.answer({ raw: `${events.map((event) => `data: ${event}\n\n`).join("")}data: {"choices": [\n\n` });
		const { value } = await overPauses(served.clock, ask(modelAt()));
		expect(value).toMatchObject({ text: "whole", attempts: 1 });
	});

	test("says nothing more once the caller gave up, though more has arrived", async () => {
		const piece = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
		served.server.answer({ raw: piece("one") + piece("two") + piece("three") });
		const cancel = new AbortController();
		const seen: string[] = [];
		const onText = (text: string) => {
			seen.push(text);
			cancel.abort(new Error("enough"));
		};
		await expect(ask(modelAt(), requestWith(), { onText, signal: cancel.signal })).rejects.toThrow("enough");
		expect(seen).toEqual(["one"]);
	});

	test("stops at once when the caller gives up, while waiting and while streaming", async () => {
		const cancel = new AbortController();
		served.server.answer(down);
		const waiting = rejection(ask(modelAt(), requestWith(), { signal: cancel.signal }));
		await until(() => served.server.requests.length === 1 && served.clock.pending === 1);
		cancel.abort(new Error("interrupted"));
		expect(await waiting).toMatchObject({ message: "interrupted" });

		const second = new AbortController();
		served.server.answer({ text: ["a", "b"], faults: [{ after: 200, what: "stall" }] });
		const streaming = rejection(ask(modelAt(), requestWith(), { signal: second.signal }));
		await served.server.served(2);
		second.abort(new Error("interrupted too"));
		expect(await streaming).toMatchObject({ message: "interrupted too" });
		expect(served.clock.pending).toBe(0);
	});
});

describe("silence", () => {
	test("before the first byte ends the try after idleMs", async () => {
		served.server.answer({ silent: true }, { text: "there" });
		const running = ask(modelAt({ idleMs: 10_000 }));
		await served.server.served(1);
		await served.clock.advance(10_000);
		expect((await overPauses(served.clock, running)).value).toMatchObject({ text: "there", attempts: 2 });
	});

	test("in mid-stream ends the try idleMs after the last piece", async () => {
		served.server.answer({ text: ["Good ", "morning"], faults: [{ after: 420, what: "stall" }] }, { text: "there" });
		const seen: string[] = [];
		const running = ask(modelAt({ idleMs: 10_000 }), requestWith(), {
			onText: (piece) => seen.push(piece),
			onRestart: () => seen.push("<restart>"),
		});
		await until(() => seen.length === 1);
		await served.clock.advance(10_000);
		expect((await overPauses(served.clock, running)).value.text).toBe("there");
		expect(seen).toEqual(["Good ", "<restart>", "there"]);
	});

	test("counts from the last piece: a slow answer is not a dead one", async () => {
		let start = () => {};
		let finish = () => {};
		const started = new Promise<void>((resolve) => {
			start = resolve;
		});
		const finished = new Promise<void>((resolve) => {
			finish = resolve;
		});
		served.server.answer({
			text: ["Good ", "morning"],
			faults: [
				{ after: 0, what: "pause", when: started },
				{ after: 420, what: "pause", when: finished },
			],
		});
		const seen: string[] = [];
		const running = ask(modelAt({ idleMs: 10_000 }), requestWith(), { onText: (piece) => seen.push(piece) });
		await until(() => served.server.requests.length === 1);
		await served.clock.advance(8_000);
		start();
		await until(() => seen.length === 1);
		await served.clock.advance(8_000);
		finish();
		expect(await running).toMatchObject({ text: "Good morning", attempts: 1 });
	});

	test("and tries in all end at timeoutMs", async () => {
		served.server.always(() => ({ silent: true }));
		const running = rejection(ask(modelAt({ idleMs: 60_000, timeoutMs: 30_000 })));
		await served.server.served(1);
		await served.clock.advance(30_000);
		expect(await running).toMatchObject({ code: "MODEL_UNAVAILABLE" });
		expect(served.server.requests).toHaveLength(1);
	});

	test("no wait is begun that would end after timeoutMs", async () => {
		served.server.answer({ status: 503, headers: { "retry-after": "9" } });
		const { value, pauses } = await overPauses(served.clock, rejection(ask(modelAt({ timeoutMs: 8000 }))));
		expect(pauses).toEqual([]);
		expect(value).toMatchObject({ code: "MODEL_UNAVAILABLE" });
	});
});

describe("what cannot be helped by trying again", () => {
	test.each([
		["OpenAI", 400, openaiErrors.overflow],
		[
			"OpenAI, newer",
			400,
			{ message: "Your input exceeds the context window of this model. Please adjust your input and try again." },
		],
		["Anthropic", 400, { message: "prompt is too long: 213462 tokens > 200000 maximum" }],
		[
			"Gemini",
			400,
			{ message: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)." },
		],
		["Groq", 400, { message: "Please reduce the length of the messages or completion." }],
		["xAI", 400, { message: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." }],
		[
			"llama.cpp",
			400,
			{
				message: "the request exceeds the available context size, try increasing it",
				type: "exceed_context_size_error",
			},
		],
		["LM Studio", 400, { message: "tokens to keep from the initial prompt is greater than the context length" }],
		[
			"Mistral",
			400,
			{
				message:
					"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
			},
		],
		["Bedrock", 400, { message: "Input is too long for requested model." }],
		["Kimi", 400, { message: "Your request exceeded model token limit: 8192 (requested: 9000)" }],
		["a proxy", 413, { message: "Request Entity Too Large" }],
	])("H11: a request too long for the window, as %s says it", async (_server, status, error) => {
		served.server.answer({ status, error });
		const thrown = await rejection(ask(modelAt({ fallbacks: ["other"] })));
		expect(thrown).toMatchObject({ code: "MODEL_CONTEXT_OVERFLOW", fault: "platform" });
		expect(served.server.requests).toHaveLength(1);
	});

	test("H10: a refused key is told without the key, in the error, its cause and the log", async () => {
		const key = "sk-proj-abcDEF123456789";
		const { log, text } = recordingLog();
		served.server.answer({ status: 401, error: openaiErrors.badKey(key) });
		const thrown = await rejection(ask(modelAt({ apiKey: key, log, fallbacks: ["other"] })));
		expect(thrown).toMatchObject({ code: "MODEL_REFUSED_KEY", fault: "platform" });
		expect(thrown).not.toHaveProperty("cause");
		const everything = `${(thrown as CallboardError).explain()} ${(thrown as Error).stack} ${text()}`;
		expect(everything).not.toContain("sk-proj");
		expect(everything).not.toContain("abcDEF");
		expect(everything).not.toContain("Incorrect API key");
		expect(served.server.requests).toHaveLength(1);
	});

	test("H10: nothing of any provider's text or of the person's words is in errors or logs", async () => {
		const secret = "the patient María has sk-live-9";
		const { log, text } = recordingLog();
		const faults: ServedFault[] = [400, 402, 403, 404, 422, 429, 500].map((status) => ({
			status,
			error: { message: secret, code: secret, type: secret, param: secret },
			headers: { "x-request-id": "sk-live-in-a-header" },
		}));
		const thrown: unknown[] = [];
		for (const fault of faults) {
			served.server.answer(fault);
			const history = [{ role: "user", text: secret }] as const;
			thrown.push(await rejection(ask(modelAt({ log, retry: { attempts: 1 } }), requestWith({ history }))));
		}
		const everything =
			thrown.map((each) => `${(each as CallboardError).explain()} ${JSON.stringify(each)}`).join("\n") + text();
		expect(thrown.every((each) => each instanceof CallboardError)).toBe(true);
		expect(everything).not.toMatch(/María|sk-live|patient/);
	});

	test("a refused parameter is named, and nothing more", async () => {
		served.server.answer({ status: 400, error: openaiErrors.refused("temperature") });
		const thrown = await rejection(ask(modelAt({ temperature: 0.3 })));
		expect(thrown).toMatchObject({ code: "MODEL_BAD_REQUEST", fault: "platform" });
		expect((thrown as Error).message).toBe(
			`model small at ${new URL(served.server.baseURL).host} refused the parameter temperature`,
		);
	});

	test.each([
		["stream_options is not supported", 2],
		["max_tokens and max_completion_tokens are not supported", 2],
	])("what is refused also when it is gone is a bad request, not a loop: %s", async (message, requests) => {
		served.server.always(() => ({ status: 400, error: { message } }));
		const thrown = await rejection(ask(modelAt({ maxOutputTokens: 5 })));
		expect(thrown).toMatchObject({ code: "MODEL_BAD_REQUEST" });
		expect(served.server.requests).toHaveLength(requests);
	});
});

test.each<[string, ServedAnswer]>([
	["words", { text: Array.from({ length: 60 }, () => "word ".repeat(2_000)) }],
	["arguments", { calls: [{ name: "book", arguments: { day: "x".repeat(600_000) } }] }],
])("an answer of %s without an end is a failed one, read no further than any answer goes", async (_, answer) => {
	served.server.always(() => answer);
	let heard = 0;
	const onText = (piece: string) => {
		heard += piece.length;
	};
	const error = await rejection(ask(modelAt({ retry: { attempts: 1 } }), requestWith(), { onText }));
	expect(error).toMatchObject({ code: "MODEL_UNAVAILABLE", fault: "platform" });
	expect(heard).toBeLessThanOrEqual(500_000);
});

describe("the next model of the list", () => {
	test("answers when the first is unavailable, and what was streamed is void", async () => {
		served.server.always((request) => (request.body.model === "second" ? { text: "second speaking" } : down));
		const { value } = await overPauses(served.clock, ask(modelAt({ fallbacks: ["second"], retry: { attempts: 2 } })));
		expect(value).toMatchObject({ text: "second speaking", model: "second", attempts: 3 });
	});

	test("answers at once when the first does not exist", async () => {
		served.server.always((request) =>
			request.body.model === "second" ? { text: "second" } : { status: 404, error: { code: "model_not_found" } },
		);
		const { value, pauses } = await overPauses(served.clock, ask(modelAt({ fallbacks: ["second"] })));
		expect(value).toMatchObject({ text: "second", attempts: 2 });
		expect(pauses).toEqual([]);
	});

	test("a model that does not exist, with no other, is told with what to do", async () => {
		served.server.answer({ status: 404, error: { code: "model_not_found" } });
		const thrown = (await rejection(ask(modelAt()))) as CallboardError;
		expect(thrown.code).toBe("MODEL_UNAVAILABLE");
		expect(thrown.explain()).toContain("correct the model's name");
	});
});

async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await new Promise<void>((resolve) => setImmediate(resolve));
}
