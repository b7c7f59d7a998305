import { expect, test } from "vitest";
import type { Json } from "../../src/call/json.js";
import { partText } from "../../src/call/part.js";
import { expectValid } from "./api-rules.js";
import { type FakeAgent, type FakeTool, fakeAgent } from "./fake-agent.js";
import { FakeModel } from "./fake-model.js";
import { Line, told, words } from "./line.js";

const errorOf = (content: string | undefined) => JSON.parse(content ?? "{}").error as string;
const writes = (field: string, value: Json, more: FakeTool = {}): FakeTool => ({
	...more,
	run: (_args, { state }) => {
		state[field] = value;
	},
});
const tools = (named: FakeAgent["tools"], more: Omit<FakeAgent, "tools"> = {}) =>
	fakeAgent({ ...more, tools: named ?? {} });

test("case 8: A ok, B throws, C ok: three results in order, A and C written, B not, one next request", async () => {
	const agent = tools({
		a: writes("a", "A"),
		b: {
			run: (_args, { state }) => {
				state.b = "B";
				throw new Error("no");
			},
		},
		c: writes("c", "C"),
	});
	const model = new FakeModel(
		{
			calls: [
				["a", {}, "1"],
				["b", {}, "2"],
				["c", {}, "3"],
			],
		},
		"Done.",
	);
	const result = await new Line(agent, model).say("go");
	expect(result.append.map((row) => (row.role === "result" ? row.call : row.role))).toEqual([
		"user",
		"asked",
		"1",
		"2",
		"3",
		"said",
	]);
	expect(result.append[3]).toMatchObject({ error: true, content: '{"error":"no"}' });
	expect(result.append[2]).not.toHaveProperty("error");
	expect(result.record.state).toEqual({ a: "A", c: "C" });
	expect(result.requests).toBe(2);
	expectValid(model.requests[1]?.history ?? []);
});

test("calls of one answer see the writes before them, and a tool that one of them hides is refused in the same answer", async () => {
	const agent = tools(
		{
			go: writes("stage", "b"),
			onlyA: { when: (s) => s.stage === "a", run: () => "ran" },
			onlyB: { when: (s) => s.stage === "b", run: (_args, { state }) => state.stage },
		},
		{ state: { stage: "a" } },
	);
	const model = new FakeModel(
		{
			calls: [
				["go", {}, "1"],
				["onlyA", {}, "2"],
				["onlyB", {}, "3"],
			],
		},
		"ok",
	);
	const result = await new Line(agent, model).say("x");
	expect(agent.happened.ran.map(({ tool }) => tool)).toEqual(["go", "onlyB"]);
	expect(errorOf(told(result)[2])).toContain("onlyA is not available now; available now: go, onlyB");
	expect(told(result)[3]).toBe('"b"');
});

test("neighbours that only read run together, other tools alone; results and writes keep the order of the request", async () => {
	const seen: string[] = [];
	const reading = (name: string): FakeTool => ({
		effect: "read",
		run: async (_args, { state }) => {
			seen.push(`${name} begins`);
			for (let wait = name === "r1" ? 5 : 1; wait > 0; wait -= 1) await null;
			state.last = name;
			seen.push(`${name} ends`);
		},
	});
	const agent = tools({ r1: reading("r1"), r2: reading("r2"), w: writes("w", "1"), r3: reading("r3") });
	const model = new FakeModel({ calls: [["r1"], ["r2"], ["w"], ["r3"]] }, "ok");
	const result = await new Line(agent, model).say("x");
	expect(agent.happened.together).toEqual([2, 1, 1]);
	expect(seen.slice(0, 4)).toEqual(["r1 begins", "r2 begins", "r2 ends", "r1 ends"]);
	expect(result.changes.map(({ author }) => author)).toEqual(["r1", "r2", "w", "r3"]);
	expect(result.append.flatMap((row) => (row.role === "result" ? [row.name] : []))).toEqual(["r1", "r2", "w", "r3"]);
});

test("a reader hidden by the write of its neighbour is refused, and what it wrote is dropped", async () => {
	const agent = tools(
		{
			find: writes("stage", "b", { effect: "read", when: (s) => s.stage === "a" }),
			look: writes("looked", true, { effect: "read", when: (s) => s.stage === "a" }),
		},
		{ state: { stage: "a" } },
	);
	const result = await new Line(
		agent,
		new FakeModel(
			{
				calls: [
					["find", {}, "1"],
					["look", {}, "2"],
				],
			},
			"ok",
		),
	).say("x");
	expect(errorOf(told(result)[2])).toContain("look is not available now");
	expect(result.record.state).toEqual({ stage: "b" });
});

test("case 9: a batch agent gets every runnable call at once, and each call has its one result, the refused ones too", async () => {
	const agent = tools(
		{ a: writes("a", "A"), b: { args: ["x"], run: () => "b" }, c: writes("c", "C") },
		{ over: { invocation: "batch" } },
	);
	const model = new FakeModel(
		{
			calls: [
				["a", {}, "1"],
				["b", { x: 7 }, "2"],
				["c", {}, "3"],
				["nope", {}, "4"],
			],
		},
		"ok",
	);
	const result = await new Line(agent, model).say("x");
	expect(agent.happened.together).toEqual([2]);
	expect(Object.keys(told(result))).toEqual(["1", "2", "3", "4"]);
	expect(errorOf(told(result)[2])).toContain("x: expected a string, got a number");
	expect(errorOf(told(result)[4])).toContain('there is no tool "nope"');
	expect(result.record.state).toEqual({ a: "A", c: "C" });
});

test("case 14, H4: cut arguments do not run; the error names the position; the same again turns tools off", async () => {
	const agent = tools({ slots: { args: ["day"] } });
	const cut = '{"day": "tue"';
	const model = new FakeModel({ calls: [["slots", cut, "1"]] }, { calls: [["slots", cut, "2"]] }, "Which day?");
	const result = await new Line(agent, model).say("x");
	expect(agent.happened.ran).toEqual([]);
	expect(errorOf(told(result)[1])).toContain("break at position 13 of 13");
	expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(["auto", "auto", "none"]);
	expect(words(result)).toEqual(["Which day?"]);
	for (const request of model.requests) expectValid(request.history);
	expect(JSON.stringify(result.events)).not.toContain("tue");
});

test("case 15: arguments that do not fit are answered with path, expected and got; nothing runs", async () => {
	const agent = tools({ slots: { args: ["day"] } });
	const model = new FakeModel(
		{
			calls: [
				["slots", { day: 7 }, "1"],
				["slots", {}, "2"],
				["slots", { day: "tue", x: 1 }, "3"],
			],
		},
		"ok",
	);
	const result = await new Line(agent, model).say("x");
	const issues = (id: number) => JSON.parse(told(result)[id] ?? "").issues;
	expect(issues(1)).toEqual([{ path: "day", expected: "a string", got: "a number" }]);
	expect(issues(2)).toEqual([{ path: "day", expected: "a string", got: "nothing" }]);
	expect(issues(3)).toEqual([{ path: "x", expected: "nothing", got: "an unknown member" }]);
	expect(errorOf(told(result)[1])).toContain("day: expected a string, got a number");
	expect(agent.happened.ran).toEqual([]);
});

test("H5: an unknown tool is answered with the names there are; the second time tools are off and the person is answered", async () => {
	const agent = tools({ get_weather: {} });
	const model = new FakeModel({ calls: [["get_wether"]] }, { calls: [["get_wether"]] }, "Sunny, I think.");
	const line = new Line(agent, model);
	const result = await line.say("weather?");
	expect(errorOf(Object.values(told(result))[0])).toBe('there is no tool "get_wether"; available now: get_weather');
	expect(model.requests[2]?.toolChoice).toBe("none");
	expect(words(result)).toEqual(["Sunny, I think."]);
	expect(line.warnings()).toEqual(["tool.refused", "tool.refused"]);
});

test("the same refused call is known again with its members in another order", async () => {
	const agent = tools({ slots: { args: [] } });
	const model = new FakeModel(
		{ calls: [["slots", '{"a":1,"b":{"c":1,"d":2}}']] },
		{ calls: [["slots", '{ "b":{"d":2,"c":1}, "a":1 }']] },
		"ok",
	);
	await new Line(agent, model).say("x");
	expect(model.requests[2]?.toolChoice).toBe("none");
});

test("two different refused calls do not turn tools off, nor does a valid call repeated", async () => {
	const agent = tools({ slots: { args: ["day"], run: () => [] } });
	const model = new FakeModel(
		{ calls: [["slots", {}]] },
		{ calls: [["slots", { day: 1 }]] },
		{ calls: [["slots", { day: "tue" }]] },
		{ calls: [["slots", { day: "tue" }]] },
		"ok",
	);
	await new Line(agent, model).say("x");
	expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(["auto", "auto", "auto", "auto", "auto"]);
});

test("case 16: a tool whose time was up is an error result; the turn goes on and never repeats it", async () => {
	const agent = tools({ slow: {} });
	const open = agent.open;
	const timed = {
		...agent,
		open: (opening: Parameters<typeof open>[0]) => {
			const session = open(opening);
			session.run = async ([call]) => [
				{
					id: call?.id ?? "",
					tool: "slow",
					status: "unknown",
					result: null,
					content: '{"error":"unknown"}',
					changes: [],
					acts: [],
				},
			];
			return session;
		},
	};
	const line = new Line(timed, new FakeModel({ calls: [["slow", {}, "1"]] }, "I have to check."));
	const result = await line.say("x");
	expect(result.append[2]).toMatchObject({ role: "result", call: "1", error: true, content: '{"error":"unknown"}' });
	expect(result.events).toContainEqual({ name: "tool.ran", data: expect.objectContaining({ status: "unknown" }) });
	expect(line.log.lines).toContainEqual(expect.objectContaining({ level: "error", event: "tool.ran" }));
	expect(words(result)).toEqual(["I have to check."]);
});

test("no arguments at all are an empty object, unless the answer was cut", async () => {
	const agent = tools({ now: { run: () => "ten" } });
	const model = new FakeModel({ calls: [["now", "", "1"]] }, { finish: "length", calls: [["now", "", "2"]] }, "ok");
	const result = await new Line(agent, model).say("x");
	expect(told(result)[1]).toBe('"ten"');
	expect(errorOf(told(result)[2])).toContain("position 0");
	expect(agent.happened.ran).toHaveLength(1);
});

test("calls with the same id, or none, still have one result each", async () => {
	const agent = tools({ a: { run: () => "a" }, b: { run: () => "b" }, c: { run: () => "c" } });
	const model = new FakeModel(
		{
			calls: [
				["a", {}, "x"],
				["b", {}, "x"],
				["c", {}, ""],
			],
		},
		"ok",
	);
	const result = await new Line(agent, model).say("x");
	expect(Object.values(told(result))).toEqual(['"a"', '"b"', '"c"']);
	expectValid(model.requests[1]?.history ?? []);
});

test("case 19: after the step limit the last request has tools off and the turn ends with words; the log says so", async () => {
	const again = () => ({ calls: [["a"]] as const });
	const agent = tools({ a: {} }, { settings: { maxSteps: 3 } });
	const model = new FakeModel(again, again, "That is all I found.");
	const line = new Line(agent, model);
	const result = await line.say("x");
	expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(["auto", "auto", "none"]);
	expect(words(result)).toEqual(["That is all I found."]);
	expect(result.events).toContainEqual({ name: "turn.capped", data: { steps: 3, answered: true } });
	expect(line.warnings()).toContain("turn.capped");
});

test("case 19: a model that calls a tool even then gets the safe line said for it", async () => {
	const again = () => ({ calls: [["a"]] as const });
	const agent = tools({ a: {} }, { settings: { maxSteps: 3 } });
	const line = new Line(agent, new FakeModel(again, again, again));
	const result = await line.say("x");
	expect(words(result)).toEqual(["SAFE"]);
	expect(result.parts[0]?.by).toBe("code");
	expect(agent.happened.ran).toHaveLength(2);
	expect(result.events).toContainEqual({ name: "turn.capped", data: { steps: 3, answered: false } });
});

test("words beside a call are said before the answer, and the history tells them once", async () => {
	const model = new FakeModel({ text: "Let me look.", calls: [["slots", {}, "1"]] }, "Nine or ten?", "Fine.");
	const line = new Line(tools({ slots: { run: () => [9, 10] } }), model);
	const result = await line.say("when?");
	expect(words(result)).toEqual(["Let me look.", "Nine or ten?"]);
	expect(result.parts.map(({ id }) => id)).toEqual(["call-1.1.1", "call-1.1.2"]);
	expect(result.append.map(({ role }) => role)).toEqual(["user", "said", "asked", "result", "said"]);
	await line.say("ten");
	expect(model.requests[2]?.history).toEqual([
		{ role: "user", text: "when?" },
		{ role: "assistant", text: "Let me look.", calls: [{ id: "1", name: "slots", arguments: "{}" }] },
		{ role: "tool", call: "1", content: "[9,10]" },
		{ role: "assistant", text: "Nine or ten?" },
		{ role: "user", text: "ten" },
	]);
});

test("words beside a call are dropped when the tool itself said something", async () => {
	const agent = tools({
		offer: { run: (_args, { acts }) => void acts.push({ act: "say", part: { kind: "text", text: "Nine, ten." } }) },
	});
	const model = new FakeModel({ text: "Here are the hours.", calls: [["offer"]] }, "");
	const result = await new Line(agent, model).say("when?");
	expect(words(result)).toEqual(["Nine, ten."]);
	expect(result.events).toContainEqual({ name: "model.text_dropped", data: { step: 1, because: "said by code" } });
	expect(result.append.map(({ role }) => role)).toEqual(["user", "asked", "result", "said"]);
});

test("words beside a refused call are dropped: they told of something that did not happen", async () => {
	const model = new FakeModel({ text: "I have booked it.", calls: [["book", {}]] }, "Which slot?");
	const line = new Line(tools({ book: { args: ["slot"] } }), model);
	const result = await line.say("book");
	expect(words(result)).toEqual(["Which slot?"]);
	expect(JSON.stringify(result.append)).not.toContain("I have booked it.");
});

test("the key of a run is stable over replays and differs from call to call", async () => {
	const run = async () => {
		const agent = tools({ a: {}, b: {} });
		await new Line(agent, new FakeModel({ calls: [["a"], ["b"]] }, { calls: [["a"]] }, "ok")).say("x");
		return agent.happened.ran.map(({ key }) => key);
	};
	const keys = await run();
	expect(new Set(keys).size).toBe(3);
	expect(await run()).toEqual(keys);
});

test("every part a tool says, data included, leaves in its order with its own id", async () => {
	const agent = tools({
		show: {
			run: (_args, { acts }) => {
				acts.push({ act: "say", part: { kind: "choices", text: "When?", choices: [{ id: "1", label: "Nine" }] } });
				acts.push({ act: "say", part: { kind: "data", topic: "cart", data: { n: 1 } } });
				acts.push({ act: "say", part: { kind: "text", text: " " } });
			},
		},
	});
	const result = await new Line(agent, new FakeModel({ calls: [["show"]] }, "Choose.")).say("x");
	expect(result.parts.map(({ id, part }) => [id, part.kind, partText(part)])).toEqual([
		["call-1.1.1", "choices", "When?"],
		["call-1.1.2", "data", ""],
		["call-1.1.3", "text", "Choose."],
	]);
});

test("a check of arguments that breaks is a refusal and is logged; the turn goes on", async () => {
	const agent = tools({ book: { run: () => "ran" } });
	const [book] = agent.tools;
	if (book === undefined) throw new Error("no tool");
	book.check = () => {
		throw new Error("the author's mistake");
	};
	const model = new FakeModel({ calls: [["book"]] }, "It does not work just now.");
	const result = await new Line(agent, model).say("x");
	expect(words(result)).toEqual(["It does not work just now."]);
	expect(agent.happened.ran).toEqual([]);
	expect(errorOf(Object.values(told(result))[0])).toBe(
		"the arguments of book could not be checked, for a technical reason; it did not run: say so, or go on without it",
	);
});
