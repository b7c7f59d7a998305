import { expect, test } from "vitest";
import type { Effect } from "../../src/agent/declaration.js";
import { CallboardError } from "../../src/errors.js";
import type { JournalEntry } from "../../src/turn/journal.js";
import { runTurn } from "../../src/turn/run-turn.js";
import { Stop } from "../../src/turn/stop.js";
import { died, note } from "./dying-worker.js";
import { fakeAgent } from "./fake-agent.js";
import { FakeModel } from "./fake-model.js";
import { Line, told, words } from "./line.js";

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
