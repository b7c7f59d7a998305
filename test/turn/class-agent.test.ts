import { Agent, type Stages, tool } from "callboard";
import { expect, test } from "vitest";
import { declare } from "../../src/agent/declare.js";
import type { JournalEntry } from "../../src/turn/journal.js";
import { runTurn } from "../../src/turn/run-turn.js";
import { manifestOf } from "../agent/opening.js";
import { expectValid } from "./api-rules.js";
import { FakeModel } from "./fake-model.js";
import { Line, told, words } from "./line.js";

type Stage = Stages<"greet" | "diagnose" | "quote" | "booked">;
let received: string[] = [];

/** The agent of the acceptance cases, in its real form. */
class BikeDesk extends Agent {
	stage: Stage = "greet";
	rider: string | undefined;
	slots: string[] = [];
	holding = false;

	@tool({ stage: "greet", pii: ["phone"], effect: "read" })
	findCustomer(phone: string) {
		received.push(phone);
		this.rider = "Ana";
		this.stage = "diagnose";
		return { name: this.rider };
	}

	@tool({ stage: ["diagnose", "quote"], preview: 2, effect: "read" })
	slotsOn(day: string) {
		this.slots = ["9", "10", "11", "12", "13"].map((hour) => `${day} ${hour}`);
		this.stage = "quote";
		return this.slots;
	}

	@tool({ stage: "quote", when: (s: { slots: string[] }) => s.slots.length > 0 })
	book(slotId: string) {
		this.stage = "booked";
		return { booked: slotId };
	}

	@tool({ timeout: 1 })
	async hold() {
		const { signal } = this.call;
		this.holding = true;
		await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
		this.holding = false;
		return "late";
	}

	@tool({ effect: "read" })
	fails() {
		this.rider = "nobody";
		throw new Error("closed today; offer tomorrow");
	}

	@tool()
	human() {
		this.call.say("One moment.");
		this.call.forward("desk");
	}

	render() {
		return this.rider === undefined ? "Ask for the phone." : `The rider is known; stage ${this.stage}.`;
	}
}

function desk() {
	received = [];
	const manifest = manifestOf(
		{ findCustomer: ["phone"], slotsOn: ["day"], book: ["slotId"], hold: [], fails: [], human: [] },
		{ stages: ["greet", "diagnose", "quote", "booked"] },
	);
	return declare(BikeDesk, manifest);
}

test("case 12: finding the customer offers other tools and another view to the next request of the same turn", async () => {
	const model = new FakeModel({ calls: [["findCustomer", { phone: "+34600" }]] }, "Which day?");
	await new Line(desk(), model).say("+34600");
	expect(model.requests[0]?.allowed).toContain("findCustomer");
	expect(model.requests[1]?.allowed).not.toContain("findCustomer");
	expect(model.requests[1]?.allowed).toContain("slotsOn");
	expect(model.requests[1]?.view).toContain("stage diagnose");
	expect(model.requests[1]?.tools).toEqual(model.requests[0]?.tools);
	expect(model.requests[1]?.system).toBe(model.requests[0]?.system);
});

test("a whole booking in one answer: each call sees the stage that the one before it moved to", async () => {
	const calls = [
		["findCustomer", { phone: "+34600" }, "1"],
		["slotsOn", { day: "tue" }, "2"],
		["book", { slotId: "tue 9" }, "3"],
	] as const;
	const result = await new Line(desk(), new FakeModel({ calls }, "Booked.")).say("tuesday at nine, +34600");
	expect(told(result)[3]).toBe('{"booked":"tue 9"}');
	expect(result.record.state.stage).toBe("booked");
	expect(result.changes.map(({ seq, author }) => [seq, author])).toEqual([
		[1, "findCustomer"],
		[2, "findCustomer"],
		[3, "slotsOn"],
		[4, "slotsOn"],
		[5, "book"],
	]);
});

test("case 8: a tool that throws between two good ones keeps its sentence for the model and loses its writes", async () => {
	const calls = [
		["findCustomer", { phone: "1" }, "1"],
		["fails", {}, "2"],
		["slotsOn", { day: "tue" }, "3"],
	] as const;
	const model = new FakeModel({ calls }, "ok");
	const result = await new Line(desk(), model).say("x");
	expect(Object.keys(told(result))).toEqual(["1", "2", "3"]);
	expect(JSON.parse(told(result)[2] ?? "").error).toBe("closed today; offer tomorrow");
	expect(result.record.state).toMatchObject({ rider: "Ana", stage: "quote" });
	expect(result.requests).toBe(2);
	expectValid(model.requests[1]?.history ?? []);
});

test("case 15: the real checks name path, expected and got, never the value", async () => {
	const calls = [
		["findCustomer", { phone: 600111222 }, "1"],
		["findCustomer", {}, "2"],
		["findCustomer", { phone: "1", x: 1 }, "3"],
	] as const;
	const result = await new Line(desk(), new FakeModel({ calls }, "ok")).say("x");
	const issues = Object.values(told(result)).map((content) => JSON.parse(content).issues);
	expect(issues.map(([issue]) => issue.path)).toEqual(["phone", "phone", "x"]);
	for (const [issue] of issues)
		expect(issue).toEqual({ path: issue.path, expected: expect.any(String), got: expect.any(String) });
	expect(JSON.stringify([told(result), result.events])).not.toContain("600111222");
	expect(received).toEqual([]);
});

test("case 16: a tool out of time is an error result at its second, its late writes are refused, the turn goes on", async () => {
	const line = new Line(desk(), new FakeModel({ calls: [["hold", {}, "1"]] }, "I have to check that."));
	const began = line.clock.now();
	let done = 0;
	const turn = line.say("hold it").finally(() => {
		done = line.clock.now() - began;
	});
	await line.clock.advance(3000);
	const result = await turn;
	expect(done).toBe(1000);
	expect(JSON.parse(told(result)[1] ?? "").error).toContain("its outcome is unknown");
	expect(result.record.state.holding).toBe(false);
	expect(words(result)).toEqual(["I have to check that."]);
	expect(result.append.find((row) => row.role === "result")?.at).toBe(began + 1000);
});

test("case 17: the model sees the preview and the total, the state keeps all, the log masks the phone the tool really got", async () => {
	const calls = [
		["findCustomer", { phone: "+34600111222" }],
		["slotsOn", { day: "tue" }, "2"],
	] as const;
	const line = new Line(desk(), new FakeModel({ calls }, "ok"));
	const result = await line.say("x");
	expect(JSON.parse(told(result)[2] ?? "")).toEqual({ rows: ["tue 9", "tue 10"], total: 5 });
	expect(result.record.state.slots).toHaveLength(5);
	expect(result.events).toContainEqual({ name: "tool.ran", data: expect.objectContaining({ rows: 5, shown: 2 }) });
	expect(received).toEqual(["+34600111222"]);
	expect(line.log.lines.find(({ event }) => event === "tool.called")?.fields.args).toEqual({ phone: "***" });
	expect(JSON.stringify(line.log.lines)).not.toContain("600111222");
});

test("H12: a real class resumes after every note to the same result, its state rebuilt from recorded outcomes", async () => {
	const steps = [
		{
			calls: [
				["findCustomer", { phone: "1" }],
				["slotsOn", { day: "tue" }],
			] as const,
		},
		{ text: "Let me book that.", calls: [["book", { slotId: "tue 9" }]] as const },
		{ calls: [["human"]] as const },
		"This has to be checked.",
	];
	const whole = await new Line(desk(), new FakeModel(...steps)).say("x");
	for (let dieAfter = 1; ; dieAfter += 1) {
		const line = new Line(desk(), new FakeModel(...steps));
		const items = [line.message("x")];
		const journal: JournalEntry[] = [];
		const dies = async (entry: JournalEntry) => {
			journal.push(structuredClone(entry));
			if (journal.length === dieAfter) throw new Error("died");
		};
		const first = await runTurn(line.input(items, { note: dies })).catch(() => undefined);
		if (first !== undefined) {
			expect(dieAfter).toBeGreaterThan(10);
			return;
		}
		const last = journal.at(-1);
		const result = await runTurn(line.input(items, { journal }));
		if (last?.entry !== "running" || last.step === 1) expect(result).toEqual(whole);
		else expect(JSON.stringify(result.append)).toContain("whether it took effect is unknown");
	}
});
