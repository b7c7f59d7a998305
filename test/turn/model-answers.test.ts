import { expect, test } from "vitest";
import type { LiveEvent } from "../../src/channel/channel.js";
import { CallboardError } from "../../src/errors.js";
import { expectValid } from "./api-rules.js";
import { fakeAgent } from "./fake-agent.js";
import { FakeModel } from "./fake-model.js";
import { Line, words } from "./line.js";

const platform = (code: string) => new CallboardError(code, "platform", "the model did not answer");
const plain = (settings = {}) => fakeAgent({ settings });

test("H16: a blank answer is asked for once more, then the safe line is said; nothing blank is ever sent", async () => {
	const model = new FakeModel({ text: " \n" }, { text: "" });
	const line = new Line(plain(), model);
	const result = await line.say("hi");
	expect(words(result)).toEqual(["SAFE"]);
	expect(result.parts[0]?.by).toBe("code");
	expect(model.requests[0]?.view).not.toContain("empty");
	expect(model.requests[1]?.view).toContain("Your last answer was empty");
	expect(model.requests[1]?.history).toEqual(model.requests[0]?.history);
	expect(line.warnings()).toEqual(["model.empty"]);
	expect(line.shown.filter(({ kind }) => kind === "draft")).toEqual([]);
});

test("H16: the second asking is enough when words come", async () => {
	expect(words(await new Line(plain(), new FakeModel("", "Hello.")).say("hi"))).toEqual(["Hello."]);
});

test("H16: a tool turn that ends blank gets the safe line, and silence is fine once a tool has spoken", async () => {
	const say = { act: "say", part: { kind: "text", text: "Saved." } } as const;
	const agent = fakeAgent({ tools: { mute: {}, loud: { run: (_args, { acts }) => void acts.push(say) } } });
	expect(words(await new Line(agent, new FakeModel({ calls: [["mute"]] }, "", " ")).say("x"))).toEqual(["SAFE"]);
	expect(words(await new Line(agent, new FakeModel({ calls: [["loud"]] }, " ")).say("x"))).toEqual(["Saved."]);
});

test("H16: the model is told that its answer was empty only in the request right after, and asked again once a turn", async () => {
	const model = new FakeModel("", { calls: [["mute"]] }, "", "never");
	const line = new Line(fakeAgent({ tools: { mute: {} } }), model);
	expect(words(await line.say("x"))).toEqual(["SAFE"]);
	expect(model.requests.map(({ view }) => view.includes("was empty"))).toEqual([false, true, false]);
});

test("H16: words beside a call are no answer yet: a blank one after it is asked for again, and nothing is said on top", async () => {
	const looks = { text: "Let me look.", calls: [["mute"]] } as const;
	const agent = fakeAgent({ tools: { mute: {} } });
	expect(words(await new Line(agent, new FakeModel(looks, "", "Nine.")).say("x"))).toEqual(["Let me look.", "Nine."]);
	expect(words(await new Line(agent, new FakeModel(looks, "", "")).say("x"))).toEqual(["Let me look."]);
});

test.each(["refused", "filtered"] as const)(
	"an answer that was %s is said if it has words, else the safe line at once",
	async (finish) => {
		expect(words(await new Line(plain(), new FakeModel({ text: "I cannot.", finish })).say("x"))).toEqual([
			"I cannot.",
		]);
		const agent = fakeAgent({ tools: { a: {} } });
		const line = new Line(agent, new FakeModel({ finish, calls: [["a"]] }));
		expect(words(await line.say("x"))).toEqual(["SAFE"]);
		expect(agent.happened.ran).toEqual([]);
	},
);

test("words that the token limit cut are said as far as they go", async () => {
	const line = new Line(plain(), new FakeModel({ text: "Once upon", finish: "length" }));
	expect(words(await line.say("x"))).toEqual(["Once upon"]);
	expect(line.warnings()).toEqual(["model.cut"]);
});

test.each(["MODEL_UNAVAILABLE", "MODEL_QUOTA", "MODEL_REFUSED_KEY", "MODEL_BAD_REQUEST"])(
	"H8 H10: %s is answered by the apology, once, by code; the log has the code and the message is kept",
	async (code) => {
		const secret = new CallboardError(code, "platform", "Incorrect API key sk-abc", { cause: "sk-abc" });
		const model = new FakeModel(secret, "Welcome back.");
		const line = new Line(plain(), model);
		const result = await line.say("hi");
		expect(words(result)).toEqual(["APOLOGY"]);
		expect(result.parts[0]?.by).toBe("code");
		expect(result.append.map(({ role }) => role)).toEqual(["user", "said"]);
		expect(result.events).toContainEqual({ name: "model.failed", data: { code, model: "fake" } });
		expect(JSON.stringify([result, line.log.lines])).not.toContain("sk-abc");
		expect(words(await line.say("again"))).toEqual(["Welcome back."]);
		expectValid(model.requests[1]?.history ?? []);
	},
);

test("H10: a model that fails after tools ran keeps what they did, with a valid history", async () => {
	const agent = fakeAgent({ tools: { a: { run: (_args, { state }) => Object.assign(state, { done: true }) } } });
	const model = new FakeModel({ calls: [["a"]] }, platform("MODEL_UNAVAILABLE"), "ok");
	const line = new Line(agent, model);
	const result = await line.say("x");
	expect(words(result)).toEqual(["APOLOGY"]);
	expect(result.record.state).toEqual({ done: true });
	await line.say("y");
	expectValid(model.requests[2]?.history ?? []);
});

test("H11: a history too long for the model is shown by shorter windows until it fits, the newest message kept", async () => {
	const fits =
		(rows: number) =>
		({ history }: { history: readonly unknown[] }) => {
			if (history.length > rows) throw platform("MODEL_CONTEXT_OVERFLOW");
			return "fits";
		};
	const model = new FakeModel(fits(4), fits(4), fits(4), fits(4), fits(4));
	const line = new Line(plain({ window: 32 }), model);
	line.record = { ...(await new Line(plain(), new FakeModel("x")).say("x")).record, rows: 32 };
	line.history = Array.from({ length: 32 }, (_, at) => ({
		role: "user",
		id: `m${at}`,
		content: { kind: "text", text: `old ${at}` },
		at: 0,
	}));
	const result = await line.say("newest");
	expect(words(result)).toEqual(["fits"]);
	expect(result.requests).toBe(1);
	const last = model.requests.at(-1)?.history ?? [];
	expect(last.at(-1)).toEqual({ role: "user", text: "newest" });
	expect(last.length).toBeLessThanOrEqual(4);
	expect(line.warnings()).toContain("history.shrunk");
});

test("a turn of more messages than the window holds: the model reads every one of them, also after its tools ran", async () => {
	const many = Array.from({ length: 40 }, (_, n) => `number ${n}`);
	const model = new FakeModel("hello", { calls: [["a"], ["a"]] }, "read");
	const line = new Line(fakeAgent({ tools: { a: {} }, settings: { window: 16 } }), model);
	await line.say("before");
	expect(words(await line.say(...many))).toEqual(["read"]);
	for (const { history } of model.requests.slice(1)) {
		expect(history.flatMap((message) => (message.role === "user" ? [message.text] : []))).toEqual(many);
		expectValid(history);
	}
});

test("H11: one message that is too long by itself ends in the apology", async () => {
	const overflow = () => {
		throw platform("MODEL_CONTEXT_OVERFLOW");
	};
	const line = new Line(plain(), new FakeModel(overflow, overflow));
	expect(words(await line.say("x".repeat(9)))).toEqual(["APOLOGY"]);
});

test("an error that is not the platform's fails the turn: nothing may be written", async () => {
	const line = new Line(plain(), new FakeModel(new TypeError("a bug")));
	await expect(line.say("x")).rejects.toThrow("a bug");
	expect(line.record).toBeUndefined();
});

test("usage, cost and requests of all answers are added up", async () => {
	const agent = fakeAgent({ tools: { a: {} } });
	const line = new Line(
		agent,
		new FakeModel({ calls: [["a"]] }, { text: "ok", usage: { input: 1, cached: 0, output: 1 } }),
	);
	expect(await line.say("x")).toMatchObject({ requests: 2, cost: 0.5, usage: { input: 11, cached: 4, output: 3 } });
});

test("typing stands around the turn and the draft grows with the words", async () => {
	const line = new Line(plain(), new FakeModel({ text: "Hi Ana.", stream: ["Hi", " Ana."] }));
	await line.say("hi");
	expect(line.shown).toEqual<LiveEvent[]>([
		{ kind: "typing", on: true },
		{ kind: "draft", turn: "call-1.1", text: "Hi" },
		{ kind: "draft", turn: "call-1.1", text: "Hi Ana." },
		{ kind: "typing", on: false },
	]);
});

test("nothing is shown where code alone answers", async () => {
	const line = new Line(plain(), new FakeModel());
	await line.say({ kind: "unknown", what: "poll", text: "" });
	expect(line.shown).toEqual([]);
});

test("a draft that will not be said is withdrawn; one that will stays in front of what follows", async () => {
	const agent = fakeAgent({ tools: { book: { args: ["slot"] }, look: {} } });
	const model = new FakeModel(
		{ text: "Booked!", calls: [["book", {}]] },
		{ text: "Let me look.", calls: [["look"]] },
		"Nine is free.",
	);
	const line = new Line(agent, model);
	const result = await line.say("x");
	expect(line.shown.slice(1, -1)).toEqual([
		{ kind: "draft", turn: "call-1.1", text: "Booked!" },
		{ kind: "withdrawn", turn: "call-1.1" },
		{ kind: "draft", turn: "call-1.1", text: "Let me look." },
		{ kind: "draft", turn: "call-1.1", text: "Let me look.\n\nNine is free." },
	]);
	expect(words(result)).toEqual(["Let me look.", "Nine is free."]);
});

test("what is dropped behind words that will be said leaves those standing; blanks of an empty answer are forgotten", async () => {
	const agent = fakeAgent({ tools: { look: {}, book: { args: ["slot"] } } });
	const model = new FakeModel(
		{ text: "Let me look.", calls: [["look"]] },
		{ text: "Booked!", calls: [["book", {}]] },
		" \n",
		"Nine?",
	);
	const line = new Line(agent, model);
	await line.say("x");
	expect(line.shown.slice(2, -1).map((event) => (event.kind === "draft" ? event.text : event.kind))).toEqual([
		"Let me look.\n\nBooked!",
		"withdrawn",
		"Let me look.",
		"Let me look.\n\nNine?",
	]);
});

test("a retry, an apology and a failed turn withdraw what was shown", async () => {
	const restarts = new FakeModel((_request, { onText, onRestart }) => {
		onText?.("Hel");
		onRestart?.();
		return "Hello";
	});
	const line = new Line(plain(), restarts);
	await line.say("x");
	expect(line.shown.map(({ kind }) => kind)).toEqual(["typing", "draft", "withdrawn", "draft", "typing"]);

	const cut = (error: Error) =>
		new FakeModel((_request, { onText }) => {
			onText?.("Hel");
			throw error;
		});
	const sorry = new Line(plain(), cut(platform("MODEL_UNAVAILABLE")));
	await sorry.say("x");
	expect(sorry.shown.map(({ kind }) => kind)).toEqual(["typing", "draft", "withdrawn", "typing"]);
	const failed = new Line(plain(), cut(new Error("bug")));
	await expect(failed.say("x")).rejects.toThrow("bug");
	expect(failed.shown.map(({ kind }) => kind)).toEqual(["typing", "draft", "withdrawn", "typing"]);
});
