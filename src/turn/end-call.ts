import type { Act, AgentSession, Outcome } from "../agent/declaration.js";
import { CallboardError } from "../errors.js";
import { runHook } from "./hook.js";
import { perform } from "./perform.js";
import type { TurnDraft } from "./turn-draft.js";

const lastActs: ReadonlySet<Act["act"]> = new Set(["say", "log", "cancel", "collapse"]);

/** Ends the present call: `onEnd` runs, and may still say something; what would go on with the call is left out. */
export async function endCall(draft: TurnDraft, reason: string): Promise<void> {
	const { record } = draft;
	const outcome = await tellEnd(draft, draft.session, record.id, reason);
	if (outcome !== undefined) {
		perform(draft, { ...outcome, acts: outcome.acts.filter((act) => lastActs.has(act.act)) });
	}
	delete record.ending;
	record.ended = { at: draft.at, reason };
}

/** Runs `onEnd` and tells of the end. A hook that throws cannot keep a call from ending; it is logged. */
export async function tellEnd(
	draft: TurnDraft,
	session: AgentSession,
	call: string,
	reason: string,
): Promise<Outcome | undefined> {
	draft.event("call.ended", { call, reason });
	draft.told.push({ session, name: "call.ended", data: { reason } });
	try {
		return await runHook(draft, session, "onEnd", `onEnd:${call}`);
	} catch (error) {
		if (!(error instanceof CallboardError) || error.code !== "HOOK_FAILED") throw error;
		draft.log.error("hook.failed", { hook: "onEnd", error: error.cause });
		return undefined;
	}
}
