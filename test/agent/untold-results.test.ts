import { Agent, tool } from "callboard";
import { expect, test } from "vitest";
import type { Effect } from "../../src/agent/declaration.js";
import { callboard } from "../../src/agent/function-agent.js";
import { declared } from "../function-agent/declared.js";
import { FakeModel } from "../turn/fake-model.js";
import { Line, told, words } from "../turn/line.js";
import { loggedError, open } from "./opening.js";

class Receipt {
	number = 17;
}

function paying(effect: Effect) {
	class Pay extends Agent {
		paid = false;
		/** Pays. */
		@tool({ doc: "Pays.", effect })
		pay(): Receipt {
			this.paid = true;
			this.call.say("Paid.");
			return new Receipt();
		}
	}
	return Pay;
}

test.each<[Effect, string, string]>([
	["once", "unknown", "pay ran, but what came of it could not be read, and its outcome is unknown"],
	["idempotent", "failed", "pay did not work, for a technical reason"],
	["read", "failed", "pay did not work, for a technical reason"],
])(
	"a tool that is %s and whose result cannot be told is %s: nothing is kept of it",
	async (effect, status, content) => {
		const { use, session, log } = open(paying(effect));
		const outcome = await use("pay");
		expect(outcome).toMatchObject({ status, result: null, changes: [], acts: [] });
		expect(outcome.content).toContain(content);
		expect(session.snapshot()).toEqual({ paid: false });
		expect(loggedError(log)).toMatchObject({ code: "NOT_SERIALISABLE" });
	},
);

/** Three tools that pay, whose handler answers with these results; what it throws escapes unless it is caught. */
function answering(effect: Effect, results: (ids: readonly string[]) => readonly unknown[], caught = false) {
	const parameters = { type: "object", additionalProperties: true };
	const agent = callboard().agent("shop", {
		llm: { prompt: "You sell." },
		tools: ["a", "b", "c"].map((name) => ({ name, description: `Pays ${name}.`, parameters, effect })),
	});
	agent.on("llm.tool_call", (data, call) => {
		const ids = data.toolCalls.map(({ id }) => id);
		const given = results(ids).map((result, index) => ({ toolCallId: ids[index] ?? "", result }));
		try {
			call.toolResult(data.msgId, given);
		} catch (error) {
			if (!caught) throw error;
		}
	});
	const calls = ["a", "b", "c"].map((name) => [name, {}, `id-${name}`] as const);
	const model = new FakeModel({ calls }, "That has to be checked.");
	return { line: new Line(declared(agent), model) };
}

test.each([false, true])("results of a handler beside one that cannot be told count (caught: %s)", async (caught) => {
	const { line } = answering("once", () => ["first", new Receipt(), "third"], caught);
	const result = await line.say("pay");
	expect(told(result)["id-a"]).toBe('"first"');
	expect(told(result)["id-b"]).toContain("its outcome is unknown");
	expect(told(result)["id-c"]).toBe('"third"');
	expect(words(result)).toEqual(["That has to be checked."]);
});

test("a handler that answers only with what cannot be told: unknown for once, failed for what may be done again", async () => {
	for (const [effect, content] of [
		["once", "its outcome is unknown"],
		["idempotent", "did not work, for a technical reason"],
	] as const) {
		const { line } = answering(effect, (ids) => ids.map(() => new Receipt()));
		const result = await line.say("pay");
		for (const id of ["id-a", "id-b", "id-c"]) expect(told(result)[id]).toContain(content);
	}
});
