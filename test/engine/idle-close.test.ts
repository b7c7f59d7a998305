import { expect, test } from "vitest";
import { Gate, newestWords, stand } from "./stand.js";

test("a call in which people go on writing sets its idle timer once in a while, and is closed when it was quiet for the whole time", async () => {
	const desk = await stand({ agent: { settings: { idleMs: 3_600_000 } } });
	const ana = desk.person("ana");
	const timer = async () => (await desk.backend.view(ana.address, { history: 0 })).timers.map(({ at }) => at);
	await ana.says("hello");
	await desk.runtime.idle();
	const first = await timer();
	await desk.clock.advance(50 * 60_000);
	await ana.says("still there");
	await desk.runtime.idle();
	expect(await timer()).toEqual(first);
	await desk.clock.advance(59 * 60_000);
	await desk.runtime.idle();
	expect(await timer()).toEqual([(first[0] ?? 0) + 50 * 60_000]);
	expect(desk.channel.ends).toEqual([]);
	await desk.clock.advance(60_000);
	await desk.runtime.idle();
	expect(desk.channel.ends).toEqual([{ address: ana.address, reason: "idle" }]);
	await desk.end();
});

test("a quiet call is closed, the channel told, and the next message begins another call", async () => {
	const desk = await stand({ agent: { settings: { idleMs: 3_600_000 } } });
	const ana = desk.person();
	await ana.says("hi");
	await desk.runtime.idle();
	await desk.clock.advance(1_800_000);
	await ana.says("still here");
	await desk.runtime.idle();
	await desk.clock.advance(3_599_999);
	expect(desk.channel.ends).toEqual([]);
	const first = (await desk.backend.view(ana.address, { history: 0 })).record;
	await desk.clock.advance(1);
	await desk.runtime.idle();
	expect(desk.channel.ends).toEqual([{ address: ana.address, reason: "idle" }]);
	expect(desk.told("call.ended")).toMatchObject([{ reason: "idle", call: first?.id }]);
	await ana.says("again");
	await desk.runtime.idle();
	const second = (await desk.backend.view(ana.address, { history: 10 })).record;
	expect(second?.id).not.toBe(first?.id);
	expect(second).toMatchObject({ turns: 1 });
	expect(ana.heard).toEqual(["re: hi", "re: still here", "re: again"]);
	await desk.end();
});

test("a timer of the author's may have any name: it is not the one that closes a quiet call", async () => {
	const desk = await stand({
		agent: {
			settings: { idleMs: 3_600_000 },
			onCall: ({ acts }) => {
				acts.push({ act: "later", id: "idle", at: desk.clock.now() + 60_000, event: "nudge", data: null });
				acts.push({ act: "later", id: "gone", at: desk.clock.now() + 60_000, event: "nudge", data: null });
				acts.push({ act: "cancel", id: "gone" });
			},
			onEvent: { nudge: (_, { acts }) => acts.push({ act: "say", part: { kind: "text", text: "still there?" } }) },
		},
	});
	const ana = desk.person();
	await ana.says("hi");
	await desk.runtime.idle();
	expect((await desk.backend.view(ana.address, { history: 0 })).timers).toHaveLength(2);
	await desk.clock.advance(60_000);
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["re: hi", "still there?"]);
	await desk.clock.advance(3_600_000);
	await desk.runtime.idle();
	expect(desk.channel.ends).toMatchObject([{ reason: "idle" }]);
	await desk.end();
});

test("an idle close loses against a message that came before it", async () => {
	const gate = new Gate();
	const desk = await stand({
		agent: { settings: { idleMs: 60_000 } },
		model: async (request) => {
			if (newestWords(request) === "slow") await gate.pass();
			return `re: ${newestWords(request)}`;
		},
	});
	const ana = desk.person();
	await ana.says("hi");
	await desk.runtime.idle();
	await desk.clock.advance(59_000);
	await ana.says("slow");
	await gate.reached;
	await desk.clock.advance(5_000);
	expect((await desk.backend.view(ana.address, { history: 0 })).waiting.map(({ type }) => type)).toEqual([
		"message",
		"occurrence",
	]);
	gate.open();
	await desk.runtime.idle();
	const { record } = await desk.backend.view(ana.address, { history: 0 });
	expect(record?.ended).toBeUndefined();
	expect(desk.channel.ends).toEqual([]);
	await desk.clock.advance(60_000);
	await desk.runtime.idle();
	expect(desk.channel.ends).toHaveLength(1);
	await desk.end();
});
