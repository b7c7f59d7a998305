import { describe, expect, test } from "vitest";
import { callboard, type FunctionAgentOptions } from "../../src/agent/function-agent.js";
import { staticRegion } from "../../src/prompt/static-region.js";
import { viewRegion } from "../../src/prompt/view-region.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import { facts } from "../agent/opening.js";
import { declared, refusal } from "./declared.js";
import { recordingLog } from "./recording-log.js";

const lookup = {
	name: "lookup",
	description: "Looks up.",
	parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
};

function agentOf(options: object) {
	const agent = callboard().agent("support", options as FunctionAgentOptions);
	agent.on("llm.tool_call", () => {});
	return declared(agent);
}

const refused = (options: object) => refusal(() => agentOf(options));
const refusedTool = (tool: object) => refused({ tools: [tool] });

describe("a declaration", () => {
	test("the object of the guide becomes one, with everything else at its default", () => {
		const agent = agentOf({
			voice: "elevenlabs:abc",
			language: "en",
			greeting: "Hello!",
			knowledge: "We open at 9.",
			llm: { provider: "openai", model: "gpt-4.1-mini", enabled: true, prompt: "You are helpful." },
			tools: [{ type: "function", function: lookup }],
		});
		expect(agent).toMatchObject({
			name: "support",
			doc: "You are helpful.",
			knowledge: "We open at 9.",
			language: "en",
			greeting: { say: "Hello!" },
			invocation: "batch",
			settings: { maxSteps: 8, model: { name: "gpt-4.1-mini" } },
			fields: [],
			blocks: [],
		});
		expect(agent.settings.model).toEqual({ name: "gpt-4.1-mini" });
		expect(agent.tools).toMatchObject([
			{
				name: "lookup",
				description: "Looks up.",
				effect: "once",
				timeoutMs: 30_000,
				end: false,
				pii: [],
				strict: true,
			},
		]);
	});

	test("its prompt has the same regions as that of a class", () => {
		const agent = agentOf({ language: "en", llm: { prompt: "You are helpful." }, tools: [lookup] });
		const session = agent.open({
			clock: new VirtualClock(),
			log: recordingLog(),
			call: facts,
		});
		expect(staticRegion(agent)).toMatch(
			/^You are helpful\.\n\nAnswer in English \(en\)\.[\s\S]*## lookup\nLooks up\.$/,
		);
		expect(viewRegion(agent, session)).toBe("Tools that can be called now: lookup.");
	});

	test("voice options give one notice that names them all, nothing else does", () => {
		const options = { voice: "x", stt: "y", turnDetection: {}, llm: { prompt: "p", temperature: 0 } };
		expect(agentOf(options).warnings).toEqual([
			"agent support: voice, stt, turnDetection, llm.temperature have no meaning in written channels and are ignored",
		]);
		expect(agentOf({ llm: { prompt: "p" } }).warnings).toEqual([]);
		expect(agentOf({}).warnings).toEqual(["agent support has no llm.prompt, so the model is not told what it is"]);
	});

	test("tools are taken in the whole OpenAI format and as the function alone, with our extras beside", () => {
		const extras = { effect: "read", timeout: 5, pii: ["id"], preview: 3, end: true };
		const [whole, bare] = agentOf({
			tools: [
				{ type: "function", function: lookup, ...extras },
				{ ...lookup, name: "other-lookup", ...extras },
			],
		}).tools;
		for (const tool of [whole, bare]) {
			expect(tool).toMatchObject({ effect: "read", timeoutMs: 5_000, pii: ["id"], preview: 3, end: true });
		}
		expect(bare?.name).toBe("other-lookup");
	});

	test("objects of a schema are closed at every depth unless their author opened them", () => {
		const parameters = {
			type: "object",
			properties: {
				patient: { type: "object", properties: { name: { type: "string" }, properties: { type: "string" } } },
				tags: { type: "array", items: { type: "object", properties: { t: { type: "string" } } } },
				free: { type: "object", properties: {}, additionalProperties: true },
				kind: { enum: [{ properties: {} }] },
			},
		};
		const [tool] = agentOf({ tools: [{ ...lookup, parameters }] }).tools;
		const fits = (args: object) => tool?.check(args as never).ok;
		expect(fits({ patient: { name: "Ana", properties: "x" }, tags: [{ t: "a" }], free: { any: 1 } })).toBe(true);
		expect(fits({ patient: { name: "Ana", age: 7 } })).toBe(false);
		expect(fits({ tags: [{ t: "a", u: 1 }] })).toBe(false);
		expect(fits({ more: 1 })).toBe(false);
		expect(fits({ kind: { properties: {} } })).toBe(true);
	});

	test("provider picks the base URL and the variable of its key; a short name says both", () => {
		const model = (llm: unknown) => agentOf({ llm }).settings.model;
		expect(model({ provider: "groq", model: "llama" })).toEqual({
			name: "llama",
			baseURL: "https://api.groq.com/openai/v1",
			keyVariable: "GROQ_API_KEY",
		});
		expect(model("mistral/mistral-small")).toMatchObject({
			name: "mistral-small",
			baseURL: "https://api.mistral.ai/v1",
		});
		expect(model("openrouter/openai/gpt-4.1")).toMatchObject({ name: "openai/gpt-4.1" });
		expect(model("openai/gpt-4.1")).toEqual({ name: "gpt-4.1" });
		expect(model("gpt-4.1")).toEqual({ name: "gpt-4.1" });
		expect(model({ provider: "ollama", model: "qwen" })).toEqual({
			name: "qwen",
			baseURL: "http://127.0.0.1:11434/v1",
		});
		expect(model({ baseURL: "https://llm.internal/v1", model: "m" })).toEqual({
			name: "m",
			baseURL: "https://llm.internal/v1",
		});
		expect(model({ provider: "openai" })).toBeUndefined();
		expect(model(undefined)).toBeUndefined();
	});
});

describe("every wrong declaration is refused where it is written, with the way out", () => {
	test("agents", () => {
		expect(refusal(() => callboard().agent("Sup port", {}))).toContain("BAD_SLUG: agent Sup port has no id");
		expect(refusal(() => callboard().agent("support", undefined as never))).toContain("BAD_OPTIONS");
		expect(refused({ tool: [] })).toContain('BAD_OPTIONS: agent support has no option tool; did you mean "tools"?');
		expect(refused({ prompt: "You are helpful." })).toContain("prompt of agent support stands outside of llm");
		expect(refused({ greeting: { say: "a", reply: "b" } })).toContain("BAD_GREETING");
		expect(refused({ language: 7 })).toContain("BAD_LANGUAGE");
		expect(refused({ settings: { maxStep: 3 } })).toContain('did you mean "maxSteps"?');
		expect(refused({ events: { paid: { from: ["nobody"] } } })).toContain("BAD_EVENTS");
		const pc = callboard();
		pc.agent("support", {});
		expect(refusal(() => pc.agent("support", {}))).toContain("DUPLICATE_AGENT");
	});

	test("llm", () => {
		expect(refused({ llm: { enabled: false } })).toContain("LLM_DISABLED");
		expect(refused({ llm: { provider: "grok", model: "x" } })).toMatch(/BAD_LLM: .* grok.*did you mean "groq"\?/);
		expect(refused({ llm: "grok/x" })).toContain("BAD_LLM");
		expect(refused({ llm: { provider: "groq" } })).toContain("names a provider and no model");
		expect(refused({ llm: { model: 7 } })).toContain("llm.model of agent support is not words");
		expect(refused({ llm: { model: "m", baseURL: "llm.internal" } })).toContain("is no web address");
		expect(refused({ llm: 7 })).toContain("BAD_LLM");
	});

	test("tools", () => {
		expect(refused({ tools: {} })).toContain("tools of agent support is no list");
		expect(refused({ tools: ["x"] })).toContain("tool 1 of agent support is no object");
		expect(refusedTool({ type: "retrieval" })).toContain('is not of type "function"');
		expect(refusedTool({ type: "function" })).toContain("tool 1 of agent support has no function");
		expect(refusedTool({ description: "x" })).toContain("tool 1 of agent support has no name");
		expect(refusedTool({ ...lookup, name: "look up" })).toContain("which models cannot call");
		expect(refusedTool({ ...lookup, description: " " })).toContain(
			"tool lookup of agent support: it has no description",
		);
		expect(refused({ tools: [lookup, lookup] })).toContain("agent support has two tools named lookup");
		expect(refusedTool({ ...lookup, effect: "write" })).toContain("effect is none there is");
		expect(refusedTool({ ...lookup, timeout: 0 })).toContain("timeout is not a number of seconds");
		expect(refusedTool({ ...lookup, preview: 0.5 })).toContain("preview is not a number of rows");
		expect(refusedTool({ ...lookup, end: "yes" })).toContain("end is neither true nor false");
		expect(refusedTool({ ...lookup, efect: "read" })).toContain('it has no efect; did you mean "effect"?');
		const misplaced = { type: "function", function: { ...lookup, timeout: 3 } };
		expect(refusedTool(misplaced)).toContain("it has no timeout");
	});

	test("parameters and pii", () => {
		const withParameters = (parameters: unknown) => refusedTool({ ...lookup, parameters });
		expect(withParameters([])).toContain('parameters are no schema with type: "object"');
		expect(withParameters({ type: "string" })).toContain('parameters are no schema with type: "object"');
		expect(withParameters({ type: "object", properties: [] })).toContain("properties of its parameters is no object");
		expect(withParameters({ type: "object", properties: { id: {} }, required: ["ids"] })).toContain(
			'it requires ids, which is no property; did you mean "id"?',
		);
		expect(withParameters({ type: "object", properties: { id: { type: "strng" } } })).toContain(
			"BAD_SCHEMA: tool lookup",
		);
		expect(refusedTool({ ...lookup, pii: ["tel"] })).toContain(
			'BAD_PII: tool lookup of agent support: pii names "tel"',
		);
		expect(refusedTool({ ...lookup, pii: "id" })).toContain("pii is no list");
	});

	test("handlers: tools nobody answers, events there are not, handlers that are none", () => {
		const agent = callboard().agent("support", { tools: [lookup] });
		expect(refusal(() => declared(agent))).toBe(
			'NO_TOOL_HANDLER: agent support has tools, and no handler answers their calls; add agent.on("llm.tool_call", async (data, call) => { … call.toolResult(data.msgId, results); })',
		);
		expect(refusal(() => agent.on("llm.toolCall" as never, () => {}))).toContain('did you mean "llm.tool_call"?');
		expect(refusal(() => agent.on("llm.tool_call", undefined as never))).toContain("is no function");
		expect(refusal(() => declared(callboard().agent("chat", {})))).toBe("none");
	});
});
