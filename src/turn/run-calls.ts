import type { ToolOutcome } from "../agent/declaration.js";
import type { JsonObject } from "../call/json.js";
import { tracedTogether } from "../observe/trace.js";
import type { Runnable } from "./prepare-call.js";
import type { TurnDraft } from "./turn-draft.js";

const OUTCOME_UNKNOWN = JSON.stringify({
	error:
		"it was running when the system stopped, and whether it took effect is unknown; it was not run again. " +
		"Do not call it again before that is clear: look it up, or tell the person that it has to be checked",
});

/**
 * Runs calls beside each other, once in the life of the turn: what the journal holds is not run again. A call that was
 * running when the turn was cut runs again under the same key, unless it may run only `once`: then its outcome is
 * unknown, which the model and the log are told. Outcomes come in the order of `calls`; nothing is applied.
 */
export async function runCalls(
	draft: TurnDraft,
	step: number,
	calls: readonly Runnable[],
): Promise<readonly ToolOutcome[]> {
	const { recorder, session, input } = draft;
	const outcomes = new Map<string, ToolOutcome>();
	const unknown: ToolOutcome[] = [];
	const due: Runnable[] = [];
	for (const call of calls) {
		const { id, tool } = call.prepared;
		const known = recorder.outcome(step, id);
		if (known !== undefined) outcomes.set(id, known);
		else if (call.tool.effect === "once" && recorder.wasRunning(step, id)) unknown.push(unknownOutcome(id, tool));
		else due.push(call);
	}
	for (const { tool, prepared } of due) {
		draft.log.debug("tool.called", { tool: tool.name, key: prepared.key, args: masked(prepared.args, tool.pii) });
	}
	if (unknown.length + due.length > 0) {
		const prepared = due.map((call) => call.prepared);
		const ids = prepared.map((call) => call.id);
		const context = { msgId: messageId(draft, step), signal: input.stop.signal };
		const ran = await recorder.ran(step, ids, unknown, () =>
			tracedTogether(
				due.map(({ tool }) => ({ name: `tool ${tool.name}`, facts: { tool: tool.name, effect: tool.effect } })),
				() => session.run(prepared, context),
				(outcomes, span, index) => {
					const status = outcomes.find(({ id }) => id === ids[index])?.status ?? "unknown";
					span.tell({ status });
					if (status !== "ok") span.failed(status);
				},
			),
		);
		for (const outcome of ran) outcomes.set(outcome.id, outcome);
	}
	return calls.flatMap((call) => outcomes.get(call.prepared.id) ?? []);
}

/** Names one response of the model, stable over replays. */
export function messageId(draft: TurnDraft, step: number): string {
	return `${draft.id}.m${step}`;
}

/** Arguments as a log may hold them: values the agent's author marked as personal are starred. */
function masked(args: JsonObject, pii: readonly string[]): JsonObject {
	return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, pii.includes(name) ? "***" : value]));
}

function unknownOutcome(id: string, tool: string): ToolOutcome {
	return { id, tool, status: "unknown", result: null, content: OUTCOME_UNKNOWN, changes: [], acts: [] };
}
