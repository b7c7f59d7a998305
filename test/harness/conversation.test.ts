import { describe, expect, it } from "vitest";
import { callboard } from "../../src/index.js";
import { converse } from "../../src/testing/conversation.js";
import { platformAnswers } from "../../src/testing/platform-answers.js";
import Workshop from "./quoting-agent.js";

const find = { call: { findCustomer: { phone: "600111222" } } };
const offer = { expect: { after: "findCustomer" }, say: "I have mon-17 and tue-10." };

describe("converse: a conversation on the real engine in one line", () => {
	it("gives what was said, the state, the tools that ran and the requests", async () => {
		const workshop = await converse({ agent: Workshop, script: { steps: [find, offer] } });
		expect(await workshop.says("my phone is 600111222")).toEqual(["I have mon-17 and tue-10."]);
		expect(workshop.state).toMatchObject({ stage: "quote", customer: "Ana" });
		expect(workshop.tools).toMatchObject([{ tool: "findCustomer", args: { phone: "600111222" }, status: "ok" }]);
		expect(workshop.requests).toHaveLength(2);
		expect(workshop.requests[0]?.allowed).toEqual(["findCustomer", "ask"]);
		expect(workshop.requests[1]?.allowed).toEqual(["book", "ask"]);
		expect(workshop.changes.map((change) => change.field)).toContain("slots");
		await workshop.end();
	});

	it("keeps the conversation over several messages", async () => {
		const workshop = await converse({
			agent: Workshop,
			script: {
				steps: [find, offer, { expect: { said: "first" }, call: { book: { slot: "mon-17" } } }, { say: "Booked." }],
			},
		});
		expect(await workshop.says("600111222", "the first one")).toEqual(["Booked."]);
		expect(workshop.state).toMatchObject({ stage: "booked", booked: "mon-17" });
		await workshop.end();
	});

	it("counts a tool that failed, and not a call that was refused", async () => {
		const workshop = await converse({
			agent: Workshop,
			script: {
				steps: [
					{ call: { findCustomer: { phone: "0" } } },
					{ call: { book: { slot: "x" } } },
					{ say: "Your phone, please?" },
				],
			},
		});
		await workshop.says("it is zero");
		expect(workshop.tools).toMatchObject([{ tool: "findCustomer", status: "failed" }]);
		expect(workshop.facts.map((fact) => fact.event)).toContain("tool.refused");
		expect(workshop.state.stage).toBe("greet");
		await workshop.end();
	});

	it("fails the test when a request is not as the script expects", async () => {
		const workshop = await converse({
			agent: Workshop,
			script: { steps: [{ expect: { said: "goodbye" }, say: "Bye" }] },
		});
		await expect(workshop.says("hello")).rejects.toThrow(/step 1 of 1/);
		await workshop.close();
	});

	it("fails the test when a step of the script was not used", async () => {
		const workshop = await converse({ agent: Workshop, script: { steps: [{ say: "Hi" }, { say: "never" }] } });
		await workshop.says("hello");
		await expect(workshop.end()).rejects.toThrow("1 of 2 steps were not used");
	});

	it("says what to give when nothing answers in place of the model", async () => {
		await expect(converse({ agent: Workshop })).rejects.toMatchObject({ code: "NO_SCRIPT", fault: "author" });
	});

	it("opens with the greeting, or in a given state without one", async () => {
		const greeted = await converse({ agent: Workshop, script: { steps: [{ say: "Hi" }] } });
		expect(await greeted.opens()).toEqual(["Hello, this is the workshop."]);
		await greeted.close();

		const opened = await converse({
			agent: Workshop,
			state: { stage: "quote", slots: ["wed-9"] },
			today: "2026-07-01",
			script: { steps: [{ say: "Which one?" }] },
		});
		expect(await opened.says("hello")).toEqual(["Which one?"]);
		expect(opened.state).toMatchObject({ stage: "quote", slots: ["wed-9"], customer: "", openedOn: "2026-07-01" });
		expect(opened.lastRequest?.view).toContain("stage quote, today 2026-07-01, slots wed-9");
		await opened.end();
	});

	it("holds a conversation with an agent of the function-calling form", async () => {
		const parameters = { type: "object", properties: { order: { type: "string" } }, required: ["order"] };
		const fn = { name: "lookup", description: "Looks an order up.", parameters };
		const support = callboard().agent("support", {
			llm: { prompt: "You help." },
			tools: [{ type: "function", function: fn }],
		});
		support.on("llm.tool_call", (data, call) => {
			const results = data.toolCalls.map((each) => ({ toolCallId: each.id, result: { status: "shipped" } }));
			call.toolResult(data.msgId, results);
		});
		const steps = [
			{ call: { lookup: { order: "A-1" } } },
			{ expect: { result: { status: "shipped" } }, say: "It is on its way." },
		];
		const conversation = await converse({ agent: support, script: { steps } });
		expect(await conversation.says("where is A-1?")).toEqual(["It is on its way."]);
		expect(conversation.tools).toMatchObject([{ tool: "lookup", args: { order: "A-1" }, status: "ok" }]);
		await conversation.end();
	});

	it("takes an agent by its file", async () => {
		const workshop = await converse({
			agent: new URL("quoting-agent.ts", import.meta.url),
			script: { steps: [{ say: "Hi" }] },
		});
		expect(workshop.agent.name).toBe("workshop");
		expect(await workshop.says("hello")).toEqual(["Hi"]);
		await workshop.end();
	});

	it("tells the agent of an event and gives what it says to it", async () => {
		const workshop = await converse({ agent: Workshop, script: { steps: [{ say: "Hi" }] } });
		await workshop.says("hello");
		expect(await workshop.event("carReady", null)).toEqual(["Your car is ready."]);
		await workshop.end();
	});

	it("waits for a tool that really waits for something", async () => {
		const workshop = await converse({
			agent: Workshop,
			script: { steps: [{ call: { ask: {} } }, { say: "They said yes." }] },
		});
		expect((await workshop.says("ask them")).at(-1)).toBe("They said yes.");
		expect(workshop.tools).toMatchObject([{ tool: "ask", status: "ok", result: "yes" }]);
		await workshop.end();
	});

	it("J: sends again what the platform refused for now, after the time it asked for", async () => {
		const workshop = await converse({ agent: Workshop, script: { steps: [{ say: "Hi" }] } });
		await workshop.opens();
		workshop.channel.answer(platformAnswers.tooMany(5000), platformAnswers.brokenServer(2000));
		const before = workshop.clock.now();
		expect(await workshop.says("hello")).toEqual(["Hi"]);
		expect(workshop.clock.now() - before).toBeGreaterThanOrEqual(7000);
		await workshop.end();
	});

	it("J: a message delivered three times at once makes one turn", async () => {
		const workshop = await converse({ agent: Workshop, script: { steps: [{ say: "Hi" }] } });
		const message = workshop.person.message({ kind: "text", text: "hello" });
		await workshop.channel.replay([message], { times: 3, batch: 3 });
		await workshop.quiet();
		expect(workshop.heard).toEqual(["Hi"]);
		await workshop.end();
	});

	it("keeps people at one door apart", async () => {
		const workshop = await converse({
			agent: Workshop,
			script: { rules: [{ when: { said: "600" }, unless: { called: "findCustomer" }, ...find }], otherwise: "Yes?" },
		});
		const people = Array.from({ length: 20 }, (_, n) => workshop.another({ chat: `person-${n}` }));
		await Promise.all(people.map((person, n) => person.says(n % 2 ? "600111222" : "hello")));
		await workshop.quiet();
		for (const [n, person] of people.entries()) {
			expect(person.heard).toEqual(["Yes?"]);
			const { record } = await workshop.runtime.backend.view(person.address, { history: 10 });
			expect(record?.state.customer).toBe(n % 2 ? "Ana" : "");
		}
		await workshop.end();
	});
});
