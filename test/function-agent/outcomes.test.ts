import { describe, expect, test } from "vitest";
import type { FunctionCall } from "../../src/agent/function-agent-call.js";
import type { ToolCallEvent } from "../../src/agent/function-agent-events.js";
import type { VirtualClock } from "../../src/testing/virtual-clock.js";
import { Stop } from "../../src/turn/stop.js";
import { FakeModel } from "../turn/fake-model.js";
import { Line, told, words } from "../turn/line.js";
import { declared, refusal } from "./declared.js";
import { abc, acts, brief, ok, open } from "./handled.js";

describe("what a handler of llm.tool_call gets", () => {
	test("all calls of one response in one event, each with its key, and a call that always answers", async () => {
		let got: ToolCallEvent | undefined;
		let with_: FunctionCall | undefined;
		const { run } = open(
			abc({}, (data, call) => {
				got = data;
				with_ = call;
				call.toolResult(
					data.msgId,
					data.toolCalls.map(({ id }) => ok(id)),
				);
			}),
		);
		await run("a", "b");
		expect(got).toEqual({
			msgId: "m1",
			toolCalls: [
				{ id: "id-a", name: "a", arguments: '{"n":0}', key: "key-a" },
				{ id: "id-b", name: "b", arguments: '{"n":1}', key: "key-b" },
			],
		});
		expect([with_?.from, with_?.transport, with_?.id]).toEqual(["web:a", "chat", "call-1"]);
		expect(refusal(() => with_?.key)).toContain("read toolCalls[i].key");
	});

	test("results may be anything JSON holds; none at all says ok; preview cuts what the model sees", async () => {
		const { run, log } = open(
			abc({ preview: 2 }, (data, call) => {
				call.toolResult(data.msgId, [{ toolCallId: "id-a" }, ok("id-b", [1, 2, 3, 4, 5]), ok("id-c", "fine")]);
			}),
		);
		const outcomes = await run("a", "b", "c");
		expect(brief(outcomes)).toEqual([
			["id-a", "ok", '{"ok":true}'],
			["id-b", "ok", '{"rows":[1,2],"total":5}'],
			["id-c", "ok", '"fine"'],
		]);
		expect(outcomes[1]).toMatchObject({ result: [1, 2, 3, 4, 5], total: 5 });
		expect(log.lines).toContainEqual(expect.objectContaining({ event: "tool.preview" }));
	});
});

describe("every way an answer can go wrong has one outcome", () => {
	test("a returned error is a result like any other, and what was said with it counts", async () => {
		const { run } = open(
			abc({}, (data, call) => {
				call.say("One moment.");
				call.toolResult(data.msgId, [ok("id-a", { error: "not found" })]);
			}),
		);
		const [outcome] = await run("a");
		expect(outcome).toMatchObject({ status: "ok", content: '{"error":"not found"}' });
		expect(acts(outcome)).toEqual(["say"]);
	});

	test("case 8: a handler that throws fails each call it had not answered, and has said nothing", async () => {
		const { run, log } = open(
			abc({}, async (data, call) => {
				call.toolResult(data.msgId, [ok("id-b")]);
				call.say("never said");
				await Promise.resolve();
				throw new Error("the stock system is closed; ask again tomorrow");
			}),
		);
		const outcomes = await run("a", "b", "c");
		const error = '{"error":"the stock system is closed; ask again tomorrow"}';
		expect(brief(outcomes)).toEqual([
			["id-a", "failed", error],
			["id-b", "ok", '{"ok":"id-b"}'],
			["id-c", "failed", error],
		]);
		expect(outcomes.flatMap(({ acts }) => acts)).toEqual([]);
		expect(log.events()).toContain("call.ignored");
	});

	test("a breakdown is told to the model without its text, which may hold anything", async () => {
		const { run, log } = open(abc({}, () => JSON.parse("{ secret token")));
		const [outcome] = await run("a");
		expect(outcome?.status).toBe("failed");
		expect(outcome?.content).not.toContain("secret");
		expect(log.events()).toContain("tool.failed");
	});

	test("missing: a handler that returned with some calls unanswered fails them at once", async () => {
		const { run, clock, log } = open(abc({}, (data, call) => call.toolResult(data.msgId, [ok("id-a")])));
		const outcomes = await run("a", "b");
		expect(outcomes.map(({ status }) => status)).toEqual(["ok", "failed"]);
		expect(outcomes[1]?.content).toContain("b was given no result");
		expect(log.events()).toContain("tool.unanswered");
		expect(clock.pending).toBe(0);
	});

	test("case 9: the handler answers only A and goes on; at the deadline B and C get automatic errors", async () => {
		let signal: AbortSignal | undefined;
		const { run, clock } = open(
			abc({ timeout: 5, effect: "read" }, async (data, call) => {
				signal = call.signal;
				call.toolResult(data.msgId, [ok("id-a")]);
				await new Promise(() => {});
			}),
		);
		const ran = run("a", "b", "c");
		await clock.advance(4_999);
		expect(signal?.aborted).toBe(false);
		await clock.advance(1);
		const outcomes = await ran;
		expect(outcomes.map(({ id, status }) => [id, status])).toEqual([
			["id-a", "ok"],
			["id-b", "timeout"],
			["id-c", "timeout"],
		]);
		expect(outcomes[1]?.content).toContain("did not answer within 5 s");
		expect(signal?.aborted).toBe(true);
		expect(clock.pending).toBe(0);
	});

	test("case 16: a tool that may run once and gave no result in time has an unknown outcome, and the model is told", async () => {
		const { run, clock } = open(abc({ timeout: 1 }, () => new Promise(() => {})));
		const ran = run("a");
		await clock.advance(1_000);
		const [outcome] = await ran;
		expect(outcome).toMatchObject({ status: "unknown", acts: [], changes: [] });
		expect(outcome?.content).toContain("outcome is unknown");
	});

	test("a handler that returned without any answer may answer later, from a callback", async () => {
		const clocks: VirtualClock[] = [];
		const { run, clock } = open(
			abc({ timeout: 10 }, (data, call) => {
				clocks[0]?.after(3_000, () => {
					call.say("Found it.");
					call.toolResult(data.msgId, [ok("id-b"), ok("id-a")]);
					call.hangup("found");
				});
			}),
		);
		clocks.push(clock);
		const ran = run("a", "b");
		await clock.advance(3_000);
		const outcomes = await ran;
		expect(outcomes.map(({ id, status }) => [id, status])).toEqual([
			["id-a", "ok"],
			["id-b", "ok"],
		]);
		expect(acts(outcomes[1])).toEqual(["say", "hangup"]);
		expect(acts(outcomes[0])).toEqual([]);
	});

	test("late: a result after the deadline and whatever is asked after it are logged and ignored, never thrown", async () => {
		let late: () => void = () => {};
		const { run, clock, log } = open(
			abc({ timeout: 1 }, (data, call) => {
				late = () => {
					call.toolResult(data.msgId, [ok("id-a")]);
					call.say("too late");
				};
			}),
		);
		const ran = run("a");
		await clock.advance(1_000);
		const [outcome] = await ran;
		const before = structuredClone(outcome);
		late();
		expect(outcome).toEqual(before);
		expect(log.events().slice(-2)).toEqual(["tool.late", "call.ignored"]);
	});

	test("answered twice: the first counts, the second is warned of", async () => {
		const { run, log } = open(
			abc({}, (data, call) => {
				call.toolResult(data.msgId, [ok("id-a", 1), ok("id-a", 2)]);
				call.toolResult(data.msgId, [ok("id-a", 3)]);
			}),
		);
		expect(brief(await run("a"))).toEqual([["id-a", "ok", "1"]]);
		expect(log.events()).toEqual(["tool.answered_twice", "tool.answered_twice"]);
	});

	test("unknown id: refused with a clear error, and what was right beside it is taken", async () => {
		const errors: string[] = [];
		const { run, log } = open(
			abc({}, (data, call) => {
				errors.push(refusal(() => call.toolResult(data.msgId, [ok("id-z"), ok("id-a")])));
			}),
		);
		expect(brief(await run("a"))).toEqual([["id-a", "ok", '{"ok":"id-a"}']]);
		expect(errors).toEqual([
			"UNKNOWN_TOOL_CALLS: message m1 holds no tool call id-z; give the id of each of data.toolCalls as its toolCallId",
		]);
		expect(log.events()).toEqual(["tool.unknown_call"]);
	});

	test("wrong msgId, no list, a result that JSON cannot hold: refused, the calls stay open to a right answer", async () => {
		const errors: string[] = [];
		const { run } = open(
			abc({}, (data, call) => {
				errors.push(refusal(() => call.toolResult("m9", [ok("id-a")])));
				errors.push(refusal(() => call.toolResult(data.msgId, ok("id-a") as never)));
				errors.push(refusal(() => call.toolResult(data.msgId, [{ id: "id-a", result: 1 } as never])));
				errors.push(refusal(() => call.toolResult(data.msgId, [ok("id-a", { map: new Map() })])));
				errors.push(refusal(() => call.toolResult(data.msgId, [ok("id-a", Promise.resolve(1))])));
				call.toolResult(data.msgId, [ok("id-a")]);
			}),
		);
		expect(brief(await run("a"))).toEqual([["id-a", "ok", '{"ok":"id-a"}']]);
		expect(errors.map((error) => error.split(":")[0])).toEqual([
			"UNKNOWN_TOOL_CALLS",
			"BAD_TOOL_RESULT",
			"BAD_TOOL_RESULT",
			"NOT_SERIALISABLE",
			"NOT_SERIALISABLE",
		]);
		expect(errors[4]).toContain("a promise");
	});

	test("a mistake that a handler does not catch fails its calls, and the model can recover", async () => {
		const model = new FakeModel({ calls: [["a", {}, "x"]] }, "Sorry, that did not work.");
		const line = new Line(declared(abc({}, (_data, call) => call.toolResult("wrong", [ok("x")]))), model);
		const result = await line.say("go");
		expect(told(result).x).toContain("error");
		expect(words(result)).toEqual(["Sorry, that did not work."]);
		expect(line.warnings()).toContain("tool.unknown_message");
	});

	test("several handlers: all are called, each answers its own, the first answer of a call counts", async () => {
		const { run, log } = open(
			abc(
				{},
				async (data, call) => {
					await Promise.resolve();
					call.toolResult(data.msgId, [ok("id-a", "slow"), ok("id-b")]);
				},
				(data, call) => call.toolResult(data.msgId, [ok("id-a", "quick")]),
				() => {},
			),
		);
		expect(brief(await run("a", "b"))).toEqual([
			["id-a", "ok", '"quick"'],
			["id-b", "ok", '{"ok":"id-b"}'],
		]);
		expect(log.events()).toEqual(["tool.answered_twice"]);
	});

	test("several handlers: one that throws does not cut off one that is still working", async () => {
		const { run } = open(
			abc(
				{},
				() => {
					throw new Error("not mine");
				},
				async (data, call) => {
					await new Promise<void>((resolve) => setImmediate(resolve));
					call.toolResult(data.msgId, [ok("id-a")]);
				},
			),
		);
		expect((await run("a", "b")).map(({ status }) => status)).toEqual(["ok", "failed"]);
	});

	test("a stopped turn stops the wait", async () => {
		let signal: AbortSignal | undefined;
		const { run, stop, clock } = open(
			abc({ effect: "idempotent" }, (_data, call) => {
				signal = call.signal;
				return new Promise(() => {});
			}),
		);
		const ran = run("a");
		stop.abort(new Error("lease lost"));
		expect((await ran).map(({ status, acts }) => [status, acts])).toEqual([["failed", []]]);
		expect(signal?.aborted).toBe(true);
		expect(clock.pending).toBe(0);
	});

	test("a process that dies while a once tool runs leaves an unknown outcome; the handler is not called again", async () => {
		let times = 0;
		const agent = declared(
			abc({}, () => {
				times++;
				return new Promise(() => {});
			}),
		);
		const stop = new Stop();
		const line = new Line(agent, new FakeModel({ calls: [["a", {}, "x"]] }));
		const message = line.message("go");
		const cut = line.take([message], { stop });
		await line.clock.settle();
		stop.abort(new Error("killed"));
		await expect(cut).rejects.toThrow("killed");
		const { journal } = line;
		const model = new FakeModel("I have to check that.");
		const resumed = await new Line(agent, model).take([message], { journal });
		expect(times).toBe(1);
		expect(told(resumed).x).toContain("unknown");
		expect(words(resumed)).toEqual(["I have to check that."]);
	});
});
