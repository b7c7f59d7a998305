import { LLMock } from "@copilotkit/aimock";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openai } from "../../src/model/openai.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import { ask, overPauses, rejection, requestWith, toolNamed } from "./asking.js";

/** A mock provider by somebody else, so that our client is not only tested against our own idea of the protocol. */
let provider: LLMock;
beforeEach(async () => {
	provider = new LLMock({ port: 0 });
	await provider.start();
});
afterEach(() => provider.stop());

function model(clock = new VirtualClock()) {
	return openai({ apiKey: "mock", baseURL: `${provider.url}/v1`, model: "gpt-4o", clock, random: () => 1 });
}

test("words are streamed with usage", async () => {
	provider.onMessage(/hello/, { content: "Hi there, friend!" });
	const pieces: string[] = [];
	const answer = await ask(model(), requestWith(), { onText: (piece) => pieces.push(piece) });
	expect(answer).toMatchObject({ text: "Hi there, friend!", finish: "stop", model: "gpt-4o" });
	expect(pieces.join("")).toBe(answer.text);
	expect(answer.usage.input).toBeGreaterThan(0);
});

test("a tool is called, and its result answered on", async () => {
	const tools = [toolNamed("freeSlots")];
	provider.on(
		{ predicate: (request) => request.messages.at(-1)?.role === "tool" },
		{ content: "There is one at ten." },
	);
	provider.on(
		{ predicate: (request) => request.messages.at(-1)?.role === "user" },
		{ toolCalls: [{ name: "freeSlots", arguments: '{"day":"mon"}' }] },
	);
	const first = await ask(model(), requestWith({ tools, allowed: ["freeSlots"], view: "" }));
	expect(first.calls).toMatchObject([{ name: "freeSlots", arguments: '{"day":"mon"}' }]);
	const history = [
		{ role: "user", text: "hello" },
		{ role: "assistant", calls: first.calls },
		{ role: "tool", call: first.calls[0]!.id, content: '["10:00"]' },
	] as const;
	const second = await ask(model(), requestWith({ tools, allowed: ["freeSlots"], history }));
	expect(second).toMatchObject({ text: "There is one at ten.", calls: [], finish: "stop" });
});

test("a 429 is waited out for the second that it asks, and the next request answered", async () => {
	provider.onMessage(/hello/, { content: "Hi!" });
	provider.nextRequestError(429, { message: "slow down", type: "rate_limit_error" });
	const clock = new VirtualClock();
	const { value, pauses } = await overPauses(clock, ask(model(clock)));
	expect(value).toMatchObject({ text: "Hi!", attempts: 2 });
	expect(pauses).toEqual([1000]);
});

test("a request that it does not know is told in our words", async () => {
	const thrown = await rejection(ask(model(), requestWith({ history: [{ role: "user", text: "zzz" }] })));
	expect(thrown).toMatchObject({ code: "MODEL_UNAVAILABLE" });
	expect((thrown as Error).message).not.toContain("fixture");
});
