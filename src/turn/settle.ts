import type { InboxItem } from "../call/message.js";
import { endCall } from "./end-call.js";
import type { TurnResult } from "./turn.js";
import type { TurnDraft } from "./turn-draft.js";

/** Makes all that was decided the result: ends the call where it was asked to end, and closes the books. */
export async function settle(draft: TurnDraft): Promise<TurnResult> {
	const { record, ending } = draft;
	if (ending?.after === "now") await endCall(draft, ending.reason);
	else if (ending !== undefined) record.ending = { reason: ending.reason };
	record.state = draft.session.snapshot();
	record.turns += 1;
	if (!draft.items.every(keepsQuiet)) record.touchedAt = draft.at;
	record.rows += draft.rows.length;
	const parts = draft.parts();
	const awaited = ending?.after === "delivered" || (draft.session.awaitsFinish && parts.length > 0);
	if (draft.told.length > 0) {
		draft.input.onceCommitted(() => {
			for (const { session, name, data } of draft.told) session.emit(name, data);
		});
	}
	draft.log.info("turn.done", {
		requests: draft.requests,
		tools: draft.tools,
		parts: parts.length,
		input: draft.usage.input,
		cached: draft.usage.cached,
		output: draft.usage.output,
		cost: draft.cost,
	});
	return {
		consumed: draft.items.length,
		record,
		append: draft.rows,
		parts,
		timers: [...draft.timers.values()],
		cancel: [...draft.cancelled],
		// biome-ignore lint/suspicious/noThenProperty: an item, never callable; the contract names it so
		...(awaited && record.ended === undefined ? { then: delivered(draft) } : {}),
		changes: draft.changes,
		usage: draft.usage,
		cost: draft.cost,
		requests: draft.requests,
		events: draft.events,
	};
}

/**
 * Whether an item leaves the call as quiet as it was: the beat of a timer that repeats, which would keep it open for
 * ever, and word that parts have left.
 */
export function keepsQuiet(item: InboxItem): boolean {
	if (item.type === "message") return false;
	const { occurrence } = item;
	return occurrence.kind === "delivered" || (occurrence.kind === "event" && occurrence.repeat !== undefined);
}

/** Comes back once every part has left: `bot.finished` is told then, and the call ends if it was to. */
function delivered(draft: TurnDraft): InboxItem {
	return {
		type: "occurrence",
		id: `${draft.id}.delivered`,
		address: draft.input.address,
		occurrence: { kind: "delivered", turn: draft.id, ...(draft.ending !== undefined && { ends: true as const }) },
		at: draft.at,
	};
}
