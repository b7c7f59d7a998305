import type { Outcome } from "../agent/declaration.js";
import type { Occurrence } from "../call/message.js";
import { endCall } from "./end-call.js";
import { perform, repeatTimer } from "./perform.js";
import type { Decision, TurnDraft } from "./turn-draft.js";

/** Handles a fact that nobody said. The model is asked only where the agent's code wants it to speak. */
export async function occur(draft: TurnDraft, item: Occurrence): Promise<Decision> {
	const { occurrence } = item;
	switch (occurrence.kind) {
		case "close":
			await endCall(draft, occurrence.reason);
			return "rest";
		case "delivered": {
			const data = { turn: occurrence.turn };
			draft.event("bot.finished", data);
			draft.told.push({ session: draft.session, name: "bot.finished", data });
			if (occurrence.ends && draft.record.ending !== undefined) await endCall(draft, draft.record.ending.reason);
			return "rest";
		}
		case "event":
			repeatTimer(draft, item);
			perform(draft, await handled(draft, occurrence));
			return draft.guided ? "ask" : "rest";
	}
}

/** `onEvent` of one event. A throw discards its writes, is logged, and stops neither the call nor what waits behind it. */
async function handled(
	draft: TurnDraft,
	{ name, data, source }: Extract<Occurrence["occurrence"], { kind: "event" }>,
): Promise<Outcome> {
	const { session, input, recorder } = draft;
	return recorder.hooked(`event:${name}`, async () => {
		const nothing: Outcome = { changes: [], acts: [] };
		try {
			const outcome = await session.event(name, data, source, input.stop.signal);
			if (outcome === undefined) draft.log.warn("event.undeclared", { name, source });
			return outcome ?? nothing;
		} catch (error) {
			input.stop.throwIfAborted();
			draft.log.error("event.failed", { name, error });
			return nothing;
		}
	});
}
