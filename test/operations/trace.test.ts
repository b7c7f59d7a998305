import { afterEach, beforeEach, expect, test } from "vitest";
import { traced } from "../../src/observe/trace.js";
import { converse } from "../../src/testing/conversation.js";
import { Gate, stand } from "../engine/stand.js";
import { RecordedTraces } from "./recorded-traces.js";

let traces: RecordedTraces;
beforeEach(() => {
	traces = new RecordedTraces();
});
afterEach(() => traces.end());

const clinic = "agents/clinica-norte/agent.tsx";
const ids = () => new Set(traces.spans.map((span) => span.spanContext().traceId));

test("one trace from the message that comes in, over the model and its tools, to the words that go out", async () => {
	const call = await converse({ agent: clinic, script: "agents/clinica-norte/demo.yaml" });
	await call.opens();
	traces.clear();
	await call.says("Ana Ruiz, 600 111 222");
	expect(traces.tree).toEqual([
		"accept",
		"  turn",
		"    model request",
		"    tool findPatient",
		"    model request",
		"    deliver",
	]);
	expect(ids().size).toBe(1);
	await call.close();
});

test("a webhook's own trace goes on through the inbox", async () => {
	const engine = await stand({ model: () => "hello" });
	const traceId = "0af7651916cd43dd8448eb211c80319c";
	await engine.channel.receive({
		type: "message",
		id: "m1",
		address: engine.person().address,
		contact: { id: "fake:ana" },
		content: { kind: "text", text: "hi" },
		sentAt: engine.clock.now(),
		traceparent: `00-${traceId}-b7ad6b7169203331-01`,
	});
	await engine.settle();
	expect(traces.tree).toEqual(["accept", "  turn", "    model request", "    deliver"]);
	expect(ids()).toEqual(new Set([traceId]));
	await engine.end();
});

test("a process that takes over goes on in the same trace: it stands in the inbox and the outbox", async () => {
	const gate = new Gate();
	const first = await stand({
		model: (_, signal) =>
			new Promise((_resolve, reject) => {
				signal.addEventListener("abort", () => reject(signal.reason));
				void gate.pass();
			}),
	});
	await first.person().says("hello");
	await gate.reached;
	const store = first.backend;
	await first.runtime.stop(0);
	await store.open();
	const second = await stand({ after: first, model: () => "hello" });
	await second.settle();
	await second.clock.advance(2_000);
	await second.settle();
	expect(traces.spans.map(({ name }) => name).sort()).toEqual([
		"accept",
		"deliver",
		"model request",
		"model request",
		"turn",
		"turn",
	]);
	expect(ids().size).toBe(1);
	const cut = traces.spans.find((span) => span.name === "turn");
	expect(cut?.status.message).toBe("WORKER_STOPPING");
	await second.end();
});

test("several messages of one turn: it stands under the first, and is linked to the others", async () => {
	const gate = new Gate();
	const engine = await stand({ model: () => gate.pass().then(() => "hello") });
	const ana = engine.person();
	await ana.says("one");
	await gate.reached;
	await ana.says("two");
	await ana.says("three");
	gate.open();
	await engine.settle();
	const accepts = traces.spans.filter(({ name }) => name === "accept").map((span) => span.spanContext().traceId);
	const turns = traces.spans.filter(({ name }) => name === "turn");
	expect(turns.map((span) => span.spanContext().traceId)).toEqual(accepts.slice(0, 2));
	expect(turns[1]?.links.map((link) => link.context.traceId)).toEqual(accepts.slice(2));
	await engine.end();
});

test("what fails is marked by its code, never by words", async () => {
	const engine = await stand({
		agent: { tools: { look: { run: () => Promise.reject(new Error("Ana's secret words")) } } },
		model: ({ history }) => (history.at(-1)?.role === "tool" ? "sorry" : { calls: [["look"]] }),
	});
	engine.channel.answer({ result: { outcome: "failed", reason: "Ana blocked us" } });
	await engine.person().says("hello");
	await engine.settle();
	const failed = traces.spans.filter((span) => span.status.code === 2);
	expect(failed.map(({ name, status }) => [name, status.message])).toEqual([
		["tool look", "failed"],
		["deliver", "failed"],
	]);
	const held = JSON.stringify(traces.spans.map(({ attributes, events, status }) => ({ attributes, events, status })));
	expect(held).not.toContain("Ana");
	await engine.end();
});

test("with no tracer registered nothing is traced, and nothing is carried along", async () => {
	traces.end();
	expect(await traced("x", {}, async (span) => span.traceparent)).toBeUndefined();
	const gate = new Gate();
	const engine = await stand({ model: () => gate.pass().then(() => "hello") });
	await engine.person().says("hi");
	await gate.reached;
	const { waiting } = await engine.backend.view(engine.person().address, { history: 0 });
	expect(waiting[0]).not.toHaveProperty("traceparent");
	gate.open();
	await engine.settle();
	await engine.end();
	expect(traces.spans).toEqual([]);
});
