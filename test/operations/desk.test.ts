import { expect, test } from "vitest";
import { shownCall } from "../../src/cli/shown-call.js";
import { BackendDesk } from "../../src/engine/backend-desk.js";
import { platformAnswers } from "../../src/testing/platform-answers.js";
import { Gate, type Stand, stand } from "../engine/stand.js";

const forwarding = { tools: { human: { run: (_: unknown, doing: { acts: object[] }) => doing.acts.push(handOver) } } };
const handOver = { act: "forward", to: "front-desk" } as never;

function deskOf({ backend, clock, channel }: Stand): BackendDesk {
	return new BackendDesk({ backend, clock, render: async (_, part) => channel.render(part) });
}

/** Ana asked for a person and has one; Ben has the agent. */
async function forwarded() {
	const engine = await stand({
		agent: forwarding,
		model: ({ history }) => {
			const last = history.at(-1);
			return last?.role === "user" && last.text === "a human, please" ? { calls: [["human"]] } : "the agent speaks";
		},
	});
	const ana = engine.person();
	const ben = engine.person("ben");
	await ana.says("a human, please");
	await ben.says("hello");
	await engine.settle();
	return { engine, ana, ben, desk: deskOf(engine) };
}

test("decision 17: a reply reaches the person of a forwarded call, stands in its history, and is said once a key", async () => {
	const { engine, ana, desk } = await forwarded();
	const [line] = await desk.calls({ state: "forwarded", limit: 10 });
	expect(line).toMatchObject({ address: ana.address, owner: "human", about: "front-desk" });
	const order = { call: line?.call ?? "", text: "This is Marta. How can I help?", key: "k1", take: false };
	expect(await desk.reply(order)).toMatchObject({ done: true, address: ana.address });
	expect(await desk.reply(order)).toMatchObject({ done: false, says: "it was said before under this key" });
	await expect(desk.reply({ ...order, text: "other words" })).rejects.toMatchObject({ code: "KEY_REUSED" });
	await desk.reply({ ...order, text: "Still there?", key: "k2" });
	await engine.settle();
	expect(ana.heard.slice(-2)).toEqual(["This is Marta. How can I help?", "Still there?"]);
	const { history } = await desk.show({ call: ana.address, history: 50 });
	expect(history.filter((row) => row.role === "said" && row.by === "human")).toHaveLength(2);
	await engine.end();
});

test("I3: released, the agent has the call again, with a note in its history, and answers the next message", async () => {
	const { engine, ana, desk } = await forwarded();
	await ana.says("are you there?");
	await engine.settle();
	const before = ana.heard.length;
	expect(await desk.release({ call: ana.address, note: 'she wants "Tuesday"' })).toMatchObject({ done: true });
	expect(await desk.release({ call: ana.address })).toMatchObject({ done: false });
	await ana.says("and now?");
	await engine.settle();
	expect(ana.heard.slice(before)).toEqual(["the agent speaks"]);
	const request = engine.requests.at(-1);
	const note = request?.history.findLast(({ role }) => role === "note");
	expect(note).toMatchObject({ text: expect.stringMatching(/given back to you .*"she wants \\"Tuesday\\""$/) });
	await engine.end();
});

test("I3: two people who give a call back at once, or one whose order comes late, leave one note", async () => {
	const { engine, ana, desk } = await forwarded();
	const order = { call: ana.address, note: "she wants Tuesday" };
	const both = await Promise.all([desk.release(order), desk.release(order)]);
	expect(both.map(({ done }) => done)).toEqual([true, false]);
	const notes = async () => {
		const { history } = await desk.show({ call: ana.address, history: 50 });
		return history.filter((row) => row.role === "note" && row.text.includes("given back")).length;
	};
	expect(await notes()).toBe(1);
	const { record } = await desk.show({ call: ana.address, history: 0 });
	await engine.backend.amend(ana.address, { owner: "human" });
	const late = await engine.backend.amend(ana.address, { epoch: record?.epoch ?? 0, owner: "agent" });
	expect(late).toBe("late");
	expect((await desk.show({ call: ana.address, history: 0 })).record).toMatchObject({ owner: "human" });
	expect(await notes()).toBe(1);
	await engine.end();
});

test("whoever looks at the chat is told who answers, as often as that changes", async () => {
	const engine = await stand({ agent: forwarding, model: () => ({ calls: [["human"]] }) });
	const desk = deskOf(engine);
	const { channel } = engine;
	Object.assign(channel, { said: () => {} });
	const ana = engine.person();
	await ana.says("a human, please");
	await engine.settle();
	await desk.release({ call: ana.address });
	await desk.release({ call: ana.address });
	await desk.reply({ call: ana.address, text: "one more thing", key: "k", take: true });
	await desk.reply({ call: ana.address, text: "and another", key: "k2", take: false });
	await engine.settle();
	const owners = channel.shown.flatMap(({ event }) => (event.kind === "owner" ? [event.owner] : []));
	expect(owners).toEqual(["human", "agent", "human"]);
	const transcript = () => channel.host.transcript(ana.address, 10);
	expect((await transcript()).owner).toBe("human");
	await desk.close({ call: ana.address, reason: "solved" });
	await engine.settle();
	expect(await transcript()).toMatchObject({ ended: true, owner: "agent" });
	await ana.says("a human, please");
	await engine.settle();
	expect((await transcript()).owner).toBe("human");
	await engine.end();
});

test("a reply sent again under its key takes no call back from the agent who got it since", async () => {
	const { engine, ana, desk } = await forwarded();
	const order = { call: ana.address, text: "Marta here", key: "k1", take: true };
	await desk.reply(order);
	await desk.release({ call: ana.address });
	for (const take of [true, false])
		expect(await desk.reply({ ...order, take })).toMatchObject({
			done: false,
			says: "it was said before under this key",
		});
	await engine.settle();
	expect((await desk.show({ call: ana.address, history: 0 })).record).toMatchObject({ owner: "agent" });
	expect(ana.heard.filter((words) => words === "Marta here")).toHaveLength(1);
	await engine.end();
});

test("a reply that crosses with a release says nothing in a call the agent has again", async () => {
	const { engine, ana, desk } = await forwarded();
	const reply = desk.reply({ call: ana.address, text: "one more thing", key: "k", take: false });
	const answered = expect(reply).rejects.toMatchObject({ code: "AGENT_HAS_CALL" });
	await desk.release({ call: ana.address });
	await answered;
	await engine.settle();
	expect(ana.heard).not.toContain("one more thing");
	await engine.end();
});

test("I1: a call the agent has is not talked into, unless it is taken; what the agent was about to say is then withheld", async () => {
	const gate = new Gate();
	const engine = await stand({
		model: async () => {
			await gate.pass();
			return "too late";
		},
	});
	const desk = deskOf(engine);
	const ana = engine.person();
	await ana.says("hello");
	await gate.reached;
	const order = { call: ana.address, text: "Marta here", key: "k", take: false };
	await expect(desk.reply(order)).rejects.toMatchObject({ code: "AGENT_HAS_CALL" });
	await desk.reply({ ...order, take: true });
	gate.open();
	await engine.settle();
	expect(ana.heard).toEqual(["Marta here"]);
	expect((await desk.outbox({ limit: 10 })).map(({ status }) => status)).toEqual(["discarded"]);
	await engine.end();
});

test("I1: what waited to be sent when a human took the call is read by nobody as said", async () => {
	const engine = await stand({ model: () => "too late" });
	const desk = deskOf(engine);
	const ana = engine.person();
	engine.channel.answer({ result: { outcome: "retry", afterMs: 60_000, scope: "chat", reason: "429" } });
	await ana.says("hello");
	await engine.settle();
	await desk.reply({ call: ana.address, text: "Marta here", key: "k", take: true });
	await engine.clock.advance(60_000);
	await engine.settle();
	expect(ana.heard).toEqual(["Marta here"]);
	expect(await desk.outbox({ limit: 10 })).toMatchObject([{ status: "discarded" }]);
	await desk.release({ call: ana.address });
	await ana.says("and now?");
	await engine.settle();
	expect(JSON.stringify(engine.requests.at(-1)?.history)).not.toContain("too late");
	expect(ana.heard.at(-1)).toBe("too late");
	await engine.end();
});

test("a call is closed behind what waits in it, once", async () => {
	const { engine, ben, desk } = await forwarded();
	const order = { call: ben.address, reason: "resolved by phone" };
	expect(await desk.close(order)).toMatchObject({ done: true });
	expect(await desk.close(order)).toMatchObject({ done: false });
	await engine.settle();
	expect(await desk.close(order)).toMatchObject({ done: false, says: "it has already ended" });
	const [line] = await desk.calls({ state: "ended", limit: 10 });
	expect(line).toMatchObject({ address: ben.address, about: "resolved by phone" });
	await engine.end();
});

test("a call that has ended is nobody's to take or to give back; what is said all the same begins nothing", async () => {
	const { engine, ben, desk } = await forwarded();
	await desk.close({ call: ben.address, reason: "resolved" });
	await engine.settle();
	const order = { call: ben.address, text: "One more thing", key: "k", take: false };
	await expect(desk.reply({ ...order, take: true })).rejects.toMatchObject({
		code: "CALL_ENDED",
		next: expect.stringContaining("--take"),
	});
	expect(await desk.reply(order)).toMatchObject({ done: true, says: expect.stringContaining("has ended") });
	expect(await desk.reply(order)).toMatchObject({ done: false });
	expect(await desk.release({ call: ben.address })).toMatchObject({
		done: false,
		says: expect.stringContaining("ended"),
	});
	await engine.settle();
	expect(ben.heard.filter((words) => words === "One more thing")).toHaveLength(1);
	expect((await desk.show({ call: ben.address, history: 0 })).record).toMatchObject({ owner: "agent", ended: {} });
	await engine.end();
});

test("a person's close closes, even for the reason of the call's own timer", async () => {
	const { engine, ben, desk } = await forwarded();
	await ben.says("just now");
	expect(await desk.close({ call: ben.address, reason: "idle" })).toMatchObject({ done: true });
	await engine.settle();
	const [line] = await desk.calls({ state: "ended", limit: 10 });
	expect(line).toMatchObject({ address: ben.address, about: "idle" });
	await engine.end();
});

test("a close of a call that ends by itself first does not close the one begun behind it", async () => {
	const gate = new Gate();
	const engine = await stand({
		agent: { tools: { bye: { run: (_, { acts }) => acts.push({ act: "hangup", reason: "done", after: "now" }) } } },
		model: async ({ history }) => {
			const last = history.at(-1);
			if (last?.role !== "user" || last.text !== "bye") return "hello";
			await gate.pass();
			return { calls: [["bye"]] };
		},
	});
	const desk = deskOf(engine);
	const ana = engine.person();
	await ana.says("good morning");
	await engine.settle();
	await ana.says("bye");
	await gate.reached;
	await ana.says("me again");
	expect(await desk.close({ call: ana.address, reason: "resolved by phone" })).toMatchObject({ done: true });
	gate.open();
	await engine.settle();
	expect(engine.told("call.ended")).toMatchObject([{ reason: "done" }]);
	const { record } = await desk.show({ call: ana.address, history: 0 });
	expect(record).toMatchObject({ turns: 1 });
	expect(record).not.toHaveProperty("ended");
	await engine.end();
});

test("G: a call set aside is listed with its reason, cannot be closed, and goes on when it is retried", async () => {
	let broken = true;
	const engine = await stand({
		limits: { failures: 1 },
		model: () => {
			if (broken) throw new Error("the agent's own mistake");
			return "mended";
		},
	});
	const desk = deskOf(engine);
	const ana = engine.person();
	await ana.says("hello");
	await engine.settle();
	const [line] = await desk.calls({ state: "parked", limit: 10 });
	expect(line).toMatchObject({ address: ana.address, state: "parked", waiting: 1 });
	expect(line?.about).toMatch(/Error in the turn/);
	expect(await desk.survey()).toMatchObject({ parked: 1, waiting: 0, items: 0, oldestWaitMs: 0 });
	await expect(desk.close({ call: ana.address, reason: "done" })).rejects.toMatchObject({
		code: "CALL_PARKED",
		next: expect.stringContaining(`callboard calls retry '${ana.address}'`),
	});
	broken = false;
	expect(await desk.retry({ call: ana.address })).toMatchObject({ done: true });
	await engine.settle();
	expect(ana.heard.at(-1)).toBe("mended");
	expect(await desk.retry({ call: ana.address })).toMatchObject({ done: false });
	await engine.end();
});

test("E2: a row that failed is listed, goes out again under a new id, and again under another", async () => {
	const engine = await stand({ model: () => "hello" });
	const desk = deskOf(engine);
	const ana = engine.person();
	const refused = { result: { outcome: "failed", reason: "blocked" } } as const;
	engine.channel.answer(refused, refused);
	await ana.says("hi");
	await engine.settle();
	const [first] = await desk.outbox({ limit: 10 });
	expect(first).toMatchObject({ address: ana.address, status: "failed", reason: "blocked" });
	const again = await desk.resend({ row: first?.row ?? "" });
	expect(again.as).toBe(`${first?.row}~2`);
	await engine.settle();
	const [second] = await desk.outbox({ limit: 10 });
	expect(second).toMatchObject({ row: again.as, status: "failed" });
	expect((await desk.resend({ row: again.as })).as).toBe(`${first?.row}~3`);
	expect(await desk.resend({ row: again.as })).toMatchObject({ done: false, as: `${first?.row}~3` });
	await engine.settle();
	expect(ana.heard).toEqual(["hello"]);
	expect(engine.channel.attempts.map(({ key }) => key)).toEqual([first?.row, again.as, `${first?.row}~3`]);
	await expect(desk.resend({ row: again.as })).rejects.toMatchObject({ code: "UNKNOWN_ROW" });
	await engine.end();
});

test("what was withheld from a person is not sent by a retry", async () => {
	const gate = new Gate();
	const engine = await stand({ model: () => gate.pass().then(() => "the agent's words") });
	const desk = deskOf(engine);
	const ana = engine.person();
	await ana.says("hello");
	await gate.reached;
	await engine.backend.amend(ana.address, { owner: "human" });
	gate.open();
	await engine.settle();
	const [row] = await desk.outbox({ limit: 10 });
	await expect(desk.resend({ row: row?.row ?? "" })).rejects.toMatchObject({ code: "ROW_WITHHELD" });
	await engine.end();
});

test("a call is named by its id, the beginning of it, or its address, and a wrong name is told", async () => {
	const { engine, ana, ben, desk } = await forwarded();
	const { record } = await desk.show({ call: ana.address, history: 0 });
	const id = record?.id ?? "";
	expect((await desk.show({ call: id, history: 0 })).address).toBe(ana.address);
	expect((await desk.show({ call: id.slice(0, 8), history: 0 })).address).toBe(ana.address);
	for (const call of ["nothing-like-it", "abc", "fake|nobody"])
		await expect(desk.show({ call, history: 0 })).rejects.toMatchObject({ code: "UNKNOWN_CALL" });
	const page = await desk.calls({ limit: 1 });
	const rest = await desk.calls({ limit: 10, after: page[0]?.address ?? "" });
	expect([...page, ...rest].map(({ address }) => address).sort()).toEqual([ana.address, ben.address].sort());
	await engine.end();
});

test("two calls whose ids begin alike are told apart by more of the id", async () => {
	const engine = await stand({ model: () => "hello" });
	const desk = deskOf(engine);
	const ids = ["same-one", "same-two"];
	for (const [index, chat] of ["ana", "ben"].entries()) {
		await engine.person(chat).says("hi");
		await engine.settle();
		const { address } = engine.person(chat);
		const view = await engine.backend.view(address, { history: 0 });
		const claimedBy = { owner: "test", leaseMs: 1_000, window: 1, items: 1 };
		const item = { type: "occurrence", id: "o", address, occurrence: { kind: "close", reason: "x" }, at: 0 } as const;
		const { claimed } = await engine.backend.accept(item, { inbox: 9, dedupeMs: 1_000 }, claimedBy);
		if (claimed === undefined || view.record === undefined) throw new Error("nothing was claimed");
		const record = { ...view.record, id: ids[index] ?? "" };
		const nothing = { append: [], outbox: [], timers: [], cancel: [], keep: 10, fresh: true };
		await engine.backend.settle(claimed.lease, { ...nothing, through: claimed.position + 1, record });
	}
	await expect(desk.show({ call: "same", history: 0 })).rejects.toMatchObject({ code: "WHICH_CALL" });
	expect((await desk.show({ call: "same-t", history: 0 })).record?.id).toBe("same-two");
	await engine.runtime.stop(0);
});

test("the queue tells how much waits, and since when the oldest", async () => {
	const gate = new Gate();
	const engine = await stand({ model: () => gate.pass().then(() => "done") });
	const desk = deskOf(engine);
	const ana = engine.person();
	await ana.says("first");
	await gate.reached;
	await engine.clock.advance(1_000);
	await ana.says("second");
	await engine.person("ben").says("hello");
	await engine.clock.advance(500);
	const found = await desk.survey();
	expect(found).toEqual({
		waiting: 2,
		items: 3,
		outbox: 0,
		rows: 0,
		parked: 0,
		marked: 0,
		oldestWaitMs: 1_500,
		oldest: ana.address,
		complete: true,
	});
	gate.open();
	await engine.settle();
	expect(await desk.survey()).toMatchObject({ waiting: 0, items: 0, oldestWaitMs: 0 });
	await engine.end();
});

test("D8: a person who cannot be reached is shown as such, in the list and in the call, until they write again", async () => {
	const engine = await stand();
	const [ana, ben] = [engine.person(), engine.person("ben")];
	engine.channel.answer(platformAnswers.blocked());
	for (const person of [ana, ben]) {
		await person.says("hi");
		await engine.runtime.idle();
	}
	const desk = deskOf(engine);
	const lines = async () => new Map((await desk.calls({ limit: 10 })).map((line) => [line.address, line.unreachable]));
	const unreachable = { at: engine.clock.now(), reason: "403 blocked" };
	expect(await lines()).toEqual(
		new Map([
			[ana.address, unreachable],
			[ben.address, undefined],
		]),
	);
	const shown = async () => shownCall(await desk.show({ call: ana.address, history: 0 })).join("\n");
	expect(await shown()).toMatch(/^person {5}cannot be reached since \S.*: 403 blocked$/m);
	await ana.says("back");
	await engine.runtime.idle();
	expect((await lines()).get(ana.address)).toBeUndefined();
	expect(await shown()).not.toContain("cannot be reached");
	await engine.end();
});
