import { expect, test } from "vitest";
import type { Act } from "../../src/agent/declaration.js";
import { type FakeTool, fakeAgent } from "./fake-agent.js";
import { FakeModel } from "./fake-model.js";
import { Line, told, words } from "./line.js";

const say = (text: string): Act => ({ act: "say", part: { kind: "text", text } });
const doing = (...acts: Act[]): FakeTool => ({ run: (_args, { acts: mine }) => void mine.push(...acts) });
const forward: Act = { act: "forward", to: "sales" };
const goodbye: Act = { act: "hangup", reason: "goodbye", after: "delivered" };

test("forward hands the call to people: the model stops, the person is told under the new epoch, the rest is skipped", async () => {
	const agent = fakeAgent({ tools: { human: doing(forward), other: {} } });
	const line = new Line(
		agent,
		new FakeModel({
			text: "Wait.",
			calls: [
				["human", {}, "1"],
				["other", {}, "2"],
			],
		}),
	);
	const result = await line.say("a person, please");
	expect(words(result)).toEqual(["HANDOVER"]);
	expect(result.parts[0]).toMatchObject({ by: "code", epoch: 1 });
	expect(result.record).toMatchObject({ owner: "human", epoch: 1, forwarded: { to: "sales" } });
	expect(JSON.parse(told(result)[2] ?? "").skipped).toContain("handed to people");
	expect(agent.happened.ran.map(({ tool }) => tool)).toEqual(["human"]);
	expect(result.events).toContainEqual({ name: "call.forwarded", data: { to: "sales" } });
	expect(agent.happened.told).toEqual([{ event: "call.forwarded", data: { to: "sales" } }]);
	expect(result.requests).toBe(1);
});

test("a reader beside one that hands the call over is skipped, and what it wrote and said is dropped", async () => {
	const agent = fakeAgent({
		tools: {
			human: { effect: "read", ...doing(forward) },
			look: {
				effect: "read",
				run: (_args, { state, acts }) => {
					state.looked = true;
					acts.push(say("Looked."));
				},
			},
		},
	});
	const result = await new Line(
		agent,
		new FakeModel({
			calls: [
				["human", {}, "1"],
				["look", {}, "2"],
			],
		}),
	).say("x");
	expect(agent.happened.together).toEqual([2]);
	expect(told(result)[2]).toContain("skipped");
	expect(words(result)).toEqual(["HANDOVER"]);
	expect(result.record.state).toEqual({});
});

test("what the tool said before it forwarded is said instead of the hand-over line, and is not withheld by the epoch", async () => {
	const agent = fakeAgent({ tools: { human: doing(say("Of course, one moment."), forward) } });
	const result = await new Line(agent, new FakeModel({ calls: [["human"]] })).say("x");
	expect(result.parts).toMatchObject([{ part: { text: "Of course, one moment." }, epoch: 1 }]);
});

test("while a human holds the call messages go to the history and the model is not asked", async () => {
	const line = new Line(fakeAgent({ tools: { human: doing(forward) } }), new FakeModel({ calls: [["human"]] }));
	await line.say("x");
	const result = await line.say("are you there?", { kind: "unknown", what: "poll", text: "" });
	expect(result).toMatchObject({ requests: 0, parts: [], consumed: 2 });
	expect(result.append.map(({ role }) => role)).toEqual(["user", "user"]);
});

test("a call given back by the human goes on, knowing of the hand-over", async () => {
	const model = new FakeModel({ calls: [["human"]] }, "Here again.");
	const line = new Line(fakeAgent({ tools: { human: doing(forward) } }), model);
	await line.say("x");
	if (line.record !== undefined) line.record = { ...line.record, owner: "agent", epoch: 2 };
	const result = await line.say("hello?");
	expect(result.parts).toMatchObject([{ part: { text: "Here again." }, epoch: 2 }]);
	expect(model.requests[1]?.history).toContainEqual({ role: "note", text: "The call was handed to people (sales)." });
});

test("a second hand-over says nothing twice", async () => {
	const agent = fakeAgent({
		tools: { human: doing(forward) },
		onEvent: { again: (_data, { acts }) => void acts.push({ act: "forward", to: "support" }) },
	});
	const line = new Line(agent, new FakeModel({ calls: [["human"]] }));
	await line.say("x");
	const result = await line.take([line.occurrence({ kind: "event", name: "again", data: null, source: "app" })]);
	expect(result).toMatchObject({ parts: [], record: { epoch: 1, forwarded: { to: "support" } } });
});

test("hangup now: what was said is still sent, the call ends at the commit, onEnd runs", async () => {
	const agent = fakeAgent({
		tools: { bye: doing(say("Bye!"), { act: "hangup", reason: "done", after: "now" }) },
		onEnd: ({ state }) => {
			state.closed = true;
		},
	});
	const result = await new Line(agent, new FakeModel({ calls: [["bye"]] })).say("bye");
	expect(words(result)).toEqual(["Bye!"]);
	expect(result.record).toMatchObject({ ended: { reason: "done" }, state: { closed: true } });
	expect(result).not.toHaveProperty("then");
	expect(agent.happened.hooks).toEqual(["onCall", "onEnd"]);
	expect(agent.happened.told).toEqual([{ event: "call.ended", data: { reason: "done" } }]);
	expect(result.requests).toBe(1);
});

test("hangup after delivery is recorded, ends the call once everything has left, and the model is not asked again", async () => {
	const agent = fakeAgent({ tools: { endCall: doing(say("Have a great day!"), goodbye), more: {} } });
	const line = new Line(
		agent,
		new FakeModel({
			calls: [
				["endCall", {}, "1"],
				["more", {}, "2"],
			],
		}),
	);
	const result = await line.say("bye");
	expect(result.record.ending).toEqual({ reason: "goodbye" });
	expect(result.record.ended).toBeUndefined();
	expect(agent.happened.hooks).toEqual(["onCall"]);
	expect(JSON.parse(told(result)[2] ?? "").skipped).toContain("ending");
	if (result.then === undefined) throw new Error("nothing awaits the delivery");
	const end = await line.take([result.then]);
	expect(end).toMatchObject({ requests: 0, parts: [], record: { ended: { reason: "goodbye" } } });
	expect(end.record.ending).toBeUndefined();
	expect(agent.happened.told).toEqual([
		{ event: "bot.finished", data: { turn: "call-1.1" } },
		{ event: "call.ended", data: { reason: "goodbye" } },
	]);
	expect(agent.happened.hooks).toEqual(["onCall", "onEnd"]);
});

test("while a goodbye is on its way an event still runs its handler, but the model is not asked", async () => {
	const agent = fakeAgent({
		tools: { endCall: doing(say("Bye!"), goodbye) },
		onEvent: { paid: (_data, { acts }) => void acts.push(say("Paid."), { act: "reply", instructions: "Thank them." }) },
	});
	const line = new Line(agent, new FakeModel({ calls: [["endCall"]] }));
	await line.say("bye");
	const result = await line.take([line.occurrence({ kind: "event", name: "paid", data: null, source: "app" })]);
	expect(words(result)).toEqual(["Paid."]);
	expect(result).toMatchObject({ requests: 0, record: { id: "call-1", ending: { reason: "goodbye" } } });
});

test("a listener of bot.finished is told after the delivery without ending the call", async () => {
	const agent = fakeAgent({ awaitsFinish: true });
	const line = new Line(agent, new FakeModel("Hello."));
	const result = await line.say("hi");
	expect(result.record.ending).toBeUndefined();
	const told = await line.take(result.then === undefined ? [] : [result.then]);
	expect(told.events.map(({ name }) => name)).toEqual(["bot.finished"]);
	expect(told.record.ended).toBeUndefined();
	expect(told).not.toHaveProperty("then");
});

test("words of an earlier turn, or of the call before, that have left do not end a call whose goodbye is on its way", async () => {
	const agent = fakeAgent({ awaitsFinish: true, tools: { endCall: doing(say("Bye!"), goodbye) } });
	const line = new Line(
		agent,
		new FakeModel("Hello.", { calls: [["endCall"]] }, "Hello again.", { calls: [["endCall"]] }),
	);
	const awaited = async (words: string) => {
		const { then } = await line.say(words);
		if (then === undefined) throw new Error("nothing awaits the delivery");
		return then;
	};
	const [hello, bye] = [await awaited("hi"), await awaited("bye")];
	const early = await line.take([hello]);
	expect(early.record).toMatchObject({ id: "call-1", ending: { reason: "goodbye" } });
	expect(early.record.ended).toBeUndefined();
	const [again, second] = [await awaited("hi again"), await awaited("bye again")];
	const { record } = await line.take([bye]);
	expect(record).toMatchObject({ id: "call-2", ending: { reason: "goodbye" } });
	expect(record.ended).toBeUndefined();
	await line.take([again]);
	expect((await line.take([second])).record.ended).toMatchObject({ reason: "goodbye" });
});

test("a message that comes while the goodbye is on its way begins a new call; the old one has ended", async () => {
	const agent = fakeAgent({ tools: { endCall: doing(say("Bye!"), goodbye) } });
	const line = new Line(agent, new FakeModel({ calls: [["endCall"]] }, "Yes?"));
	const first = await line.say("bye");
	const second = await line.say("wait, one more thing");
	expect(words(second)).toEqual(["Yes?"]);
	expect(second.record).toMatchObject({ id: "call-2", turns: 1 });
	expect(second.events.map(({ name }) => name).slice(0, 2)).toEqual(["call.ended", "call.started"]);
	expect(agent.happened.hooks).toEqual(["onCall", "onEnd", "onCall"]);
	const stale = await line.take(first.then === undefined ? [] : [first.then]);
	expect(stale).toMatchObject({ consumed: 1, append: [], record: { id: "call-2" } });
	expect(stale.record.ended).toBeUndefined();
});

test("a tool that ends the call does so when it succeeded, after its words have left", async () => {
	let fails = true;
	const run = () => {
		if (fails) throw new Error("not yet");
	};
	const agent = fakeAgent({ tools: { finish: { end: true, run }, other: {} } });
	const line = new Line(
		agent,
		new FakeModel({ calls: [["finish"]] }, "Not yet.", { text: "Bye!", calls: [["finish"], ["other"]] }),
	);
	expect((await line.say("x")).record.ending).toBeUndefined();
	fails = false;
	const result = await line.say("now");
	expect(words(result)).toEqual(["Bye!"]);
	expect(result.record.ending).toEqual({ reason: "finish" });
	expect(result.then).toMatchObject({ occurrence: { kind: "delivered", turn: "call-1.2" } });
	expect(agent.happened.ran.map(({ tool }) => tool)).toEqual(["finish", "finish"]);
});

test("reply guides the next words in the view only; the history has nobody's words in it", async () => {
	const agent = fakeAgent({ tools: { look: doing({ act: "reply", instructions: "Offer the first hour." }) } });
	const model = new FakeModel({ calls: [["look"]] }, "Nine?", "ok");
	const line = new Line(agent, model);
	await line.say("x");
	expect(model.requests[0]?.view).not.toContain("Offer");
	expect(model.requests[1]?.view.endsWith("Offer the first hour.")).toBe(true);
	await line.say("yes");
	expect(JSON.stringify([model.requests[2], line.history])).not.toContain("Offer");
});

test("reply before a hangup gets its words, with tools off; then the call ends", async () => {
	const agent = fakeAgent({ tools: { bye: doing({ act: "reply", instructions: "Wish a good trip." }, goodbye) } });
	const model = new FakeModel({ calls: [["bye"]] }, "Good trip!");
	const result = await new Line(agent, model).say("bye");
	expect(words(result)).toEqual(["Good trip!"]);
	expect(model.requests[1]?.toolChoice).toBe("none");
	expect(result.record.ending).toEqual({ reason: "goodbye" });
});

test("a farewell that comes out blank is not asked for again: the call ends in silence", async () => {
	const agent = fakeAgent({ tools: { bye: doing({ act: "reply", instructions: "Wish a good trip." }, goodbye) } });
	const result = await new Line(agent, new FakeModel({ calls: [["bye"]] }, " ")).say("bye");
	expect(result).toMatchObject({ requests: 2, parts: [], record: { ending: { reason: "goodbye" } } });
});

test("reply is not asked for once the call was handed over", async () => {
	const agent = fakeAgent({ tools: { human: doing({ act: "reply", instructions: "x" }, forward) } });
	expect((await new Line(agent, new FakeModel({ calls: [["human"]] })).say("x")).requests).toBe(1);
});

test("later becomes a timer whose event knows its call; the last of one id counts, and cancel takes it back", async () => {
	const later = (id: string, at: number): Act => ({ act: "later", id, at, event: "remind", data: { at } });
	const agent = fakeAgent({
		tools: {
			plan: doing(later("a", 1), later("b", 2), later("a", 3), { act: "cancel", id: "b" }, { act: "cancel", id: "z" }),
		},
	});
	const result = await new Line(agent, new FakeModel({ calls: [["plan"]] }, "ok")).say("x");
	expect(result.timers).toEqual([
		{
			id: "a",
			at: 3,
			item: {
				type: "occurrence",
				id: "call-1.1.later.a",
				address: "web|ana",
				occurrence: { kind: "event", name: "remind", data: { at: 3 }, source: "timer" },
				at: 3,
			},
		},
	]);
	expect(result.cancel).toEqual(["b", "z"]);
});

test("collapse puts one sentence into the history as a note; the state stays", async () => {
	const agent = fakeAgent({
		state: { n: 1 },
		tools: { sum: doing({ act: "collapse", sentence: "Two orders placed." }) },
	});
	const model = new FakeModel({ calls: [["sum"]] }, "ok");
	const result = await new Line(agent, model).say("x");
	expect(model.requests[1]?.history.at(-1)).toEqual({ role: "note", text: "Two orders placed." });
	expect(result.record.state).toEqual({ n: 1 });
});

test("log becomes one line and one event", async () => {
	const line = new Line(
		fakeAgent({ tools: { a: doing({ act: "log", name: "lead", data: { n: 1 } }) } }),
		new FakeModel({ calls: [["a"]] }, "ok"),
	);
	const result = await line.say("x");
	expect(result.events).toContainEqual({ name: "call.log", data: { name: "lead", data: { n: 1 } } });
	expect(line.log.lines).toContainEqual(
		expect.objectContaining({ event: "call.log", fields: expect.objectContaining({ name: "lead" }) }),
	);
});

test("onEnd may still say something; what would go on with the call is left out", async () => {
	const agent = fakeAgent({
		tools: { bye: doing({ act: "hangup", reason: "done", after: "now" }) },
		onEnd: ({ acts }) =>
			void acts.push(say("Thanks for calling."), forward, { act: "later", id: "a", at: 1, event: "e", data: null }),
	});
	const result = await new Line(agent, new FakeModel({ calls: [["bye"]] })).say("x");
	expect(words(result)).toEqual(["Thanks for calling."]);
	expect(result).toMatchObject({ timers: [], record: { owner: "agent", ended: { reason: "done" } } });
});

test("onEnd that throws is logged and the call ends all the same", async () => {
	const agent = fakeAgent({
		tools: { bye: doing({ act: "hangup", reason: "done", after: "now" }) },
		onEnd: () => {
			throw new Error("store down");
		},
	});
	const line = new Line(agent, new FakeModel({ calls: [["bye"]] }));
	expect((await line.say("x")).record.ended).toMatchObject({ reason: "done" });
	expect(line.warnings()).toContain("hook.failed");
});
