import type { Act, Outcome } from "../agent/declaration.js";
import type { Json } from "../call/json.js";
import type { InboxItem, Occurrence, Repeat } from "../call/message.js";
import type { TurnDraft } from "./turn-draft.js";

/**
 * Makes an outcome's writes part of the state and does what it asked of the call, in its order. When it handed the call
 * over and said nothing itself, the person is told by the agent's hand-over line. Changes are numbered here, where they
 * count: a session that resumes a turn, or ran what was then dropped, would number them otherwise.
 */
export function perform(draft: TurnDraft, ...outcomes: readonly Outcome[]): void {
	const spoken = draft.spoken;
	for (const outcome of outcomes) {
		draft.session.apply(outcome);
		for (const change of outcome.changes) draft.changes.push({ ...change, seq: draft.changes.length + 1 });
		for (const act of outcome.acts) doOne(draft, act);
	}
	if (draft.handoverDue && draft.spoken === spoken) {
		draft.say({ kind: "text", text: draft.agent.settings.handover }, "code");
	}
	draft.handoverDue = false;
}

function doOne(draft: TurnDraft, act: Act): void {
	switch (act.act) {
		case "say":
			draft.say(act.part, "code");
			return;
		case "reply":
			draft.guides.push(act.instructions);
			return;
		case "forward":
			forward(draft, act.to);
			return;
		case "hangup":
			draft.end({ reason: act.reason, after: act.after });
			return;
		case "later":
			forget(draft, act.id);
			draft.cancelled.delete(act.id);
			if (act.every === undefined) setTimer(draft, act);
			else {
				draft.record.repeats = { ...draft.record.repeats, [act.id]: draft.id };
				setTimer(draft, { ...act, repeat: { id: act.id, every: act.every, by: draft.id } });
			}
			return;
		case "cancel":
			forget(draft, act.id);
			draft.timers.delete(act.id);
			draft.cancelled.add(act.id);
			return;
		case "collapse":
			draft.rows.push({ role: "note", text: act.sentence, at: draft.at });
			return;
		case "log":
			draft.log.info("call.log", { name: act.name, data: act.data });
			draft.events.push({ name: "call.log", data: { name: act.name, data: act.data } });
	}
}

/** The owner becomes human; a second hand-over only names the new target and is not announced again. */
function forward(draft: TurnDraft, to: string): void {
	const { record } = draft;
	record.forwarded = { to, at: draft.at };
	if (record.owner === "human") return;
	record.owner = "human";
	record.epoch += 1;
	draft.handoverDue = true;
	draft.rows.push({ role: "note", text: `The call was handed to people (${to}).`, at: draft.at });
	draft.event("call.forwarded", { to });
	draft.told.push({ session: draft.session, name: "call.forwarded", data: { to } });
}

/** Sets the timer that has just fired again: at its next beat, leaving out those that are over. */
export function repeatTimer(draft: TurnDraft, { occurrence, at }: Occurrence): void {
	if (occurrence.kind !== "event" || occurrence.repeat === undefined) return;
	const { name, data, repeat } = occurrence;
	const missed = Math.max(0, Math.floor((draft.at - at) / repeat.every));
	setTimer(draft, { id: repeat.id, at: at + (missed + 1) * repeat.every, event: name, data, repeat });
}

/** One that repeated under this id does so no longer, even where it has fired and waits to be handled. */
function forget({ record }: TurnDraft, id: string): void {
	if (record.repeats?.[id] === undefined) return;
	const { [id]: _, ...others } = record.repeats;
	record.repeats = others;
}

/** The id of the item tells which call set the timer, so that one that outlives its call is known as stale. */
function setTimer(
	draft: TurnDraft,
	{ id, at, event, data, repeat }: { id: string; at: number; event: string; data: Json; repeat?: Repeat },
): void {
	const item: InboxItem = {
		type: "occurrence",
		id: `${draft.id}.later.${id}`,
		address: draft.input.address,
		occurrence: { kind: "event", name: event, data, source: "timer", ...(repeat && { repeat }) },
		at,
	};
	draft.timers.set(id, { id, at, item });
}
