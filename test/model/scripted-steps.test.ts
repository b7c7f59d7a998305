import { describe, expect, test } from "vitest";
import type { CallboardError } from "../../src/errors.js";
import type { ModelMessage } from "../../src/model/model.js";
import type { ScriptSource } from "../../src/model/script-source.js";
import { ScriptedModel } from "../../src/model/scripted.js";
import { ask, rejection, requestWith } from "./asking.js";

function said(text: string, parts: object = {}) {
	return requestWith({ history: [{ role: "user", text }], ...parts });
}

const steps = (...list: NonNullable<ScriptSource["steps"]>) => new ScriptedModel({ steps: list });

describe("a sequence", () => {
	test("answers in its order and records every request", async () => {
		const model = steps(
			{ expect: { said: "hello", tools: ["find"] }, call: { find: { name: "Ana" } } },
			{ expect: { after: "find", result: { name: "Ana", slots: { length: 2 } } }, say: "Found {{result.name}}." },
		);
		const first = await ask(model, said("Hello there", { allowed: ["find"] }));
		expect(first.calls).toEqual([{ id: "call00001", name: "find", arguments: '{"name":"Ana"}' }]);
		const history: ModelMessage[] = [
			{ role: "user", text: "hello" },
			{ role: "assistant", calls: first.calls },
			{ role: "tool", call: "call00001", content: '{"name":"Ana","slots":[1,2]}' },
		];
		const second = await ask(model, requestWith({ history }));
		expect(second).toMatchObject({ text: "Found Ana.", calls: [], finish: "stop", attempts: 1, model: "script" });
		expect(second.usage.input).toBeGreaterThan(0);
		model.assertComplete();
		expect(model.requests.map((request) => request.history.length)).toEqual([1, 3]);
	});

	test("keeps requests as they were, whatever becomes of their history later", async () => {
		const model = steps({ say: "Yes?" });
		const history: ModelMessage[] = [{ role: "user", text: "hello" }];
		await ask(model, requestWith({ history }));
		history.push({ role: "assistant", text: "Yes?" });
		expect(model.requests[0]?.history).toHaveLength(1);
	});

	test("refuses a request that is not as expected, showing both", async () => {
		const model = steps({
			expect: { said: "adiós", tools: ["book"], toolChoice: "none", result: "some" },
			say: "Bye.",
		});
		const thrown = (await rejection(ask(model, said("hello", { allowed: ["find", "slots"] })))) as CallboardError;
		expect(thrown.code).toBe("SCRIPT_UNEXPECTED");
		expect(thrown.fault).toBe("author");
		expect(thrown.explain()).toBe(
			[
				"steps[0]: request 1 is not in the script, which expects step 1 of 1 to fit",
				"  said: expected /adiós/",
				'        but got  "hello"',
				"  tools: expected book",
				"         but got  find, slots",
				"  toolChoice: expected none",
				"              but got  auto",
				'  result: expected "some"',
				"          but got  no result",
				'  it came with a history that ends with {"role":"user","text":"hello"}',
			].join("\n"),
		);
	});

	test("refuses a request after the last step", async () => {
		const model = steps({ say: "Bye." });
		await ask(model, said("hello"));
		await expect(ask(model, said("again"))).rejects.toMatchObject({ code: "SCRIPT_UNEXPECTED" });
	});

	test("is not complete with a step unused", async () => {
		const model = steps({ say: "One." }, { say: "Two." });
		await ask(model, said("hello"));
		expect(() => model.assertComplete()).toThrow(expect.objectContaining({ code: "SCRIPT_UNUSED", where: "steps[1]" }));
	});

	test("is not complete when a request was refused, even if the agent swallowed it", async () => {
		const model = steps({ expect: { said: "hello" }, say: "Hi." });
		await ask(model, said("goodbye")).catch(() => {});
		await ask(model, said("hello"));
		expect(() => model.assertComplete()).toThrow(expect.objectContaining({ code: "SCRIPT_UNEXPECTED" }));
	});

	test("can fail, be cut off, refuse, say nothing and call with malformed arguments", async () => {
		const model = steps(
			{ fail: "MODEL_CONTEXT_OVERFLOW" },
			{ say: "Half an ans", finish: "length", usage: { input: 9, output: 3 } },
			{ say: " \n" },
			{ call: { find: '{"name": "An' } },
			{ call: [{ find: { n: 1 } }, { find: { n: 2 } }, { bye: null }] },
		);
		await expect(ask(model, said("a"))).rejects.toMatchObject({ code: "MODEL_CONTEXT_OVERFLOW", fault: "platform" });
		expect(await ask(model, said("b"))).toMatchObject({ finish: "length", usage: { input: 9, cached: 0, output: 3 } });
		expect(await ask(model, said("c"))).toMatchObject({ text: "", calls: [] });
		expect((await ask(model, said("d"))).calls[0]?.arguments).toBe('{"name": "An');
		expect((await ask(model, said("e"))).calls).toEqual([
			{ id: "call00001", name: "find", arguments: '{"n":1}' },
			{ id: "call00002", name: "find", arguments: '{"n":2}' },
			{ id: "call00003", name: "bye", arguments: "{}" },
		]);
		model.assertComplete();
	});

	test("numbers its calls on from those of the history", async () => {
		const model = steps({ call: { find: {} } });
		const history: ModelMessage[] = [
			{ role: "assistant", calls: [{ id: "call00001", name: "find", arguments: "{}" }] },
			{ role: "tool", call: "call00001", content: "null" },
		];
		expect((await ask(model, requestWith({ history }))).calls[0]?.id).toBe("call00002");
	});
});
