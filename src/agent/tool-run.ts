import type { JsonObject } from "../call/json.js";
import { cloneJson } from "../call/plain.js";
import type { Clock } from "../clock.js";
import type { Log } from "../observe/log.js";
import { bounded, type Ending } from "./bounded.js";
import type { CallState } from "./call-state.js";
import type { PreparedCall, ToolDeclaration, ToolOutcome } from "./declaration.js";
import { answerOf, refusalOf, refusalText } from "./tool-answer.js";

/** One tool as a session runs it. */
export interface RunnableTool {
	readonly declaration: ToolDeclaration;
	/** Asked with the instance; undefined when the tool has no `when`. */
	readonly when?: (state: object) => unknown;
	/** Calls the method on the instance with checked arguments. */
	invoke(instance: object, args: JsonObject): unknown;
}

export interface RunPlace {
	instance: object;
	state: CallState;
	clock: Clock;
	log: Log;
	/** The turn's. */
	signal: AbortSignal;
}

/** Runs one tool on its own copy of the state. Never throws: whatever happens is an outcome. */
export async function runTool(tool: RunnableTool, call: PreparedCall, place: RunPlace): Promise<ToolOutcome> {
	const { declaration } = tool;
	const controller = new AbortController();
	const scope = place.state.fork(declaration.name, controller.signal, call.key);
	const ending = await bounded(
		scope,
		{ clock: place.clock, ms: declaration.timeoutMs, outer: place.signal, controller },
		() => tool.invoke(place.instance, cloneJson(call.args)),
	);
	if (ending.how !== "returned") return unfinished(declaration, call, ending, place.log);
	try {
		const answer = answerOf(declaration, ending.value);
		const changes = scope.changes(place.clock.now(), place.log);
		if (answer.total !== undefined) {
			const cut = answer.total - (declaration.preview ?? 0);
			place.log.info("tool.preview", { tool: declaration.name, total: answer.total, cut });
		}
		return { id: call.id, tool: declaration.name, status: "ok", ...answer, changes, acts: scope.acts };
	} catch (error) {
		return unfinished(declaration, call, { how: "untold", error }, place.log);
	}
}

/** How a run ended that gave no result. `untold`: it came to its end, and what it gave cannot be told to a model. */
export type Unfinished = Exclude<Ending, { how: "returned" }> | { how: "untold"; error: unknown };

/** The outcome of a call that gave no result: nothing of it counts, and the model is told what that means. */
export function unfinished(
	declaration: ToolDeclaration,
	call: PreparedCall,
	ending: Unfinished,
	log: Log,
): ToolOutcome {
	const { name, effect, timeoutMs } = declaration;
	const nothing = { id: call.id, tool: name, result: null, changes: [], acts: [] } as const;
	const repeatable = effect !== "once";
	if (ending.how === "threw" || (ending.how === "untold" && repeatable)) {
		const { content, meant } = refusalOf(name, ending.error);
		if (meant) log.info("tool.declined", { tool: name });
		else log.error("tool.failed", { tool: name, error: ending.error });
		return { ...nothing, status: "failed", content };
	}
	const why = {
		timeout: `did not answer within ${timeoutMs / 1000} s`,
		stopped: "was stopped before it had answered",
		untold: "ran, but what came of it could not be read,",
	}[ending.how];
	if (ending.how === "untold") log.error("tool.failed", { tool: name, error: ending.error });
	else log.warn("tool.unfinished", { tool: name, effect, why });
	if (!repeatable) {
		const content = refusalText(
			`${name} ${why} and its outcome is unknown: it may have happened or not. Do not call it again for the same thing; say that it has to be checked`,
		);
		return { ...nothing, status: "unknown", content };
	}
	const content = refusalText(`${name} ${why} and nothing was kept of it`);
	return { ...nothing, status: ending.how === "timeout" ? "timeout" : "failed", content };
}
