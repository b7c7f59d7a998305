import type { AgentDeclaration } from "../../src/agent/declaration.js";
import type { FunctionAgent } from "../../src/agent/function-agent.js";
import type { CallboardError } from "../../src/errors.js";

const DECLARE = Symbol.for("callboard.declare");

/** The agent as the loader gets it. */
export function declared(agent: FunctionAgent): AgentDeclaration {
	return (agent as unknown as Record<symbol, () => AgentDeclaration>)[DECLARE]?.call(agent) as AgentDeclaration;
}

/** `CODE: where: what is wrong; what to do`, or `none`. */
export function refusal(run: () => unknown): string {
	try {
		run();
	} catch (error) {
		const refused = error as CallboardError;
		return `${refused.code}: ${refused.explain()}`;
	}
	return "none";
}
