import { expect, test } from "vitest";
import { CallboardError } from "../../src/errors.js";
import { fakeAgent } from "./fake-agent.js";
import { FakeModel } from "./fake-model.js";
import { Line, words } from "./line.js";

const say = (text: string) => ({ act: "say", part: { kind: "text", text } }) as const;
const open = { kind: "open", text: "" } as const;

test("all waiting messages are one turn's input, each its own row, in their order", async () => {
	const model = new FakeModel("A refund, I see.");
	const line = new Line(fakeAgent({}), model);
	const result = await line.say("hi", "I want", "a refund");
	expect(result.consumed).toBe(3);
	expect(model.requests[0]?.history).toEqual([
		{ role: "user", text: "hi" },
		{ role: "user", text: "I want" },
		{ role: "user", text: "a refund" },
	]);
});

test("an occurrence behind messages is the next turn's, so that the person is answered before anything else happens", async () => {
	const line = new Line(fakeAgent({}), new FakeModel("Hello."));
	const close = line.occurrence({ kind: "close", reason: "operator" });
	const result = await line.take([line.message("hi"), close, line.message("more")]);
	expect(result).toMatchObject({ consumed: 1, requests: 1 });
	expect(result.record.ended).toBeUndefined();
	const closed = await line.take([close, line.message("more")]);
	expect(closed).toMatchObject({ consumed: 1, record: { ended: { reason: "operator" } } });
});

test("a call that ended begins anew: fresh id, the agent's first state, no old history", async () => {
	const agent = fakeAgent({ state: { n: 0 }, onCall: ({ state }) => Object.assign(state, { n: Number(state.n) + 1 }) });
	const model = new FakeModel("one", "two");
	const line = new Line(agent, model);
	await line.say("first");
	await line.take([line.occurrence({ kind: "close", reason: "operator" })]);
	const result = await line.say("second");
	expect(result.record).toMatchObject({ id: "call-2", turns: 1, rows: 2, state: { n: 1 } });
	expect(result.record.ended).toBeUndefined();
	expect(model.requests[1]?.history).toEqual([{ role: "user", text: "second" }]);
	expect(model.requests.map(({ cacheKey }) => cacheKey)).toEqual(["call-1", "call-2"]);
});

test("a new call after a human held the old one belongs to the agent, under a new epoch", async () => {
	const line = new Line(fakeAgent({}), new FakeModel("one", "two"));
	const { record } = await line.say("x");
	line.record = { ...record, owner: "human", epoch: 3, ended: { at: 0, reason: "solved" } };
	expect((await line.say("y")).record).toMatchObject({ owner: "agent", epoch: 4 });
});

test("onCall comes before all else, and its throw fails the turn as the author's fault", async () => {
	const greets = fakeAgent({ onCall: ({ acts }) => void acts.push(say("Welcome!")) });
	expect(words(await new Line(greets, new FakeModel("Yes?")).say("hi"))).toEqual(["Welcome!", "Yes?"]);
	const throws = fakeAgent({
		onCall: () => {
			throw new Error("no database");
		},
	});
	const failed = await new Line(throws, new FakeModel()).say("hi").catch((error: unknown) => error);
	expect(failed).toBeInstanceOf(CallboardError);
	expect(failed).toMatchObject({ code: "HOOK_FAILED", fault: "author", message: "onCall of Desk threw" });
});

test("onCall that forwards or hangs up leaves the model unasked", async () => {
	const agent = fakeAgent({ onCall: ({ acts }) => void acts.push({ act: "forward", to: "night desk" }) });
	expect(await new Line(agent, new FakeModel()).say("hi")).toMatchObject({ requests: 0, record: { owner: "human" } });
});

test("opening a new call is greeted by the agent's words with no request; opening an old one by nothing", async () => {
	const line = new Line(fakeAgent({ over: { greeting: { say: "Good morning!" } } }), new FakeModel());
	const result = await line.say(open);
	expect(words(result)).toEqual(["Good morning!"]);
	expect(result).toMatchObject({ requests: 0, parts: [{ by: "code" }], append: [{ role: "said" }] });
	expect(await line.say(open)).toMatchObject({ requests: 0, parts: [], append: [], consumed: 1 });
});

test("a greeting by instruction is one request, guided in the view", async () => {
	const model = new FakeModel("Hello, I am Desk.");
	const result = await new Line(fakeAgent({ over: { greeting: { reply: "Greet and ask the name." } } }), model).say(
		open,
	);
	expect(words(result)).toEqual(["Hello, I am Desk."]);
	expect(model.requests[0]).toMatchObject({ history: [] });
	expect(model.requests[0]?.view.endsWith("Greet and ask the name.")).toBe(true);
});

test("somebody who opens and writes at once is greeted and answered", async () => {
	const agent = fakeAgent({ over: { greeting: { say: "Good morning!" } } });
	const result = await new Line(agent, new FakeModel("It costs 10.")).say(open, "price?");
	expect(words(result)).toEqual(["Good morning!", "It costs 10."]);
});

test("somebody who writes first is not greeted, and an agent without a greeting says nothing", async () => {
	const agent = fakeAgent({ over: { greeting: { say: "Good morning!" } } });
	expect(words(await new Line(agent, new FakeModel("Yes?")).say("hi"))).toEqual(["Yes?"]);
	expect(await new Line(fakeAgent({}), new FakeModel()).say(open)).toMatchObject({ parts: [], requests: 0 });
});

test("E9: a kind nobody can read is answered politely when it comes alone, with no request, and kept", async () => {
	const model = new FakeModel("About your poll…");
	const line = new Line(fakeAgent({ settings: { unreadable: "In words, please." } }), model);
	const result = await line.say({ kind: "unknown", what: "poll", text: "" });
	expect(words(result)).toEqual(["In words, please."]);
	expect(result).toMatchObject({ requests: 0, append: [{ role: "user" }, { role: "said", by: "code" }] });
	await line.say({ kind: "unknown", what: "poll", text: "" }, "did you see it?");
	expect(model.requests[0]?.history[0]).toEqual({
		role: "user",
		text: '[sent something that cannot be shown here: "poll"]',
	});
});

test("a picture alone reaches the model, described", async () => {
	const model = new FakeModel("Nice picture.");
	await new Line(fakeAgent({}), model).say({
		kind: "media",
		media: [{ kind: "image", mime: "image/png", ref: "r" }],
		text: "",
	});
	expect(model.requests[0]?.history).toEqual([{ role: "user", text: "[sent a picture: image/png]" }]);
});

test("an event runs its handler; the model speaks only where the handler wants it to", async () => {
	const agent = fakeAgent({
		onEvent: {
			paid: (data, { state, acts }) => {
				state.paid = data;
				acts.push(say("Payment received."));
			},
			late: (_data, { acts }) => void acts.push({ act: "reply", instructions: "Ask if they still come." }),
		},
	});
	const model = new FakeModel("Hi.", "Are you still coming?");
	const line = new Line(agent, model);
	await line.say("x");
	const paid = await line.take([line.occurrence({ kind: "event", name: "paid", data: 5, source: "app" })]);
	expect(paid).toMatchObject({ requests: 0, record: { state: { paid: 5 } } });
	expect(words(paid)).toEqual(["Payment received."]);
	const late = await line.take([line.occurrence({ kind: "event", name: "late", data: null, source: "timer" })]);
	expect(words(late)).toEqual(["Are you still coming?"]);
	expect(model.requests[1]?.view.endsWith("Ask if they still come.")).toBe(true);
	const unknown = await line.take([line.occurrence({ kind: "event", name: "nope", data: null, source: "app" })]);
	expect(unknown).toMatchObject({ parts: [], requests: 0, consumed: 1 });
});

test("a model that fails or is blank when nobody waits for words says nothing", async () => {
	const agent = fakeAgent({
		onEvent: { late: (_data, { acts }) => void acts.push({ act: "reply", instructions: "x" }) },
	});
	const down = new CallboardError("MODEL_UNAVAILABLE", "platform", "down");
	const line = new Line(agent, new FakeModel("Hi.", down, "", ""));
	await line.say("x");
	const late = () => line.take([line.occurrence({ kind: "event", name: "late", data: null, source: "timer" })]);
	expect((await late()).parts).toEqual([]);
	expect((await late()).parts).toEqual([]);
});

test("an event handler that throws is logged, its writes are dropped, and the call goes on", async () => {
	const agent = fakeAgent({
		onEvent: {
			paid: (_data, { state }) => {
				state.paid = true;
				throw new Error("no");
			},
		},
	});
	const line = new Line(agent, new FakeModel("Hi."));
	await line.say("x");
	const result = await line.take([line.occurrence({ kind: "event", name: "paid", data: 5, source: "app" })]);
	expect(result.record.state).toEqual({});
	expect(line.warnings()).toContain("event.failed");
});

test("an application may speak first: its event begins a call with whoever is at the address", async () => {
	const agent = fakeAgent({ onEvent: { ready: (_data, { acts }) => void acts.push(say("Your bike is ready.")) } });
	const line = new Line(agent, new FakeModel());
	const result = await line.take([line.occurrence({ kind: "event", name: "ready", data: null, source: "app" })]);
	expect(words(result)).toEqual(["Your bike is ready."]);
	expect(result.record).toMatchObject({ id: "call-1", contact: { id: "web:ana" } });
});

test("a timer of a call that is over begins nothing and does not reach the next call", async () => {
	const agent = fakeAgent({ onEvent: { remind: (_data, { acts }) => void acts.push(say("Reminder!")) } });
	const line = new Line(agent, new FakeModel("one", "two"));
	await line.say("x");
	const timer = line.occurrence({ kind: "event", name: "remind", data: null, source: "timer" }, "call-1.1.later.a");
	await line.take([line.occurrence({ kind: "close", reason: "operator" })]);
	expect(await line.take([timer])).toMatchObject({ consumed: 1, parts: [], record: { id: "call-1", ended: {} } });
	await line.say("y");
	expect(await line.take([timer])).toMatchObject({ consumed: 1, parts: [], record: { id: "call-2", turns: 1 } });
});

test("a close or a delivery for a call that never was is used up and leaves an ended record", async () => {
	const line = new Line(fakeAgent({}), new FakeModel());
	const result = await line.take([line.occurrence({ kind: "close", reason: "operator" })]);
	expect(result).toMatchObject({ consumed: 1, parts: [], append: [], record: { ended: { reason: "never begun" } } });
});

test("an idle close that fired just as somebody wrote is no longer true once they were answered", async () => {
	const line = new Line(fakeAgent({ settings: { idleMs: 1000 } }), new FakeModel("one", "two"));
	await line.say("x");
	await line.clock.advance(1000);
	const idle = line.occurrence({ kind: "close", reason: "idle" });
	await line.say("y");
	const kept = await line.take([idle]);
	expect(kept.record.ended).toBeUndefined();
	expect(kept.record.turns).toBe(3);
	await line.clock.advance(1000);
	const result = await line.take([line.occurrence({ kind: "close", reason: "idle" })]);
	expect(result.record.ended).toEqual({ at: line.clock.now(), reason: "idle" });
});

test("today is the day the turn began, in the given time zone", async () => {
	const days: string[] = [];
	const agent = fakeAgent({});
	const seeing = {
		...agent,
		open: (opening: Parameters<typeof agent.open>[0]) => {
			days.push(opening.call.today);
			return agent.open(opening);
		},
	};
	const line = new Line(seeing, new FakeModel("a", "b"));
	await line.clock.advance(15 * 60 * 60 * 1000 - 1);
	await line.say("x");
	await line.take([line.message("y")], { timeZone: "Pacific/Auckland" });
	expect(days).toEqual(["2026-03-02", "2026-03-03"]);
});

test("what the agent knows of the call: channel, transport, contact, and the history with what was just said", async () => {
	const agent = fakeAgent({});
	let rows: readonly unknown[] = [];
	const seeing = {
		...agent,
		open: (opening: Parameters<typeof agent.open>[0]) => {
			const { history, ...facts } = opening.call;
			expect(facts).toEqual({
				id: "call-1",
				address: "web|ana",
				channel: "web",
				transport: "chat",
				from: "web:ana",
				contact: { id: "web:ana", name: "Ana" },
				today: "2026-03-02",
			});
			const session = agent.open(opening);
			const { render } = session;
			session.render = () => {
				rows = history();
				return render.call(session);
			};
			return session;
		},
	};
	await new Line(seeing, new FakeModel("a")).say("x");
	expect(rows).toMatchObject([{ role: "user", content: { text: "x" }, name: "Ana" }]);
});

test("a turn with nothing waiting is refused", async () => {
	await expect(new Line(fakeAgent({}), new FakeModel()).take([])).rejects.toMatchObject({ code: "TURN_WITHOUT_INPUT" });
});
