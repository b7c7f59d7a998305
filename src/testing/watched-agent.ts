import type {
	AgentDeclaration,
	AgentSession,
	Change,
	Outcome,
	PreparedCall,
	ToolOutcome,
} from "../agent/declaration.js";
import type { JsonObject } from "../call/json.js";

/** One run of a tool: what it was given and what came of it. Refused calls are none, for nothing ran. */
export interface ToolRun {
	tool: string;
	args: JsonObject;
	status: ToolOutcome["status"];
	/** What it returned, for code. */
	result: ToolOutcome["result"];
	/** What the model was told. */
	content: string;
}

/**
 * The same agent, every run of a tool told to `onRun`. With `state`, its calls begin without a greeting, in that state:
 * laid over what `onCall` left, fields not named keep their values.
 */
export function watchedAgent(
	agent: AgentDeclaration,
	{ state, onRun }: { state?: JsonObject; onRun(run: ToolRun): void },
): AgentDeclaration {
	const { greeting, ...silent } = agent;
	return {
		...(state === undefined && greeting !== undefined ? { ...silent, greeting } : silent),
		open(opening) {
			const session = agent.open(opening);
			const overlay = opening.state === undefined ? state : undefined;
			return new Proxy(session, {
				get(target, name) {
					if (name === "run") return (...given: Parameters<AgentSession["run"]>) => run(target, given, onRun);
					if (name === "hook" && overlay !== undefined) {
						return (...given: Parameters<AgentSession["hook"]>) => hook(target, given, overlay);
					}
					const member: unknown = Reflect.get(target, name, target);
					return typeof member === "function" ? member.bind(target) : member;
				},
			});
		},
	};
}

async function run(
	session: AgentSession,
	given: Parameters<AgentSession["run"]>,
	onRun: (run: ToolRun) => void,
): Promise<readonly ToolOutcome[]> {
	const outcomes = await session.run(...given);
	const calls = new Map<string, PreparedCall>(given[0].map((call) => [call.id, call]));
	for (const { id, tool, status, result, content } of outcomes) {
		onRun({ tool, args: calls.get(id)?.args ?? {}, status, result, content });
	}
	return outcomes;
}

async function hook(
	session: AgentSession,
	given: Parameters<AgentSession["hook"]>,
	state: JsonObject,
): Promise<Outcome> {
	const outcome = (await session.hook(...given)) ?? { changes: [], acts: [] };
	if (given[0] !== "onCall") return outcome;
	const now = session.snapshot();
	const last = outcome.changes.at(-1);
	const laid = Object.entries(state).map(
		([field, next], index): Change => ({
			seq: (last?.seq ?? 0) + index + 1,
			field,
			prev: now[field],
			next,
			author: "hook:onCall",
			at: last?.at ?? 0,
		}),
	);
	return { ...outcome, changes: [...outcome.changes, ...laid] };
}
