import fc from "fast-check";
import { expect, test } from "vitest";
import type { Act, Effect } from "../../src/agent/declaration.js";
import type { InboxItem } from "../../src/call/message.js";
import { CallboardError } from "../../src/errors.js";
import type { JournalEntry } from "../../src/turn/journal.js";
import { runTurn } from "../../src/turn/run-turn.js";
import { Stop } from "../../src/turn/stop.js";
import type { TurnResult } from "../../src/turn/turn.js";
import { expectValid } from "./api-rules.js";
import { type FakeTool, fakeAgent } from "./fake-agent.js";
import { type Answer, FakeModel, responseOf } from "./fake-model.js";
import { Line, told, words } from "./line.js";

const say = (text: string): Act => ({ act: "say", part: { kind: "text", text } });
const died = new Error("the worker died");

/** A worker that writes to one durable journal and dies after its `after`th note. */
function note(journal: JournalEntry[], after: number) {
	let written = 0;
	return async (entry: JournalEntry) => {
		journal.push(structuredClone(entry));
		written += 1;
		if (written === after) throw died;
	};
}

test("H12: charge(10) ran, the worker died before the next request: on resume it is not run again", async () => {
	const agent = fakeAgent({ tools: { charge: { args: [], run: () => "charged 10" } } });
	const line = new Line(agent, new FakeModel({ calls: [["charge", {}, "1"]] }, "Paid."));
	const items = [line.message("pay")];
	const journal: JournalEntry[] = [];
	const dies = async (entry: JournalEntry) => {
		journal.push(structuredClone(entry));
		if (entry.entry === "ran") throw died;
	};
	await expect(line.take(items, { note: dies })).rejects.toBe(died);
	const result = await line.take(items, { journal, note: async (entry) => void journal.push(entry) });
	expect(agent.happened.ran).toHaveLength(1);
	expect(told(result)[1]).toBe('"charged 10"');
	expect(words(result)).toEqual(["Paid."]);
});

test.each<[Effect, number]>([
	["read", 2],
	["idempotent", 2],
	["once", 1],
])(
	"a tool that was running when the worker died and is %s has run %i times after the resume",
	async (effect, times) => {
		const agent = fakeAgent({ tools: { charge: { effect, run: () => "charged" } } });
		const line = new Line(agent, new FakeModel({ calls: [["charge", {}, "1"]] }, "Done."));
		const items = [line.message("pay")];
		const journal: JournalEntry[] = [];
		const unwritten = async (entry: JournalEntry) => {
			if (entry.entry === "ran") throw died;
			journal.push(structuredClone(entry));
		};
		await expect(line.take(items, { note: unwritten })).rejects.toBe(died);
		const result = await line.take(items, {
			journal: structuredClone(journal),
			note: async (e) => void journal.push(e),
		});
		expect(agent.happened.ran).toHaveLength(times);
		expect(new Set(agent.happened.ran.map(({ key }) => key)).size).toBe(1);
		if (effect !== "once") return expect(told(result)[1]).toBe('"charged"');
		expect(JSON.parse(told(result)[1] ?? "").error).toMatch(/whether it took effect is unknown/);
		expect(line.log.lines).toContainEqual(
			expect.objectContaining({
				level: "error",
				event: "tool.ran",
				fields: expect.objectContaining({ status: "unknown" }),
			}),
		);
		expect(journal.filter(({ entry }) => entry === "running")).toHaveLength(1);
		const again = await line.take(items, { journal });
		expect(told(again)[1]).toBe(told(result)[1]);
	},
);

test("a batch cut in the middle runs what may run again and reports the rest as unknown", async () => {
	const agent = fakeAgent({
		tools: { look: { effect: "read", run: () => "seen" }, pay: { run: () => "paid" } },
		over: { invocation: "batch" },
	});
	const line = new Line(
		agent,
		new FakeModel(
			{
				calls: [
					["pay", {}, "1"],
					["look", {}, "2"],
				],
			},
			"ok",
		),
	);
	const items = [line.message("x")];
	const journal: JournalEntry[] = [];
	await expect(line.take(items, { note: note(journal, 4) })).rejects.toBe(died);
	expect(journal.at(-1)).toMatchObject({ entry: "running", calls: ["1", "2"] });
	const result = await line.take(items, { journal });
	expect(agent.happened.ran.map(({ tool }) => tool)).toEqual(["look"]);
	expect(JSON.parse(told(result)[1] ?? "").error).toContain("unknown");
	expect(told(result)[2]).toBe('"seen"');
});

test("what arrives after the turn began is the next turn's, also when it is resumed", async () => {
	const line = new Line(fakeAgent({}), new FakeModel("one", "two"));
	const items = [line.message("a"), line.message("b")];
	const journal: JournalEntry[] = [];
	await expect(line.take(items, { note: note(journal, 1) })).rejects.toBe(died);
	const result = await line.take([...items, line.message("c")], { journal });
	expect(result.consumed).toBe(2);
	expect(result.append.filter(({ role }) => role === "user")).toHaveLength(2);
});

test("a resumed turn keeps the id of its call and the times at which things happened", async () => {
	const agent = fakeAgent({ tools: { a: { run: (_args, { state }) => Object.assign(state, { n: 1 }) } } });
	const line = new Line(agent, new FakeModel({ calls: [["a"]] }, "ok"));
	const items = [line.message("x")];
	const whole = await runTurn(line.input(items));
	const journal = structuredClone(line.journal);
	await line.clock.advance(3_600_000);
	const replayed = await runTurn(line.input(items, { journal, note: async () => expect.fail("nothing is new") }));
	expect(replayed).toEqual(whole);
	expect(agent.happened.ran).toHaveLength(1);
});

test("a lost lease aborts the turn at its next note: nothing more is asked, run or shown", async () => {
	const lost = new CallboardError("LEASE_LOST", "lease", "another worker owns the call");
	const entries: JournalEntry["entry"][] = ["began", "hooked", "answered", "running", "ran"];
	for (const at of entries) {
		const agent = fakeAgent({ tools: { a: {} } });
		const model = new FakeModel({ text: "Wait.", calls: [["a"]] }, "ok");
		const line = new Line(agent, model);
		const refuse = async ({ entry }: JournalEntry) => {
			if (entry === at) throw lost;
		};
		await expect(line.take([line.message("x")], { note: refuse })).rejects.toBe(lost);
		expect(model.requests.length).toBe(entries.indexOf(at) < 2 ? 0 : 1);
		expect(agent.happened.ran.length).toBe(at === "ran" ? 1 : 0);
		expect(agent.happened.told).toEqual([]);
		const shown = line.shown.map((event) => (event.kind === "typing" ? event.on : event.kind));
		expect(shown).toEqual(entries.indexOf(at) < 2 ? [] : [true, "draft", "withdrawn", false]);
	}
});

test("an aborted signal ends a turn whose model or tool does not listen, with its reason", async () => {
	const reason = new Error("draining");
	const never = () => new Promise<never>(() => {});
	for (const hangs of ["model", "tool", "hook", "event"]) {
		const stop = new Stop();
		const hang = () => {
			queueMicrotask(() => stop.abort(reason));
			return never();
		};
		const agent = fakeAgent({
			tools: { a: { run: hang } },
			...(hangs === "hook" ? { onCall: hang } : {}),
			onEvent: { e: hang },
		});
		const line = new Line(agent, new FakeModel(hangs === "model" ? hang : { calls: [["a"]] }));
		const event = line.occurrence({ kind: "event", name: "e", data: null, source: "app" });
		const items = [hangs === "event" ? event : line.message("x")];
		await expect(line.take(items, { stop })).rejects.toBe(reason);
	}
});

test("a signal aborted between two steps lets nothing more begin", async () => {
	const reason = new Error("draining");
	const kinds: JournalEntry["entry"][] = ["began", "hooked", "answered", "running", "ran"];
	for (const at of kinds) {
		const stop = new Stop();
		const agent = fakeAgent({ tools: { a: {} } });
		const model = new FakeModel({ calls: [["a"]] }, "ok");
		const line = new Line(agent, model);
		const note = async ({ entry }: JournalEntry) => {
			if (entry === at) stop.abort(reason);
		};
		await expect(line.take([line.message("x")], { note, stop })).rejects.toBe(reason);
		const reached = kinds.indexOf(at);
		expect([agent.happened.hooks.length, model.requests.length, agent.happened.ran.length]).toEqual([
			reached >= 1 ? 1 : 0,
			reached >= 2 ? 1 : 0,
			reached >= 4 ? 1 : 0,
		]);
	}
});

test("a tool cut by the signal is not recorded as run: whoever resumes decides by its effect", async () => {
	const stop = new Stop();
	const agent = fakeAgent({
		tools: {
			a: {
				run: (_args, { signal }) =>
					new Promise((_resolve, reject) => {
						signal.addEventListener("abort", () => reject(new Error("stopped")));
						queueMicrotask(() => stop.abort(died));
					}),
			},
		},
	});
	const line = new Line(agent, new FakeModel({ calls: [["a"]] }));
	await expect(line.take([line.message("x")], { stop })).rejects.toBe(died);
	expect(line.journal.map(({ entry }) => entry)).toEqual(["began", "hooked", "answered", "running"]);
});

interface Scenario {
	answers: Answer[];
	batch: boolean;
	start: "message" | "burst" | "open" | "event";
	maxSteps: number;
}

const call = fc.constantFrom<readonly [string, string]>(
	["read", "{}"],
	["read2", "{}"],
	["move", "{}"],
	["idem", "{}"],
	["once", "{}"],
	["throws", "{}"],
	["says", "{}"],
	["guides", "{}"],
	["plans", "{}"],
	["late", "{}"],
	["forwards", "{}"],
	["leaves", "{}"],
	["goes", "{}"],
	["ends", "{}"],
	["once", '{"x":1}'],
	["once", '{"x":'],
	["nobody", "{}"],
);
const scenario: fc.Arbitrary<Scenario> = fc.record({
	answers: fc.array(
		fc.record({
			text: fc.constantFrom("", "", " ", "Words.", "More words."),
			calls: fc.array(call, { maxLength: 4 }),
			finish: fc.constantFrom("stop", "tools", "length", "refused") as fc.Arbitrary<"stop">,
		}),
		{ minLength: 5, maxLength: 5 },
	),
	batch: fc.boolean(),
	start: fc.constantFrom("message", "burst", "open", "event"),
	maxSteps: fc.integer({ min: 1, max: 5 }),
});

/** One world for a scenario: what the workers share is the journal; each has its own everything else. */
function world({ answers, batch, start, maxSteps }: Scenario) {
	const acts = (...mine: Act[]): FakeTool => ({ run: (_args, doing) => void doing.acts.push(...mine) });
	const counts =
		(name: string): FakeTool["run"] =>
		(_args, { state, key }) => {
			state.runs = [...((state.runs as string[] | undefined) ?? []), name];
			return { name, key };
		};
	const agent = fakeAgent({
		state: { stage: "a" },
		tools: {
			read: { effect: "read", run: counts("read") },
			read2: { effect: "read", when: (s) => s.stage === "a", run: counts("read2") },
			move: { effect: "read", run: (_args, { state }) => Object.assign(state, { stage: "b" }) },
			idem: { effect: "idempotent", run: counts("idem") },
			once: { run: counts("once") },
			throws: {
				effect: "idempotent",
				run: (_args, { state }) => {
					state.never = true;
					throw new Error("no");
				},
			},
			says: acts(say("By code."), { act: "say", part: { kind: "data", topic: "t", data: 1 } }),
			guides: acts({ act: "reply", instructions: "Be brief." }, { act: "log", name: "n", data: 1 }),
			plans: acts({ act: "later", id: "t", at: 9, event: "e", data: 1 }, { act: "collapse", sentence: "So far." }),
			late: { when: (s) => s.stage === "b", run: counts("late") },
			forwards: acts({ act: "forward", to: "desk" }),
			leaves: acts(say("Bye."), { act: "hangup", reason: "left", after: "delivered" }),
			goes: acts({ act: "hangup", reason: "gone", after: "now" }),
			ends: { end: true, run: counts("ends") },
		},
		settings: { maxSteps },
		over: { invocation: batch ? "batch" : "each", greeting: { reply: "Greet." } },
		onCall: ({ state, acts }) => {
			state.called = true;
			acts.push({ act: "log", name: "begun", data: null });
		},
		onEnd: ({ acts }) => void acts.push(say("Closed.")),
		onEvent: { e: (_data, { acts }) => void acts.push(say("Event."), { act: "reply", instructions: "Go on." }) },
	});
	const journal: JournalEntry[] = [];
	const asked: number[] = [];
	/** Answers by how far the turn had got, as a model does, not by how often it was asked. */
	const model = {
		name: "fake",
		async ask(request: Parameters<FakeModel["ask"]>[0]) {
			expectValid(request.history);
			const step = journal.filter(({ entry }) => entry === "answered").length;
			asked.push(step);
			return responseOf(answers[step] ?? "Enough.", step + 1);
		},
	};
	const line = new Line(agent, model);
	const items: InboxItem[] =
		start === "event"
			? [line.occurrence({ kind: "event", name: "e", data: null, source: "app" })]
			: start === "open"
				? [line.message({ kind: "open", text: "" })]
				: start === "burst"
					? [line.message("a"), line.message("b"), line.occurrence({ kind: "close", reason: "operator" })]
					: [line.message("a")];
	const run = (dieAfter = 0) =>
		runTurn(line.input(items, { journal: structuredClone(journal), note: note(journal, dieAfter) }));
	return { agent, journal, asked, line, run };
}

/** What a turn that nothing interrupted comes to, and how many notes it took. */
async function uninterrupted(given: Scenario): Promise<{ result: TurnResult; notes: number; ran: number }> {
	const { run, journal, agent, asked } = world(given);
	const result = await run();
	expect(new Set(asked).size).toBe(asked.length);
	return { result, notes: journal.length, ran: agent.happened.ran.length };
}

/** Whether dying right after this note leaves a `once` tool that nobody knows to have run. */
function leavesUnknown(entry: JournalEntry | undefined, journal: readonly JournalEntry[]): boolean {
	if (entry?.entry !== "running") return false;
	const answered = journal.find((each) => each.entry === "answered" && each.step === entry.step);
	const calls = answered?.entry === "answered" ? answered.response.calls : [];
	const again = new Set(["read", "read2", "move", "idem", "throws"]);
	const named = (id: string) => {
		const renamed = /^call_\d+_(\d+)$/.exec(id)?.[1];
		return renamed === undefined ? calls.find((call) => call.id === id) : calls[Number(renamed) - 1];
	};
	return entry.calls.some((id) => !again.has(named(id)?.name ?? ""));
}

test("H12: whatever the turn does, a worker that dies after any note is resumed to the same result, and nothing is asked or run twice", async () => {
	await fc.assert(
		fc.asyncProperty(scenario, async (given) => {
			const whole = await uninterrupted(given);
			for (let dieAfter = 1; dieAfter <= whole.notes; dieAfter += 1) {
				const { run, journal, agent, asked } = world(given);
				await expect(run(dieAfter)).rejects.toBe(died);
				const unknown = leavesUnknown(journal.at(-1), journal);
				const result = await run();
				expect(new Set(asked).size).toBe(asked.length);
				expect(new Set(agent.happened.ran.map(({ key }) => key)).size).toBe(agent.happened.ran.length);
				if (unknown) continue;
				expect(result).toEqual(whole.result);
				expect(agent.happened.ran).toHaveLength(whole.ran);
			}
		}),
		{ numRuns: 40, seed: 7 },
	);
}, 60_000);

test("H12: workers that all die after their first note still get there, one step each", async () => {
	await fc.assert(
		fc.asyncProperty(scenario, async (given) => {
			const whole = await uninterrupted(given);
			const { run, journal, agent, asked } = world(given);
			let unknown = false;
			let result: TurnResult | undefined;
			for (let worker = 0; result === undefined && worker < 100; worker += 1) {
				result = await run(1).catch((error: unknown) => {
					expect(error).toBe(died);
					return undefined;
				});
				unknown ||= result === undefined && leavesUnknown(journal.at(-1), journal);
			}
			expect(result).toBeDefined();
			expect(new Set(asked).size).toBe(asked.length);
			expect(new Set(agent.happened.ran.map(({ key }) => key)).size).toBe(agent.happened.ran.length);
			if (!unknown) expect(result).toEqual(whole.result);
		}),
		{ numRuns: 50, seed: 11 },
	);
}, 60_000);

test("whatever the turn does, each call has one result, parts have their own ids, and nothing blank is said", async () => {
	await fc.assert(
		fc.asyncProperty(scenario, async (given) => {
			const { result } = await uninterrupted(given);
			const calls = result.append.flatMap((row) => (row.role === "asked" ? row.calls.map(({ id }) => id) : []));
			const results = result.append.flatMap((row) => (row.role === "result" ? [row.call] : []));
			expect(results).toEqual(calls);
			expect(new Set(result.parts.map(({ id }) => id)).size).toBe(result.parts.length);
			expect(result.append.flatMap((row) => (row.role === "said" ? [row.id] : [])).sort()).toEqual(
				result.parts.map(({ id }) => id).sort(),
			);
			for (const { part, epoch } of result.parts) {
				if (part.kind === "text") expect(part.text.trim()).not.toBe("");
				expect(epoch).toBe(result.record.epoch);
			}
			expect(result.requests).toBeLessThanOrEqual(given.maxSteps);
			if (given.start !== "event")
				expect(result.parts.length + (result.record.ended || result.record.ending ? 1 : 0)).toBeGreaterThan(0);
		}),
		{ numRuns: 150, seed: 13 },
	);
}, 60_000);
