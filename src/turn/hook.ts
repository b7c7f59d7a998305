import type { AgentSession, Outcome } from "../agent/declaration.js";
import { CallboardError } from "../errors.js";
import type { TurnDraft } from "./turn-draft.js";

/**
 * Runs a hook once in the life of the turn.
 *
 * @param name Names it in the journal: one turn may end one call and begin the next.
 * @throws CallboardError `HOOK_FAILED` (fault `author`) when it threw.
 */
export function runHook(
	draft: TurnDraft,
	session: AgentSession,
	hook: "onCall" | "onEnd",
	name: string,
): Promise<Outcome> {
	const { recorder, input } = draft;
	return recorder.hooked(name, async () => {
		try {
			return await session.hook(hook, input.stop.signal);
		} catch (cause) {
			throw new CallboardError("HOOK_FAILED", "author", `${hook} of ${input.agent.title} threw`, { cause });
		}
	});
}
