import type { AgentDeclaration, Change } from "../agent/declaration.js";
import type { CallRecord } from "../call/call-record.js";
import type { HistoryEntry, Speaker } from "../call/history.js";
import type { Json } from "../call/json.js";
import type { InboxItem } from "../call/message.js";
import type { Part } from "../call/part.js";
import type { Transport } from "../call/transport.js";
import type { LiveEvent } from "../channel/channel.js";
import type { Clock } from "../clock.js";
import type { Model } from "../model/model.js";
import type { Usage } from "../model/usage.js";
import type { Log } from "../observe/log.js";
import type { JournalEntry } from "./journal.js";
import type { Stop } from "./stop.js";

/** Everything one turn needs; nothing in it is storage or transport. */
export interface TurnInput {
	agent: AgentDeclaration;
	model: Model;
	/** The exact channel and its kind, for `call.channel` and `call.transport`. */
	channel: { name: string; transport: Transport };
	address: string;
	/** The call as stored; undefined, or ended, begins a new one. */
	record: CallRecord | undefined;
	/** The newest rows of the present call's history, oldest first. */
	history: readonly HistoryEntry[];
	/** All that waits, oldest first. */
	items: readonly InboxItem[];
	/** What a dead worker already did of this turn; empty for a fresh one. */
	journal: readonly JournalEntry[];
	/** Makes an entry durable before the turn goes on. Rejects with fault `lease` when the call is no longer ours. */
	note(entry: JournalEntry): Promise<void>;
	/** Shows something passing. */
	show(event: LiveEvent): void;
	/** Ends the turn before its time: nothing more of it may count. */
	stop: Stop;
	clock: Clock;
	/** Time zone of `call.today`, such as `Europe/Madrid`. Default UTC. */
	timeZone?: string;
	log: Log;
	/** Makes the id of a new call: the same one when the turn is run again because its process died. */
	newId(): string;
	/** Keeps what is to be run once the turn is committed: telling the listeners of the agent's own code. */
	onceCommitted(run: () => void): void;
}

/** One part decided by a turn, not yet rendered. */
export interface SpokenPart {
	/** `<call>.<turn>.<n>`: stable over replays. */
	id: string;
	part: Part;
	by: Speaker;
	/** The owner's epoch it was decided under; sent only while it still holds. */
	epoch: number;
}

export interface TimerOrder {
	id: string;
	at: number;
	item: InboxItem;
}

/** All that a turn decided. Written in one piece, or not at all. */
export interface TurnResult {
	/** How many of `items` it used up, from the head. */
	consumed: number;
	record: CallRecord;
	/** Rows to append. */
	append: readonly HistoryEntry[];
	parts: readonly SpokenPart[];
	timers: readonly TimerOrder[];
	cancel: readonly string[];
	/** Accepted as a new inbox item once every part has left (at once when there are none). */
	then?: InboxItem;
	changes: readonly Change[];
	usage: Usage;
	cost: number;
	/** Model requests made: 0 when code alone answered. */
	requests: number;
	/** Tells in-process listeners after the commit. */
	events: readonly { name: string; data: Json }[];
}
