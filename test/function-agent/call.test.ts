import { describe, expect, test } from "vitest";
import { Call, type CallFrame } from "../../src/agent/call.js";
import { CallListeners } from "../../src/agent/call-listeners.js";
import type { HistoryEntry } from "../../src/call/history.js";
import type { CallboardError } from "../../src/errors.js";
import { facts as callFacts } from "../agent/opening.js";
import { recordingLog } from "./recording-log.js";

const rows: readonly HistoryEntry[] = [
	{ role: "user", id: "m1", content: { kind: "text", text: "hello" }, at: 1 },
	{ role: "said", id: "p1", part: { kind: "text", text: "hi" }, by: "model", at: 2 },
	{ role: "user", id: "m2", content: { kind: "text", text: "bye" }, at: 3 },
];

const facts = { ...callFacts, history: () => rows };

function callIn(frame?: CallFrame) {
	const log = recordingLog();
	const listeners = new CallListeners();
	const clock = { now: () => 1_000_000, after: () => () => {} };
	return { call: new Call(facts, { frame: () => frame, clock, log, listeners }), log, listeners };
}

function open(key?: string): CallFrame {
	const frame = { acts: [], signal: new AbortController().signal, open: true };
	return key === undefined ? frame : { ...frame, key };
}

function refusal(run: () => unknown): string {
	try {
		run();
	} catch (error) {
		return (error as CallboardError).code;
	}
	return "none";
}

describe("what a call tells", () => {
	test("its facts are readable while nothing runs", () => {
		const { call } = callIn();
		expect([call.id, call.channel, call.transport, call.from, call.today]).toEqual([
			"call-1",
			"web",
			"chat",
			"web:a",
			"2026-05-04",
		]);
		expect(call.contact.id).toBe("web:a");
	});

	test("history gives its length, the person's turns and the newest rows", () => {
		const { history } = callIn().call;
		expect([history.length, history.turns]).toEqual([3, 2]);
		expect(history.last(1).map((row) => row.at)).toEqual([3]);
		expect(history.last(0)).toEqual([]);
		expect(history.last(9)).toHaveLength(3);
	});

	test("what is done to the rows it gives changes no history", () => {
		const [row] = callIn().call.history.last(1);
		if (row?.role === "user") Object.assign(row.content, { text: "starred" });
		expect(callIn().call.history.last(1)).toMatchObject([{ content: { text: "bye" } }]);
	});

	test("the key belongs to a tool and is refused where none runs", () => {
		expect(callIn(open("k1")).call.key).toBe("k1");
		expect(refusal(() => callIn(open()).call.key)).toBe("CALL_OUTSIDE_TURN");
		expect(refusal(() => callIn().call.key)).toBe("CALL_OUTSIDE_TURN");
	});
});

describe("what a call is asked to do", () => {
	test("acts land in the running outcome in their order", () => {
		const frame = open("k1");
		const { call } = callIn(frame);
		call.say("Hello **you**");
		call.say("Which one?", { choices: ["a", { id: "b", label: "B", description: "the second" }] });
		call.reply("be brief");
		call.send("cart", { items: 2, none: undefined });
		call.log("seen", [1]);
		call.forward("+15550001");
		const id = call.later({ in: 60 }, "remind", { n: 1 });
		call.later({ at: new Date(5_000) }, "remind", null, { id: "mine" });
		call.cancel(id);
		call.hangup("bye");
		call.hangup({ after: "delivered" });
		expect(frame.acts).toEqual([
			{ act: "say", part: { kind: "text", text: "Hello **you**" } },
			{
				act: "say",
				part: {
					kind: "choices",
					text: "Which one?",
					choices: [
						{ id: "a", label: "a" },
						{ id: "b", label: "B", description: "the second" },
					],
				},
			},
			{ act: "reply", instructions: "be brief" },
			{ act: "say", part: { kind: "data", topic: "cart", data: { items: 2 } } },
			{ act: "log", name: "seen", data: [1] },
			{ act: "forward", to: "+15550001" },
			{ act: "later", id: "k1:0", at: 1_060_000, event: "remind", data: { n: 1 } },
			{ act: "later", id: "mine", at: 5_000, event: "remind", data: null },
			{ act: "cancel", id: "k1:0" },
			{ act: "hangup", reason: "bye", after: "now" },
			{ act: "hangup", reason: "hangup", after: "delivered" },
		]);
	});

	test("blank text, bad choices, bad times and data that cannot be stored are refused and leave no act", () => {
		const frame = open("k1");
		const { call } = callIn(frame);
		const cyclic: Record<string, unknown> = {};
		cyclic.self = cyclic;
		const missing: Record<string, string> = {};
		expect(refusal(() => call.say(" \n"))).toBe("CALL_BAD_TEXT");
		expect(refusal(() => call.say(undefined as never))).toBe("CALL_BAD_TEXT");
		expect(refusal(() => call.say({ kind: "card" } as never))).toBe("CALL_BAD_TEXT");
		expect(refusal(() => call.reply(""))).toBe("CALL_BAD_TEXT");
		expect(refusal(() => call.forward(missing.nobody as string))).toBe("CALL_BAD_TEXT");
		expect(refusal(() => call.say("?", { choices: [] }))).toBe("CALL_BAD_CHOICES");
		expect(refusal(() => call.say("?", { choices: ["a", "a"] }))).toBe("CALL_BAD_CHOICES");
		expect(refusal(() => call.say("?", { choices: [{ id: "a" } as never] }))).toBe("CALL_BAD_CHOICES");
		expect(refusal(() => call.later({ in: -1 }, "x"))).toBe("CALL_BAD_TIME");
		expect(refusal(() => call.later({ at: new Date("no") }, "x"))).toBe("CALL_BAD_TIME");
		expect(refusal(() => call.later({ every: 0.5 }, "x"))).toBe("CALL_BAD_TIME");
		expect(refusal(() => call.later({ every: 60, in: -1 }, "x"))).toBe("CALL_BAD_TIME");
		expect(refusal(() => call.hangup({ after: "soon" as never }))).toBe("CALL_BAD_TIME");
		expect(refusal(() => call.send("x", cyclic))).toBe("NOT_SERIALISABLE");
		expect(refusal(() => call.send("x", { a: [new Map()] }))).toBe("NOT_SERIALISABLE");
		expect(refusal(() => call.send("x", { a: () => 1 }))).toBe("NOT_SERIALISABLE");
		expect(frame.acts).toEqual([]);
	});

	test("data given to the call is cut off from later changes", () => {
		const frame = open();
		const cart = { items: [1] };
		callIn(frame).call.send("cart", cart);
		cart.items.push(2);
		expect(frame.acts).toEqual([{ act: "say", part: { kind: "data", topic: "cart", data: { items: [1] } } }]);
	});

	test("a use while nothing runs is refused, a use after the tool ended is logged and ignored", () => {
		expect(refusal(() => callIn().call.say("hello"))).toBe("CALL_OUTSIDE_TURN");
		expect(refusal(() => callIn().call.once("bot.finished", () => {}))).toBe("CALL_OUTSIDE_TURN");
		const frame = open();
		const { call, log } = callIn(frame);
		frame.open = false;
		call.say("too late");
		call.once("bot.finished", () => {});
		expect(frame.acts).toEqual([]);
		expect(log.events()).toEqual(["call.ignored", "call.ignored"]);
		expect(JSON.stringify(log.lines)).not.toContain("too late");
	});
});

describe("listening", () => {
	test('once("bot.finished") is a durable ending, and its listener still runs where it lives', () => {
		const frame = open();
		const { call, listeners, log } = callIn(frame);
		let ran = 0;
		call.once("bot.finished", () => {
			ran++;
			call.hangup();
		});
		expect(frame.acts).toEqual([{ act: "hangup", reason: "hangup", after: "delivered" }]);
		frame.open = false;
		listeners.tell("call-1", "bot.finished", {}, log);
		listeners.tell("call-1", "bot.finished", {}, log);
		expect(ran).toBe(1);
		expect(frame.acts).toHaveLength(1);
		expect(log.events()).toEqual([]);
	});

	test("on hears each time and asks for no ending; a listener that fails is logged; the end forgets the call", async () => {
		const frame = open();
		const { call, listeners, log } = callIn(frame);
		const heard: string[] = [];
		call.on("call.forwarded", ({ to }) => {
			heard.push(to);
			throw new Error("no");
		});
		call.on("call.ended", async ({ reason }) => {
			heard.push(reason);
			throw new Error("no");
		});
		call.on("bot.finished", () => call.hangup());
		expect(frame.acts).toEqual([]);
		listeners.tell("call-1", "call.forwarded", { to: "x" }, log);
		listeners.tell("call-1", "call.forwarded", { to: "y" }, log);
		listeners.tell("call-1", "bot.finished", {}, log);
		listeners.tell("call-1", "call.ended", { reason: "hangup" }, log);
		listeners.tell("call-1", "call.forwarded", { to: "z" }, log);
		await Promise.resolve();
		expect(heard).toEqual(["x", "y", "hangup"]);
		expect(log.events()).toEqual(["listener.failed", "listener.failed", "call.ignored", "listener.failed"]);
		expect(frame.acts).toEqual([]);
	});

	test("calls do not hear each other, and only so many are remembered", () => {
		const listeners = new CallListeners(2);
		const heard: string[] = [];
		for (const id of ["a", "b", "c"]) listeners.add(id, "call.ended", () => heard.push(id), false);
		for (const id of ["a", "b", "c"]) listeners.tell(id, "call.ended", {}, recordingLog());
		expect(heard).toEqual(["b", "c"]);
	});
});
