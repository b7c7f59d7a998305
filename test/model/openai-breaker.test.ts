import { describe, expect, test } from "vitest";
import type { CallboardError } from "../../src/errors.js";
import { openaiErrors, type ServedFault } from "../../src/testing/model-server.js";
import { ask, recordingLog, rejection, requestWith } from "./asking.js";
import { servedModel } from "./served-model.js";

const served = servedModel();
const { modelAt } = served;

const down: ServedFault = { status: 503 };

describe("H9: the breaker", () => {
	const once = { retry: { attempts: 1 } };

	test("opens after five failures in a row, over all models and calls of the process", async () => {
		served.server.always(() => down);
		const { log, events } = recordingLog();
		const agents = [modelAt({ ...once, log }), modelAt({ ...once, log })];
		for (let n = 0; n < 5; n += 1) await rejection(ask(agents[n % 2]!));
		expect(served.server.requests).toHaveLength(5);
		expect(events.filter((event) => event === "model.breaker-open")).toHaveLength(1);

		const thrown = (await rejection(ask(agents[0]!))) as CallboardError;
		expect(served.server.requests).toHaveLength(5);
		expect(thrown.code).toBe("MODEL_UNAVAILABLE");
		expect(thrown.explain()).toContain("asked again in 30 s");
	});

	test("counts in a row: one answer in between starts over", async () => {
		const model = modelAt(once);
		for (const answer of [down, down, down, down, { text: "ok" }, down, down, down, down]) {
			served.server.answer(answer);
			await ask(model).catch(() => {});
		}
		served.server.answer({ text: "still asked" });
		expect((await ask(model)).text).toBe("still asked");
	});

	test("open sends every request to the second model at once", async () => {
		served.server.always((request) => (request.body.model === "second" ? { text: "second" } : down));
		const model = modelAt({ ...once, fallbacks: ["second"] });
		for (let n = 0; n < 5; n += 1) expect(await ask(model)).toMatchObject({ attempts: 2 });
		expect(await ask(model)).toMatchObject({ text: "second", attempts: 1 });
	});

	test("lets one probe through after its time, and closes when it succeeds", async () => {
		served.server.always(() => down);
		const model = modelAt(once);
		for (let n = 0; n < 5; n += 1) await rejection(ask(model));
		await served.clock.advance(29_999);
		await rejection(ask(model));
		expect(served.server.requests).toHaveLength(5);

		await served.clock.advance(1);
		served.server.always(() => ({ text: "back" }));
		const answers = await Promise.allSettled([ask(model), ask(model), ask(model)]);
		expect(answers.map((each) => each.status)).toEqual(["fulfilled", "rejected", "rejected"]);
		expect(served.server.requests).toHaveLength(6);
		expect((await ask(model)).text).toBe("back");
	});

	test("opens again when the probe fails", async () => {
		served.server.always(() => down);
		const model = modelAt(once);
		for (let n = 0; n < 5; n += 1) await rejection(ask(model));
		await served.clock.advance(30_000);
		await rejection(ask(model));
		expect(served.server.requests).toHaveLength(6);
		await served.clock.advance(29_000);
		await rejection(ask(model));
		expect(served.server.requests).toHaveLength(6);
	});

	test("a probe that the caller gave up leaves the next one free to go", async () => {
		served.server.always(() => down);
		const model = modelAt(once);
		for (let n = 0; n < 5; n += 1) await rejection(ask(model));
		await served.clock.advance(30_000);
		served.server.always(() => ({ silent: true }));
		const cancel = new AbortController();
		const probe = rejection(ask(model, requestWith(), { signal: cancel.signal }));
		await served.server.served(6);
		cancel.abort(new Error("gone"));
		await probe;
		served.server.always(() => ({ text: "back" }));
		expect((await ask(model)).text).toBe("back");
	});

	test("a refusal is an answer: it does not open", async () => {
		served.server.always(() => ({ status: 400, error: openaiErrors.refused("temperature") }));
		const model = modelAt(once);
		for (let n = 0; n < 8; n += 1) await rejection(ask(model));
		expect(served.server.requests).toHaveLength(8);
	});

	test("is one for a server and model, not for all", async () => {
		served.server.always((request) => (request.body.model === "small" ? down : { text: "fine" }));
		for (let n = 0; n < 6; n += 1) await rejection(ask(modelAt(once)));
		expect((await ask(modelAt({ ...once, model: "large" }))).text).toBe("fine");
	});
});
