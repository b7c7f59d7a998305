import type { Outcome, PreparedCall, ToolOutcome } from "../../src/agent/declaration.js";
import { callboard, type FunctionAgent } from "../../src/agent/function-agent.js";
import type { AgentHandler } from "../../src/agent/function-agent-events.js";
import type { FunctionToolOptions } from "../../src/agent/function-agent-tools.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import { facts } from "../agent/opening.js";
import { declared } from "./declared.js";
import { recordingLog } from "./recording-log.js";

type Handler = AgentHandler<"llm.tool_call">;

/** An agent with tools `a`, `b` and `c`, which take anything. */
export function abc(options: FunctionToolOptions, ...handlers: Handler[]): FunctionAgent {
	const parameters = { type: "object", additionalProperties: true };
	const agent = callboard().agent("abc", {
		llm: { prompt: "You try things." },
		tools: ["a", "b", "c"].map((name) => ({ name, description: `Does ${name}.`, parameters, ...options })),
	});
	for (const handler of handlers) agent.on("llm.tool_call", handler);
	return agent;
}

export function open(agent: FunctionAgent) {
	const clock = new VirtualClock();
	const log = recordingLog();
	const session = declared(agent).open({ call: facts, clock, log });
	const stop = new AbortController();
	const run = (...tools: string[]) => {
		const calls: PreparedCall[] = tools.map((tool, at) => ({
			id: `id-${tool}`,
			tool,
			args: { n: at },
			key: `key-${tool}`,
		}));
		return session.run(calls, { msgId: "m1", signal: stop.signal });
	};
	return { session, clock, log, run, stop };
}

export const brief = (outcomes: readonly ToolOutcome[]) =>
	outcomes.map(({ id, status, content }) => [id, status, content]);
export const acts = (outcome: Outcome | undefined) => outcome?.acts.map((act) => act.act);
export const ok = (id: string, result: unknown = { ok: id }) => ({ toolCallId: id, result });
