import type { AgentClass } from "../../src/agent/agent.js";
import type { AgentDeclaration, CallFacts, PreparedCall, SessionOpening } from "../../src/agent/declaration.js";
import { declare } from "../../src/agent/declare.js";
import { CallboardError } from "../../src/errors.js";
import type { AgentManifest, ToolManifest } from "../../src/schema/manifest.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import { type RecordingLog, recordingLog } from "../function-agent/recording-log.js";

export const facts: CallFacts = {
	id: "call-1",
	address: "web|a",
	channel: "web",
	transport: "chat",
	from: "web:a",
	contact: { id: "web:a" },
	today: "2026-05-04",
	history: () => [],
};

/** What the compiler would know: every tool takes strings under the given names. */
export function manifestOf(tools: Record<string, readonly string[]>, more: Partial<AgentManifest> = {}): AgentManifest {
	const known: Record<string, ToolManifest> = {};
	for (const [name, order] of Object.entries(tools)) {
		const properties = Object.fromEntries(order.map((parameter) => [parameter, { type: "string" }]));
		known[name] = {
			at: "agents/desk/agent.tsx:7",
			doc: `Does ${name}.`,
			order,
			parameters: { type: "object", properties, required: [...order], additionalProperties: false },
			pii: [],
		};
	}
	return { file: "agents/desk/agent.tsx", doc: "A desk.", fields: {}, tools: known, ...more };
}

export interface Opened {
	declaration: AgentDeclaration;
	session: ReturnType<AgentDeclaration["open"]>;
	clock: VirtualClock;
	log: RecordingLog;
	/** Runs one tool and makes its writes part of the state. */
	use(tool: string, args?: PreparedCall["args"]): Promise<Awaited<ReturnType<Opened["run"]>>>;
	/** Runs one tool, applying nothing. */
	run(
		tool: string,
		args?: PreparedCall["args"],
	): Promise<Awaited<ReturnType<ReturnType<AgentDeclaration["open"]>["run"]>>[number]>;
}

export function open(
	agent: AgentClass | AgentDeclaration,
	manifest?: AgentManifest,
	more: Partial<SessionOpening> = {},
): Opened {
	const declaration = typeof agent === "function" ? declare(agent, manifest) : agent;
	const clock = new VirtualClock();
	const log = recordingLog();
	const session = declaration.open({ call: facts, clock, log, ...more });
	let calls = 0;
	const run: Opened["run"] = async (tool, args = {}) => {
		calls += 1;
		const call = { id: `c${calls}`, tool, args, key: `call-1.${calls}` };
		const [outcome] = await session.run([call], { msgId: "m1", signal: new AbortController().signal });
		if (outcome === undefined) throw new Error("no outcome");
		return outcome;
	};
	const use: Opened["use"] = async (tool, args) => {
		const outcome = await run(tool, args);
		session.apply(outcome);
		return outcome;
	};
	return { declaration, session, clock, log, run, use };
}

/** The refusal that something ends in. */
export async function refusalOf(run: () => unknown): Promise<CallboardError> {
	try {
		await run();
	} catch (error) {
		if (error instanceof CallboardError) return error;
		throw error;
	}
	throw new Error("nothing was refused");
}

/** The error that a log has of a tool that failed. */
export function loggedError(log: RecordingLog): CallboardError {
	const error = log.lines.find(({ event }) => event === "tool.failed")?.fields.error;
	if (error instanceof CallboardError) return error;
	throw new Error("no tool failed with a CallboardError");
}
