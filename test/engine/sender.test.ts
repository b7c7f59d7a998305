import { expect, test } from "vitest";
import type { Channel } from "../../src/channel/channel.js";
import { pause } from "../../src/clock.js";
import { platformAnswers } from "../../src/testing/platform-answers.js";
import { attempts, broken, fine, fourLines, hear, marks } from "./four-lines.js";
import { Gate, stand } from "./stand.js";

test("E13: part 2 of 4 is refused for the moment: it is sent again, then the rest, nothing twice", async () => {
	const desk = await fourLines("leave");
	desk.channel.answer(fine, broken);
	const ana = await hear(desk);
	expect(attempts(desk)).toEqual(["one", "two", "two", "three", "four"]);
	expect(ana.heard).toEqual(["one", "two", "three", "four"]);
	expect(await marks(desk, ana)).toEqual([]);
	await desk.end();
});

test.each([
	["the person got it", platformAnswers.acceptedThenReset(), ["one", "two", "three", "four"]],
	["the person did not get it", platformAnswers.lostThenReset(), ["one", "three", "four"]],
] as const)(
	"E13, E1: nobody knows of part 2 and it cannot be looked up (%s): it is marked and never sent again",
	async (_, answer, heard) => {
		const desk = await fourLines("leave");
		desk.channel.answer(fine, answer);
		const ana = await hear(desk);
		expect(attempts(desk)).toEqual(["one", "two", "three", "four"]);
		expect(ana.heard).toEqual(heard);
		expect(await marks(desk, ana)).toEqual([["two", "ambiguous"]]);
		expect(desk.told("delivery.failed")).toMatchObject([{ status: "ambiguous" }]);
		await desk.end();
	},
);

test("C6: nobody knows of part 2, and the platform says that it is there: it counts as sent", async () => {
	const desk = await fourLines("reconcile");
	desk.channel.answer(fine, platformAnswers.acceptedThenReset());
	const ana = await hear(desk);
	expect(attempts(desk)).toEqual(["one", "two", "three", "four"]);
	expect(ana.heard).toEqual(["one", "two", "three", "four"]);
	expect(await marks(desk, ana)).toEqual([]);
	await desk.end();
});

test("C6: nobody knows of part 2, and the platform says that it is not there: it is sent again, in its place", async () => {
	const desk = await fourLines("reconcile");
	desk.channel.answer(fine, platformAnswers.lostThenReset());
	const ana = await hear(desk);
	expect(attempts(desk)).toEqual(["one", "two", "two", "three", "four"]);
	expect(ana.heard).toEqual(["one", "two", "three", "four"]);
	await desk.end();
});

test("E13: part 2 of 4 is refused for good: the rest goes on, and the gap is a log line, a fact and a mark", async () => {
	const desk = await fourLines("leave");
	desk.channel.answer(fine, platformAnswers.refused());
	const ana = await hear(desk);
	expect(ana.heard).toEqual(["one", "three", "four"]);
	expect(await marks(desk, ana)).toEqual([["two", "failed"]]);
	expect(desk.told("delivery.failed")).toMatchObject([{ status: "failed", reason: "400 bad request" }]);
	expect(desk.log.lines.filter(({ event }) => event === "delivery.failed")).toHaveLength(1);
	await desk.end();
});

test("D6: one chat is told to wait for hours: nothing is tried there before, and others are not slowed", async () => {
	const desk = await stand();
	const [ana, ben] = [desk.person("ana"), desk.person("ben")];
	desk.channel.answer(platformAnswers.tooMany(13_938_000));
	await ana.says("hi");
	await desk.settle();
	await ben.says("hi");
	await desk.settle();
	await desk.clock.advance(13_937_000);
	expect([ana.heard, ben.heard]).toEqual([[], ["re: hi"]]);
	expect(desk.channel.attempts).toHaveLength(2);
	expect(desk.log.lines.filter(({ event }) => event === "delivery.retry")).toMatchObject([
		{ level: "warn", fields: { address: ana.address, at: desk.clock.now() + 1_000 } },
	]);
	await ana.says("hello?");
	await desk.clock.advance(1_000);
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["re: hi", "re: hello?"]);
	await desk.end();
});

test("E7: a door is told to wait: all its chats wait, other doors do not, and then everything comes in order", async () => {
	const desk = await stand({ doors: ["one", "two"] });
	const people = Array.from({ length: 5 }, (_, n) => desk.person(`chat${n}`));
	const other = desk.person("other", 1);
	desk.channel.answer(platformAnswers.tooMany(30_000, "door"));
	await people[0]?.says("hi");
	await desk.settle();
	for (const person of [...people, other]) await person.says("there");
	await desk.clock.advance(29_000);
	expect(desk.channel.attempts).toHaveLength(1);
	expect(other.heard).toEqual(["re: there"]);
	await desk.clock.advance(2_000);
	await desk.runtime.idle();
	expect(people.map((person) => person.heard)).toEqual([["re: hi", "re: there"], ...Array(4).fill(["re: there"])]);
	await desk.end();
});

test("a platform that only ever says later is given up, visibly, with growing waits", async () => {
	const desk = await stand({ limits: { attempts: 5 } });
	desk.channel.answer(...Array(5).fill({ ...broken, result: { ...broken.result, afterMs: 0 } }));
	const ana = desk.person();
	await ana.says("hi");
	await desk.settle();
	await desk.clock.advance(60_000);
	await desk.runtime.idle();
	const times = desk.channel.attempts.map(({ at }) => at - desk.channel.attempts[0]!.at);
	expect(times).toEqual([0, 250, 750, 1_750, 3_750]);
	expect(await marks(desk, ana)).toEqual([["re: hi", "failed"]]);
	expect(desk.told("delivery.failed")).toMatchObject([{ reason: "given up after 5 tries: 503" }]);
	await ana.says("again");
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["re: again"]);
	await desk.end();
});

test("a channel without a limit pays nothing for those that have one: the plainest terms, no timer of its own", async () => {
	const desk = await stand();
	const terms: unknown[] = [];
	const settle = desk.backend.settle.bind(desk.backend);
	desk.backend.settle = (lease, settlement, next) => {
		terms.push(next?.take);
		return settle(lease, settlement, next);
	};
	const timers: number[] = [];
	for (let n = 0; n < 100; n += 1) {
		await desk.person(`chat${n}`).says("hi");
		await desk.runtime.idle();
		timers.push(desk.clock.pending);
	}
	expect(new Set(terms).size).toBe(1);
	expect(terms[0]).toEqual({ owner: expect.any(String), leaseMs: 3_000 });
	expect(timers.at(-1)).toBe(timers[0]);
	await desk.end();
});

test.each([
	["one that asks for the signal has it aborted", true],
	["one that does not is waited for no longer all the same", false],
])("a send without an answer in time, of two that are under way: %s", async (_, asks) => {
	const desk = await stand({ limits: { sendMs: 5_000 }, channel: { capabilities: { ambiguous: "leave" } } });
	const good = desk.channel.send.bind(desk.channel);
	const reasons: unknown[] = [];
	desk.channel.send = (payload, delivery) => {
		if (delivery.address !== "fake|ana") return good(payload, delivery);
		if (asks) delivery.signal.addEventListener("abort", () => reasons.push(delivery.signal.reason));
		return new Promise(() => {});
	};
	const [ana, ben] = [desk.person("ana"), desk.person("ben")];
	desk.channel.answer(platformAnswers.late(4_000));
	for (const person of [ana, ben]) {
		await person.says("hi");
		await desk.clock.advance(2_000);
	}
	await desk.clock.advance(999);
	expect(desk.told("delivery.failed")).toEqual([]);
	await desk.clock.advance(1);
	expect(desk.told("delivery.failed")).toMatchObject([{ reason: "no answer in time" }]);
	expect(reasons.map((reason) => (reason as Error).message)).toEqual(asks ? ["no answer in time"] : []);
	await desk.clock.advance(10_000);
	await desk.runtime.idle();
	expect([ana.heard, ben.heard]).toEqual([[], ["re: hi"]]);
	await desk.end();
});

test("D8: a person who cannot be reached any more is told of, and the others get theirs", async () => {
	const desk = await stand();
	const people = ["1", "2", "3"].map((chat) => desk.person(chat));
	desk.channel.answer(fine, platformAnswers.blocked(), fine);
	for (const person of people) {
		await person.says("hi");
		await desk.runtime.idle();
	}
	expect(people.map((person) => person.heard.length)).toEqual([1, 0, 1]);
	expect(desk.facts.filter(({ event }) => event === "contact.unreachable").map(({ address }) => address)).toEqual([
		people[1]?.address,
	]);
	const marked = async () => {
		const views = await Promise.all(people.map(({ address }) => desk.backend.view(address, { history: 0 })));
		return views.map(({ unreachable }) => unreachable?.reason);
	};
	expect(await marked()).toEqual([undefined, "403 blocked", undefined]);
	await people[1]?.says("I am back");
	expect(await marked()).toEqual([undefined, undefined, undefined]);
	await desk.runtime.idle();
	expect(people[1]?.heard).toEqual(["re: I am back"]);
	await desk.end();
});

test("I10: five lines sent over a network of random latencies arrive as 1 to 5", async () => {
	const desk = await fourLines("leave");
	desk.channel.answer(...[400, 10, 250, 1].map((ms) => platformAnswers.late(ms)));
	const ana = await hear(desk);
	expect(ana.heard).toEqual(["one", "two", "three", "four"]);
	await desk.end();
});

test.each([
	["throws", () => Promise.reject(new Error("bug in the channel"))],
	[
		"never answers",
		(_: unknown, { signal }: { signal: AbortSignal }) => pause({ now: () => 0, after: () => () => {} }, 1, signal),
	],
] as const)("a channel that %s in mid-send: the outcome counts as unknown, and the next goes on", async (_, send) => {
	const desk = await fourLines("leave", { limits: { sendMs: 5_000 } });
	const good = desk.channel.send.bind(desk.channel);
	let sends = 0;
	desk.channel.send = ((payload, delivery) =>
		++sends === 2 ? send(payload, delivery) : good(payload, delivery)) as Channel["send"];
	const ana = await hear(desk);
	expect(ana.heard).toEqual(["one", "three", "four"]);
	expect(await marks(desk, ana)).toEqual([["two", "ambiguous"]]);
	await desk.end();
});

test("I1: a human takes over while the model thinks: the model's answer is discarded, and it shows", async () => {
	const gate = new Gate();
	const desk = await stand({
		model: async () => {
			if (desk.requests.length === 2) await gate.pass();
			return "answer";
		},
	});
	const ana = desk.person();
	await ana.says("hi");
	await desk.runtime.idle();
	await ana.says("help");
	await gate.reached;
	const say = [
		{ id: "human.1.0", payload: { kind: "text", text: "I am Eva" }, by: "human", epoch: 1, turn: "human.1" },
	] as const;
	await desk.backend.amend(ana.address, { owner: "human", say });
	gate.open();
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["answer", "I am Eva"]);
	expect(desk.told("delivery.failed")).toMatchObject([{ status: "discarded", reason: "a human owns the call" }]);
	await ana.says("are you there?");
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["answer", "I am Eva"]);
	expect(desk.requests).toHaveLength(2);
	await desk.end();
});

test("decision 16: goodbye, then the end once the goodbye has left; the model is not asked again", async () => {
	const desk = await stand({
		agent: {
			tools: {
				goodbye: {
					run: (_, { acts }) => {
						acts.push(
							{ act: "say", part: { kind: "text", text: "bye" } },
							{ act: "hangup", reason: "done", after: "delivered" },
						);
					},
				},
			},
		},
		model: () => ({ calls: [["goodbye"]] }),
	});
	desk.channel.answer(platformAnswers.late(5_000));
	const ana = desk.person();
	await ana.says("that is all");
	await desk.settle();
	expect(desk.channel.ends).toEqual([]);
	expect((await desk.backend.view(ana.address, { history: 0 })).record).toMatchObject({ ending: { reason: "done" } });
	await desk.clock.advance(5_000);
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["bye"]);
	expect(desk.channel.ends).toEqual([{ address: ana.address, reason: "done" }]);
	expect(desk.facts.map(({ event }) => event).filter((event) => /bot|ended|sent/.test(event))).toEqual([
		"delivery.sent",
		"bot.finished",
		"call.ended",
	]);
	expect(desk.requests).toHaveLength(1);
	await desk.end();
});
