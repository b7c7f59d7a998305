import { afterEach, expect, test } from "vitest";
import { callboard, type Project, project } from "../cli/command.js";

const agent = (prompt: string) => `
import { callboard } from "callboard";

const orders: Record<string, { status: string }> = { "ORD-12345": { status: "shipped" } };

const pc = callboard();
const agent = pc.agent("support", {
	voice: "elevenlabs:abc",
	language: "en",
	llm: { provider: "openai", model: "gpt-4.1-mini", enabled: true, prompt: ${JSON.stringify(prompt)} },
	tools: [
		{
			type: "function",
			function: {
				name: "lookupOrder",
				description: "Look up an order by its ID.",
				parameters: { type: "object", properties: { orderId: { type: "string" } }, required: ["orderId"] },
			},
		},
		{ name: "endCall", description: "End the call.", parameters: { type: "object", properties: {} } },
	],
});

agent.on("llm.tool_call", async (data, call) => {
	const results = [];
	for (const tc of data.toolCalls) {
		const args = JSON.parse(tc.arguments);
		if (tc.name === "endCall") {
			call.say("Have a great day!");
			call.once("bot.finished", () => call.hangup());
			results.push({ toolCallId: tc.id, result: { ended: true } });
		} else {
			results.push({ toolCallId: tc.id, result: orders[args.orderId] ?? { error: "Order not found" } });
		}
	}
	call.toolResult(data.msgId, results);
});

export default agent;
`;

const demo = `
script: support
rules:
  - when: { after: lookupOrder }
    say: "It is {{result.status}}."
  - when: { said: where }
    call: { lookupOrder: { orderId: ORD-12345 } }
  - when: { said: bye }
    call: { endCall: {} }
otherwise: Which order?
`;

let made: Project | undefined;
afterEach(() => made?.remove());

function support(prompt = "You are a helpful support agent.") {
	made = project({ "agents/support/agent.ts": agent(prompt), "agents/support/demo.yaml": demo });
	return made.folder;
}

test("an agent file of the function-calling form answers in the terminal, tools and ending included", async () => {
	const cwd = support();
	const { code, out, err } = await callboard(["chat", "--say", "Where's ORD-12345?", "--say", "bye"], { cwd }).ended;
	expect(err).not.toContain("callboard:");
	expect(out).toContain("It is shipped.");
	expect(out).toContain("Have a great day!");
	expect(out).toContain("ended: hangup");
	expect(code).toBe(0);
});

test("its prompt is printed like that of a class, and its voice option is noticed once", async () => {
	const cwd = support();
	const printed = await callboard(["prompt"], { cwd }).ended;
	expect(printed.out).toContain(
		"=== identity (static) ===\nYou are a helpful support agent.\n\nAnswer in English (en).",
	);
	expect(printed.out).toContain("tools:\n  + lookupOrder  in every stage\n  + endCall      in every stage");
	expect(printed.code).toBe(0);
	const { out, err } = await callboard(["build"], { cwd }).ended;
	expect(`${out}${err}`.match(/voice has no meaning in written channels and is ignored/g)).toHaveLength(1);
});

test("H15: a key in a prompt is refused when the agent is loaded, and not repeated", async () => {
	const cwd = support(`Our key is sk-proj-${"a1B2".repeat(8)}.`);
	const { code, out, err } = await callboard(["prompt"], { cwd }).ended;
	expect(code).toBe(2);
	expect(err).toContain("block identity of support holds an API key");
	expect(`${out}${err}`).not.toContain("a1B2");
});
