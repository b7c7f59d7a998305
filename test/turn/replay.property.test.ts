import fc from "fast-check";
import { expect, test } from "vitest";
import type { Act } from "../../src/agent/declaration.js";
import type { InboxItem } from "../../src/call/message.js";
import type { JournalEntry } from "../../src/turn/journal.js";
import { runTurn } from "../../src/turn/run-turn.js";
import type { TurnResult } from "../../src/turn/turn.js";
import { expectValid } from "./api-rules.js";
import { died, note } from "./dying-worker.js";
import { type FakeTool, fakeAgent } from "./fake-agent.js";
import { type Answer, type FakeModel, responseOf } from "./fake-model.js";
import { Line } from "./line.js";

const say = (text: string): Act => ({ act: "say", part: { kind: "text", text } });

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
