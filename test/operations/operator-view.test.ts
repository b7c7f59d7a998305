import { expect, test } from "vitest";
import { healthOf, metricsOf } from "../../src/cli/operator-view.js";
import { CallboardError } from "../../src/errors.js";
import { Gate, stand } from "../engine/stand.js";

/** The value of one sample, such as `callboard_turns_total{door="fake",outcome="failed"}`. */
function sample(text: string, name: string): number | undefined {
	const line = text.split("\n").find((each) => each.startsWith(`${name} `));
	return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

const of = (door: string, more: string) => `{door="fake",${more}}`.replace("fake", door);

test("what was done is counted: messages, turns, requests, tokens, tools, deliveries, calls", async () => {
	let fails = 1;
	const engine = await stand({
		agent: { tools: { look: { effect: "read", run: () => "seen" } } },
		limits: { failures: 3 },
		model: ({ history, allowed }) => {
			if (fails-- > 0) throw new Error("a mistake of ours");
			if (history.at(-1)?.role === "tool") return "found";
			return allowed.length > 0 ? { calls: [["look"], ["nothing"]] } : "off";
		},
	});
	const page = metricsOf(engine.runtime, engine.clock);
	const ana = engine.person();
	const refused = { result: { outcome: "failed", reason: "blocked" } } as const;
	engine.channel.answer(refused);
	const message = await ana.says("hello");
	expect(message).toEqual({ outcome: "accepted" });
	await engine.settle();
	await engine.clock.advance(2_000);
	await engine.settle();
	const { text } = await page();
	const value = (name: string, labels: string) => sample(text, `callboard_${name}${of("fake", labels)}`);
	expect(value("messages_total", 'outcome="accepted"')).toBe(1);
	expect(value("turns_total", 'outcome="committed"')).toBe(1);
	expect(value("turns_total", 'outcome="failed"')).toBe(1);
	expect(value("tools_total", 'tool="look",status="ok"')).toBe(1);
	expect(value("tools_total", 'tool="unknown",status="refused"')).toBe(1);
	expect(value("deliveries_total", 'outcome="failed"')).toBe(1);
	expect(value("calls_total", 'event="started"')).toBe(1);
	expect(sample(text, 'callboard_model_requests_total{door="fake"}')).toBe(2);
	expect(value("model_tokens_total", 'kind="input"')).toBeGreaterThan(0);
	expect(sample(text, 'callboard_answer_seconds_count{door="fake"}')).toBe(1);
	expect(sample(text, 'callboard_answer_seconds_sum{door="fake"}')).toBeGreaterThanOrEqual(1);
	expect(sample(text, "callboard_marked_addresses")).toBe(1);
	await engine.end();
});

test("a message that comes twice, and one too many, are counted apart", async () => {
	const gate = new Gate();
	const engine = await stand({ model: () => gate.pass().then(() => "done"), limits: { inbox: 2 } });
	const page = metricsOf(engine.runtime, engine.clock);
	const ana = engine.person();
	const again = engine.person();
	await ana.says("one");
	await gate.reached;
	await again.says("one");
	await ana.says("two");
	await ana.says("three");
	await engine.clock.advance(1_500);
	const { text } = await page();
	const outcomes = ["accepted", "duplicate", "full"].map((outcome) =>
		sample(text, `callboard_messages_total{door="fake",outcome="${outcome}"}`),
	);
	expect(outcomes).toEqual([2, 1, 1]);
	expect(sample(text, "callboard_waiting_addresses")).toBe(1);
	expect(sample(text, "callboard_oldest_wait_seconds")).toBe(1.5);
	expect(sample(text, "callboard_running_turns")).toBe(1);
	expect(sample(text, 'callboard_door_open{door="fake"}')).toBe(1);
	expect(sample(text, "callboard_backend_up")).toBe(1);
	gate.open();
	await engine.settle();
	await engine.end();
});

test("a turn whose lease was lost, and a call set aside, show", async () => {
	let fence = true;
	const engine = await stand({
		limits: { failures: 1 },
		model: ({ history }) => {
			if (JSON.stringify(history.at(-1)).includes("break")) throw new Error("a mistake of ours");
			return "done";
		},
		over: (backend) =>
			new Proxy(backend, {
				get(target, name) {
					const member = Reflect.get(target, name);
					if (name !== "settle") return typeof member === "function" ? member.bind(target) : member;
					return async (...given: Parameters<typeof target.settle>) => {
						if (!fence) return target.settle(...given);
						fence = false;
						await target.release(given[0], {});
						throw new CallboardError("LEASE_LOST", "lease", "another worker has this address now");
					};
				},
			}),
	});
	const page = metricsOf(engine.runtime, engine.clock);
	await engine.person().says("hello");
	await engine.settle();
	await engine.clock.advance(1_000);
	await engine.person("ben").says("break");
	await engine.settle();
	const { text } = await page();
	const turns = ["committed", "fenced", "failed"].map((outcome) =>
		sample(text, `callboard_turns_total{door="fake",outcome="${outcome}"}`),
	);
	expect(turns).toEqual([1, 1, 1]);
	expect(sample(text, 'callboard_calls_total{door="fake",event="parked"}')).toBe(1);
	expect(sample(text, "callboard_parked_addresses")).toBe(1);
	await engine.end();
});

test("a label that came from outside cannot grow without end", async () => {
	const engine = await stand();
	const page = metricsOf(engine.runtime, engine.clock);
	const { Metrics } = await import("../../src/observe/metrics.js");
	const metrics = new Metrics({ process: false });
	for (const tool of ["x".repeat(65), "with spaces and +34 600 111 222", undefined, 7])
		metrics.count("tool.ran", "web", { tool, status: "ok" });
	const load = { stored: undefined, running: { turns: 0, sends: 0 }, open: new Map(), swept: undefined };
	const { text } = await metrics.page(load);
	expect(sample(text, 'callboard_tools_total{door="web",tool="other",status="ok"}')).toBe(4);
	expect((await page()).text).toContain("process_cpu_user_seconds_total");
	await engine.end();
});

test("ready tells whether the backend answers and each door is open; a slow backend counts as unreachable", async () => {
	let broken = false;
	let hangs = false;
	const engine = await stand({
		over: (backend) =>
			new Proxy(backend, {
				get(target, name) {
					const member = Reflect.get(target, name);
					if (name !== "list") return typeof member === "function" ? member.bind(target) : member;
					return (options: never) => {
						if (hangs) return new Promise(() => {});
						const down = new CallboardError("BACKEND_UNAVAILABLE", "platform", "the store cannot be reached");
						return broken ? Promise.reject(down) : target.list(options);
					};
				},
			}),
	});
	const health = healthOf(engine.runtime, engine.clock);
	const page = metricsOf(engine.runtime, engine.clock);
	expect(await health()).toEqual({ ready: true, checks: { backend: "ok", "door fake": "ok" } });
	broken = true;
	expect(await health()).toEqual({ ready: false, checks: { backend: "unreachable", "door fake": "ok" } });
	const down = (await page()).text;
	expect(sample(down, "callboard_backend_up")).toBe(0);
	expect(sample(down, "callboard_waiting_addresses")).toBeUndefined();
	broken = false;
	hangs = true;
	const asked = health();
	await engine.clock.advance(2_000);
	expect((await asked).ready).toBe(false);
	hangs = false;
	await engine.end();
	expect((await health()).checks).toEqual({ backend: "unreachable", "door fake": "closed" });
});
