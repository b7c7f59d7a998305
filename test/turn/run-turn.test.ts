import { expect, test } from "vitest";
import { fakeAgent } from "./fake-agent.js";
import { FakeModel } from "./fake-model.js";
import { Line, told, words } from "./line.js";

/** The desk of the acceptance cases: greet → diagnose → quote. */
function desk() {
	return fakeAgent({
		state: { stage: "greet", slots: [] },
		tools: {
			findCustomer: {
				effect: "read",
				args: ["phone"],
				when: (s) => s.stage === "greet",
				run: (_args, { state }) => {
					state.stage = "diagnose";
					return { name: "Ana" };
				},
			},
			slots: {
				effect: "read",
				args: ["day"],
				when: (s) => s.stage !== "greet",
				run: (_args, { state }) => {
					state.slots = ["s1", "s2"];
					return ["s1", "s2"];
				},
			},
			book: { args: ["slotId"], when: (s) => (s.slots as string[]).length > 0, run: () => "booked" },
			human: { run: (_args, { acts }) => void acts.push({ act: "forward", to: "desk" }) },
		},
		view: (state) => `Stage ${state.stage}.`,
	});
}

test("a message is answered: one user row, one said row, one part, one request", async () => {
	const line = new Line(desk(), new FakeModel("Hello, your phone?"));
	const result = await line.say("hi");
	expect(words(result)).toEqual(["Hello, your phone?"]);
	expect(result.append.map((row) => row.role)).toEqual(["user", "said"]);
	expect(result).toMatchObject({
		consumed: 1,
		requests: 1,
		cost: 0.25,
		usage: { input: 10, cached: 4, output: 2 },
		parts: [{ id: "call-1.1.1", by: "model", epoch: 0 }],
		record: { id: "call-1", agent: "desk", turns: 1, rows: 2, state: { stage: "greet", slots: [] } },
	});
});

test("case 12: a write in mid-turn changes the tools and the view of the next request, the tools array never", async () => {
	const model = new FakeModel({ calls: [["findCustomer", { phone: "+34" }]] }, "Which day?");
	const result = await new Line(desk(), model).say("+34");
	expect(words(result)).toEqual(["Which day?"]);
	expect(model.requests.map((request) => request.allowed)).toEqual([
		["findCustomer", "human"],
		["slots", "human"],
	]);
	expect(model.requests.map((request) => request.view.split("\n").at(-1))).toEqual(["Stage greet.", "Stage diagnose."]);
	expect(model.requests[1]?.tools).toEqual(model.requests[0]?.tools);
	expect(model.requests[1]?.system).toBe(model.requests[0]?.system);
	expect(result.changes).toMatchObject([{ field: "stage", prev: "greet", next: "diagnose", author: "findCustomer" }]);
});

test("case 13: a hidden tool is not run; its error names the tools available now, and the turn goes on", async () => {
	const model = new FakeModel({ calls: [["book", { slotId: "s1" }, "c1"]] }, "First your phone, please.");
	const agent = desk();
	const line = new Line(agent, model);
	const result = await line.say("book me");
	expect(agent.happened.ran).toEqual([]);
	expect(JSON.parse(told(result).c1 ?? "").error).toMatch(
		/book is not available now; available now: findCustomer, human/,
	);
	expect(result.events).toContainEqual({
		name: "tool.refused",
		data: { tool: "book", reason: "hidden", why: "when says no" },
	});
	expect(line.warnings()).toEqual(["tool.refused"]);
	expect(words(result)).toEqual(["First your phone, please."]);
	expect(result.requests).toBe(2);
});
