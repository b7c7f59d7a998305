import type { AgentSession, CallFacts } from "../agent/declaration.js";
import type { CallRecord } from "../call/call-record.js";
import type { InboxItem } from "../call/message.js";
import { CallboardError } from "../errors.js";
import { dayOf } from "./day.js";
import { tellEnd } from "./end-call.js";
import { runHook } from "./hook.js";
import type { JournalEntry } from "./journal.js";
import { Live } from "./live.js";
import { newRecord } from "./new-record.js";
import { perform } from "./perform.js";
import { Recorder } from "./recorder.js";
import type { TurnInput } from "./turn.js";
import { TurnDraft } from "./turn-draft.js";

type Began = Extract<JournalEntry, { entry: "began" }>;

/**
 * Fixes what this turn is about, opens the call and the agent's session, and runs `onCall` when the call is new. The
 * input is a run of messages, or one occurrence: what stands behind it in the inbox is the next turn's, so that nothing
 * overtakes and every message is answered before the call can end.
 *
 * A message that comes while an ending is awaited begins a new call, whether or not the goodbye has left by then.
 *
 * @throws CallboardError `HOOK_FAILED` when `onCall` threw: the call has not begun and the turn may be tried again.
 */
export async function begin(input: TurnInput): Promise<TurnDraft> {
	const first = input.items[0];
	if (first === undefined) {
		throw new CallboardError("TURN_WITHOUT_INPUT", "operator", "a turn was started with nothing waiting");
	}
	const fresh = startsCall(input.record, first);
	const began = await fixed(input, fresh);
	const id = began.turn.slice(0, began.turn.lastIndexOf("."));
	const log = input.log.with({ call: id, turn: began.turn });
	const recorder = new Recorder(input, began.at);
	const record = fresh || input.record === undefined ? newRecord(input, first, id, began.at) : { ...input.record };
	if (first.type === "message" && first.contact.id === record.contact.id) record.contact = first.contact;
	const draft = new TurnDraft(
		{
			input,
			id: began.turn,
			items: input.items.slice(0, began.items),
			record,
			fresh,
			recorder,
			live: new Live(input.show, began.turn),
			log,
		},
		(opened) => openSession(opened, fresh ? undefined : record),
	);
	if (!fresh) return draft;
	if (input.record?.ending !== undefined) await closeEarlier(draft, input.record, input.record.ending.reason);
	draft.event("call.started", { call: id });
	perform(draft, await runHook(draft, draft.session, "onCall", "onCall"));
	return draft;
}

function startsCall(record: CallRecord | undefined, first: InboxItem): boolean {
	if (record === undefined || record.ended !== undefined) return true;
	return record.ending !== undefined && first.type === "message";
}

async function fixed(input: TurnInput, fresh: boolean): Promise<Began> {
	const known = input.journal.find((entry) => entry.entry === "began");
	if (known !== undefined) return known;
	const other = input.items.findIndex((item) => item.type !== "message");
	const messages = other === -1 ? input.items.length : other;
	const turn = fresh || input.record === undefined ? `${input.newId()}.1` : nextTurn(input.record);
	const began: Began = { entry: "began", turn, items: Math.max(1, messages), at: input.clock.now() };
	await input.note(began);
	return began;
}

function nextTurn(record: CallRecord): string {
	return `${record.id}.${record.turns + 1}`;
}

function openSession(draft: TurnDraft, stored: CallRecord | undefined): AgentSession {
	const { input, record } = draft;
	const call: CallFacts = {
		id: record.id,
		address: input.address,
		channel: input.channel.name,
		transport: input.channel.transport,
		from: record.contact.id,
		contact: record.contact,
		today: dayOf(draft.at, input.timeZone),
		history: () => draft.history,
	};
	const state = stored === undefined ? {} : { state: stored.state };
	return input.agent.open({ ...state, call, clock: input.clock, log: draft.log });
}

/** The call whose goodbye is on its way is over; nothing it does now can change the new one. */
async function closeEarlier(draft: TurnDraft, earlier: CallRecord, reason: string): Promise<void> {
	const { input } = draft;
	const session = input.agent.open({
		state: earlier.state,
		call: {
			id: earlier.id,
			address: input.address,
			channel: input.channel.name,
			transport: input.channel.transport,
			from: earlier.contact.id,
			contact: earlier.contact,
			today: dayOf(draft.at, input.timeZone),
			history: () => input.history,
		},
		clock: input.clock,
		log: input.log.with({ call: earlier.id }),
	});
	await tellEnd(draft, session, earlier.id, reason);
}
