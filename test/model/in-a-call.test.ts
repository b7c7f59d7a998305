import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../src/clock.js";
import { callboard } from "../../src/index.js";
import { type OpenAIOptions, openai } from "../../src/model/openai.js";
import { type Conversation, converse } from "../../src/testing/conversation.js";
import { type ModelServer, openaiErrors, startModelServer } from "../../src/testing/model-server.js";

/** The real client in a real call: engine, turn, prompt and model together, with only the provider made up. */
let server: ModelServer;
let desk: Conversation | undefined;
beforeEach(async () => {
	server = await startModelServer();
});
afterEach(async () => {
	await desk?.close();
	await server.close();
});

async function open(options: Partial<OpenAIOptions> = {}): Promise<Conversation> {
	const agent = callboard().agent("desk", {
		llm: { provider: "openai", model: "small", enabled: true, prompt: "You are the desk." },
		tools: [
			{
				type: "function",
				function: {
					name: "lookup",
					description: "Looks up an order.",
					parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
				},
			},
		],
	});
	agent.on("llm.tool_call", (data, call) => {
		call.toolResult(
			data.msgId,
			data.toolCalls.map((each) => ({ toolCallId: each.id, result: { status: "shipped" } })),
		);
	});
	const model = openai({
		apiKey: "sk-live-abcdef0123456789",
		baseURL: server.baseURL,
		model: "small",
		retry: { baseMs: 1 },
		clock: { ...systemClock },
		...options,
	});
	desk = await converse({ agent, model });
	return desk;
}

test("a tool is called over the wire and its result answered on, with the bytes of the first request kept", async () => {
	server.answer({ calls: [{ name: "lookup", arguments: { id: "ORD-1" } }] }, { text: "It has shipped." });
	const call = await open();
	expect(await call.says("Where is ORD-1?")).toEqual(["It has shipped."]);
	const [first, second] = server.requests;
	expect(second?.body.messages.map((message) => message.role)).toEqual(["system", "user", "assistant", "tool"]);
	expect(JSON.stringify(second?.body.tools)).toBe(JSON.stringify(first?.body.tools));
	const shared = first!.raw.slice(0, first!.raw.indexOf("ORD-1?") + 6);
	expect(second?.raw.startsWith(shared)).toBe(true);
});

test("H8: without quota the person gets the apology after one request", async () => {
	server.answer({ status: 429, error: openaiErrors.quota });
	const call = await open();
	expect(await call.says("hello")).toEqual([call.agent.settings.apology]);
	expect(server.requests).toHaveLength(1);
});

test("H9: while the breaker is open the person gets the apology at once, and the second model answers when there is one", async () => {
	server.always((request) => (request.body.model === "second" ? { text: "second speaking" } : { status: 503 }));
	const call = await open({ retry: { attempts: 5, baseMs: 1 }, fallbacks: ["second"] });
	expect(await call.says("hello")).toEqual(["second speaking"]);
	expect(server.requests).toHaveLength(6);
	expect(await call.says("again")).toEqual(["second speaking"]);
	expect(server.requests).toHaveLength(7);
});

test("H10: a refused key reaches neither the person nor the log", async () => {
	server.answer({ status: 401, error: openaiErrors.badKey("sk-live-abcdef0123456789") });
	const call = await open();
	expect(await call.says("hello")).toEqual([call.agent.settings.apology]);
	const logged = JSON.stringify(call.log.lines);
	expect(logged).toContain("MODEL_REFUSED_KEY");
	expect(logged).not.toMatch(/sk-live|Incorrect API key/);
});

test("H11: a history too long for the window is shrunk until it fits, and the newest message is answered", async () => {
	server.always((request) =>
		request.raw.length > 9_000 ? { status: 400, error: openaiErrors.overflow } : { text: "Yes, we do." },
	);
	const call = await open();
	const long = "x".repeat(2_000);
	for (let n = 0; n < 6; n += 1) expect(await call.says(`${n} ${long}`)).toEqual(["Yes, we do."]);
	expect(await call.says("Do you open on Sunday?")).toEqual(["Yes, we do."]);
	expect(server.requests.length).toBeGreaterThan(7);
	expect(server.requests.at(-1)?.raw).toContain("Do you open on Sunday?");
});

test("H16: a blank answer is asked for once more, then the safe line is said, and no blank is sent", async () => {
	server.answer({ text: " \n" }, { text: "Good morning." }, { text: " \n" }, { text: "\n" });
	const call = await open();
	expect(await call.says("hello")).toEqual(["Good morning."]);
	expect(await call.says("hello?")).toEqual([call.agent.settings.safeLine]);
	expect(server.requests).toHaveLength(4);
	expect(call.heard.every((text) => text.trim() !== "")).toBe(true);
});

test("H4: an answer cut in mid-arguments runs nothing, and the history that is sent stays valid", async () => {
	server.answer(
		{ calls: [{ name: "lookup", arguments: '{"id":"OR' }], finish: "length" },
		{ text: "Which order?" },
		{ text: "Thanks." },
	);
	const call = await open();
	expect(await call.says("Where is it?")).toEqual(["Which order?"]);
	await call.says("ORD-1");
	expect(call.tools).toEqual([]);
	for (const { body } of server.requests) {
		for (const message of body.messages) {
			if (message.role !== "assistant") continue;
			for (const each of message.tool_calls ?? []) {
				expect(() => JSON.parse(each.type === "function" ? each.function.arguments : "")).not.toThrow();
			}
		}
	}
});
