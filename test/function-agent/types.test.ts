import { expectTypeOf, test } from "vitest";
import { type Call, callboard, type FunctionCall, type ToolCallEvent } from "../../src/index.js";
import { refusal } from "./declared.js";

const pc = callboard();

test("handlers are typed by their event", () => {
	const agent = pc.agent("typed", { voice: "any", language: "en" });
	agent.on("llm.tool_call", async (data, call) => {
		expectTypeOf(data).toEqualTypeOf<ToolCallEvent>();
		expectTypeOf(call).toEqualTypeOf<FunctionCall>();
		const results = [];
		for (const tc of data.toolCalls) results.push({ toolCallId: tc.id, result: JSON.parse(tc.arguments) });
		call.toolResult(data.msgId, results);
		// @ts-expect-error a result needs the id of its call
		call.toolResult(data.msgId, [{ result: 1 }]);
		call.once("bot.finished", () => call.hangup());
		// @ts-expect-error the call tells nothing of that name
		call.once("bot.done", () => {});
		// @ts-expect-error transports are a closed list
		if (call.transport === "fax") call.hangup();
	});
	agent.on("call.ended", ({ reason }) => expectTypeOf(reason).toBeString());
	expectTypeOf<FunctionCall>().toExtend<Call>();
	// @ts-expect-error no other name of the event
	refusal(() => agent.on("llm.toolCall", () => {}));
	// @ts-expect-error a misspelled option
	refusal(() => pc.agent("typo", { tool: [] }));
	// @ts-expect-error a tool needs a description
	refusal(() => pc.agent("undescribed", { tools: [{ name: "x" }] }));
	// @ts-expect-error effects are a closed list
	refusal(() => pc.agent("effect", { tools: [{ name: "x", description: "y", effect: "write" }] }));
});

test("the methods of a call are typed", () => {
	const use = (call: Call) => {
		call.hangup({ after: "delivered" });
		// @ts-expect-error now or delivered
		call.hangup({ after: "soon" });
		const id: string = call.later({ in: 5 }, "remind", { n: 1 });
		call.cancel(id);
		// @ts-expect-error a time is needed
		call.later({}, "remind");
		// @ts-expect-error who it is with cannot be written
		call.from = "x";
	};
	expectTypeOf(use).toBeFunction();
});
