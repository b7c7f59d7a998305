import { expect, test } from "vitest";
import { ended, Scene } from "./engine-process.js";
import type { DiePoint } from "./fixtures/engine-child.js";

const hello = [{ chat: "ana", id: "m1", text: "hi" }];
const text = (words: string) => [{ chat: "ana", id: "m1", text: words }];

test("A3, B3: killed after the message was accepted: it is answered after the restart, and a redelivery is known", async () => {
	const scene = new Scene();
	await scene.dies({ messages: hello, model: "stuck", die: { at: "accepted", nth: 1 } });
	await scene.finishes({ messages: hello });
	expect(scene.lines("accepted").map(({ outcome }) => outcome)).toEqual(["accepted", "duplicate"]);
	expect(scene.delivered("ana")).toEqual(["re: hi"]);
	await scene.end(new Map([["fake|ana", ["m1"]]]));
});

test("G12: killed while the model thinks: the turn resumes by itself and answers once", async () => {
	const scene = new Scene();
	await scene.dies({ messages: hello, die: { at: "asked", nth: 1 } });
	await scene.finishes();
	expect(scene.lines("asked")).toHaveLength(2);
	expect(scene.delivered("ana")).toEqual(["re: hi"]);
	await scene.end(new Map([["fake|ana", ["m1"]]]));
});

test("H12: killed after a tool was done: it is not run again, the model is not asked again for it", async () => {
	const scene = new Scene();
	await scene.dies({ messages: text("charge"), die: { at: "answered", nth: 1 } });
	await scene.finishes();
	expect(scene.lines("charged")).toHaveLength(1);
	expect(scene.lines("asked").map(({ results }) => results !== "")).toEqual([false, true, true]);
	expect(scene.delivered("ana")).toEqual(["done: charge"]);
	expect((await scene.view("ana")).record?.state).toEqual({ count: 1 });
	await scene.end();
});

test.each([
	["once", 1, /unknown/i],
	["idempotent", 2, /1/],
	["read", 2, /1/],
] as const)(
	"promise 5: killed in a tool that is %s: it is run %i times in all, under one key",
	async (effect, runs, told) => {
		const scene = new Scene();
		await scene.dies({ messages: text("charge"), effect, die: { at: "in tool", nth: 1 } });
		await scene.finishes({ messages: [], effect });
		const charged = scene.lines("charged");
		expect(charged).toHaveLength(runs);
		expect(new Set(charged.map(({ key }) => key)).size).toBe(1);
		expect(scene.lines("asked").at(-1)?.results).toMatch(told);
		expect(scene.delivered("ana")).toEqual(["done: charge"]);
		await scene.end();
	},
);

test("B7: killed between the commit and the send: the answer is sent once after the restart, the model not asked again", async () => {
	const scene = new Scene();
	await scene.dies({ messages: hello, ambiguous: "reconcile", die: { at: "committed", nth: 1 } });
	expect(scene.delivered("ana")).toEqual([]);
	await scene.finishes({ messages: [], ambiguous: "reconcile" });
	expect(scene.delivered("ana")).toEqual(["re: hi"]);
	expect(scene.lines("asked")).toHaveLength(1);
	await scene.end(new Map([["fake|ana", ["m1"]]]));
});

test.each([
	["committed", "leave", 0, ["ambiguous"]],
	["before send", "leave", 0, ["ambiguous"]],
	["after send", "leave", 1, ["ambiguous"]],
	["before send", "reconcile", 1, []],
	["after send", "reconcile", 1, []],
] as const)(
	"E1: killed %s where the platform lets us %s: delivered %i times, marked %j",
	async (at, ambiguous, times, marked) => {
		const scene = new Scene();
		await scene.dies({ messages: hello, ambiguous, die: { at, nth: 1 } });
		await scene.finishes({ messages: [], ambiguous });
		expect(scene.delivered("ana")).toHaveLength(times);
		expect((await scene.view("ana")).marks.map(({ status }) => status)).toEqual(marked);
		await scene.end();
	},
);

test("E13: killed with two of four parts sent: the other two are sent, in order", async () => {
	const scene = new Scene();
	await scene.dies({ messages: text("recite"), ambiguous: "reconcile", die: { at: "after send", nth: 2 } });
	await scene.finishes({ messages: [], ambiguous: "reconcile" });
	expect(scene.delivered("ana")).toEqual(["one", "two", "three", "four"]);
	await scene.end();
});

test.each(["committed", "after send", "handled"] satisfies DiePoint[])(
	"decision 16: goodbye then hangup, killed at %s: said once, ended once, the model not asked again",
	async (at) => {
		const scene = new Scene();
		await scene.dies({ messages: text("goodbye"), ambiguous: "reconcile", die: { at, nth: 1 } });
		await scene.finishes({ messages: [], ambiguous: "reconcile" });
		expect(scene.delivered("ana")).toEqual(["bye"]);
		expect(scene.lines("asked")).toHaveLength(1);
		expect((await scene.view("ana")).record).toMatchObject({ ended: { reason: "done" } });
		await scene.end();
	},
);

test("A12, A14: killed in a turn and between turns: the next message is answered, with the state as it was committed", async () => {
	const scene = new Scene();
	await scene.finishes({ messages: text("charge") });
	await scene.dies({ messages: [{ chat: "ana", id: "m2", text: "hi" }], die: { at: "asked", nth: 1 } });
	await scene.finishes({ messages: [{ chat: "ana", id: "m3", text: "count" }] });
	expect(scene.delivered("ana").at(-1)).toBe("count is 1");
	await scene.end(new Map([["fake|ana", ["m1", "m2", "m3"]]]));
});

test("G11: killed with 10 queued turns and 12 answers unsent: 10 are answered, 12 are sent, each once", async () => {
	const scene = new Scene();
	const unsent = Array.from({ length: 12 }, (_, n) => ({ chat: `out${n}`, id: "m1", text: "hi" }));
	const queued = Array.from({ length: 10 }, (_, n) => ({ chat: `in${n}`, id: "m1", text: "hi" }));
	await scene.dies({ messages: unsent, ambiguous: "reconcile", platform: "stuck", die: { at: "committed", nth: 12 } });
	await scene.dies({
		messages: queued,
		ambiguous: "reconcile",
		platform: "stuck",
		model: "stuck",
		die: { at: "accepted", nth: 10 },
	});
	expect(scene.lines("delivered")).toEqual([]);
	await scene.finishes({ messages: [], ambiguous: "reconcile" });
	for (const { chat } of [...unsent, ...queued]) expect(scene.delivered(chat)).toEqual(["re: hi"]);
	await scene.end();
});

test("A8, A13, I10: killed again and again at random moments: every message once, in order, no finished tool twice", async () => {
	const scene = new Scene();
	const words = ["hi", "charge", "recite", "count"];
	const chats = Array.from({ length: 12 }, (_, n) => `chat${n}`);
	const messages = Array.from({ length: 120 }, (_, n) => ({
		chat: chats[n % chats.length]!,
		id: `m${n}`,
		text: words[(n * 7) % words.length]!,
	}));
	let seed = 20_260_302;
	let killed = 0;
	for (let kill = 0; kill < 6; kill += 1) {
		seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
		const target = scene.lines("asked").length + 1 + (seed % 12);
		const child = scene.start({ messages, ambiguous: "reconcile" });
		const over = ended(child);
		while (child.exitCode === null && scene.lines("asked").length < target)
			await new Promise((next) => setImmediate(next));
		child.kill("SIGKILL");
		if ((await over).signal === "SIGKILL") killed += 1;
	}
	expect(killed).toBe(6);
	await scene.finishes({ messages, ambiguous: "reconcile" });
	const accepted = new Map(
		chats.map((chat) => [`fake|${chat}`, messages.filter((each) => each.chat === chat).map(({ id }) => id)] as const),
	);
	const keys = scene.lines("charged").map(({ key }) => key);
	expect(new Set(keys).size).toBe(keys.length);
	for (const chat of chats) expect((await scene.view(chat)).marks).toEqual([]);
	await scene.end(accepted);
});
