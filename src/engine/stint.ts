import type { AddressKey } from "../call/address.js";
import type { InboxItem } from "../call/message.js";
import type { CallboardError } from "../errors.js";
import type { Log } from "../observe/log.js";
import { type Traced, traced } from "../observe/trace.js";
import { inForce, type JournalEntry } from "../turn/journal.js";
import type { TurnInput, TurnResult } from "../turn/turn.js";
import type { Claimed, ClaimTerms } from "./backend.js";
import { callIdOf } from "./call-id.js";
import type { Door } from "./door.js";
import type { EngineParts } from "./engine-parts.js";
import { Interruptible } from "./interruptible.js";
import { Notes } from "./notes.js";
import { persist } from "./persist.js";
import type { Sender } from "./sender.js";
import { deadly, foreign, mayBeForeign, setBack } from "./setback.js";
import { ends, type SettlementContext, settlementOf } from "./settlement.js";
import { Tenure } from "./tenure.js";

/** One turn, nothing stored: see `turn/run-turn.ts`. */
export type RunTurn = (input: TurnInput) => Promise<TurnResult>;

export interface StintParts extends EngineParts {
	runTurn: RunTurn;
	/** Sends at once what a turn decided; absent where another process sends. */
	sender?: Sender;
	/** Makes the id of a new call. Default: one that a turn run again comes to again. */
	newId?: (() => string) | undefined;
}

/** What a turn came to. */
interface Outcome {
	result: TurnResult;
	/** What it knew to wait, of which the result has used up the first. */
	items: readonly InboxItem[];
	/** Messages behind those that nobody will read. */
	unread: readonly InboxItem[];
	/** Tells the listeners of the agent's own code. */
	tell(): void;
}

/**
 * A worker's stint at one address: turn after turn while something waits, each written in one step with all it decided,
 * which also hands out what waits next and lets the sender go. A turn that fails is tried again, and set aside after too
 * many times; one whose address was lost writes nothing.
 */
export class Stint {
	readonly #parts: StintParts;
	readonly #address: AddressKey;
	readonly #door: Door;
	readonly #log: Log;
	#tenure: Tenure | undefined;
	#notes: Notes | undefined;
	#aborted: CallboardError | undefined;

	constructor(parts: StintParts, address: AddressKey, door: Door) {
		this.#parts = parts;
		this.#address = address;
		this.#door = door;
		this.#log = parts.log.with({ address, door: door.name, agent: door.agent.name });
	}

	/** @param mayGoOn asked before each turn's end: whether a further one may follow */
	async run(first: Claimed, mayGoOn: () => boolean): Promise<void> {
		let claim: Claimed | undefined = first;
		for (let turns = 1; claim !== undefined; turns += 1) {
			claim = await this.#one(claim, () => turns < this.#parts.limits.batch && mayGoOn());
		}
	}

	/** Stops the turn that is running, and any to come. */
	abort(reason: CallboardError): void {
		this.#aborted = reason;
		this.#tenure?.abort(reason);
	}

	/** Something has arrived at the address. */
	look(): void {
		this.#tenure?.look();
	}

	async #one(claim: Claimed, mayGoOn: () => boolean): Promise<Claimed | undefined> {
		const { backend, clock, limits } = this.#parts;
		const { name, agent } = this.#door;
		const tenure = new Tenure(claim.lease, { backend, clock, leaseMs: limits.leaseMs, renewMs: limits.renewMs });
		this.#tenure = tenure;
		if (this.#aborted !== undefined) tenure.abort(this.#aborted);
		try {
			if (claim.deaths >= limits.deaths) throw deadly(claim.deaths);
			if (mayBeForeign(this.#parts, this.#door, claim)) throw foreign();
			const [parent, ...links] = claim.items.map(({ traceparent }) => traceparent);
			const span = { kind: "consumer", parent, links, facts: { door: name, agent: agent.name } } as const;
			return await traced("turn", span, (turn) => this.#turn(claim, tenure, mayGoOn, turn));
		} catch (error) {
			if (!tenure.stop.aborted) await this.#notes?.keep().catch(() => {});
			const turn = { address: this.#address, door: this.#door, claim, log: this.#log, stop: tenure.stop };
			await setBack(this.#parts, turn, error);
			return undefined;
		} finally {
			tenure.end();
		}
	}

	async #turn(claim: Claimed, tenure: Tenure, mayGoOn: () => boolean, span: Traced): Promise<Claimed | undefined> {
		const { backend, limits, clock, sender } = this.#parts;
		const { channel, agent } = this.#door;
		const began = clock.now();
		const outcome = await this.#run(claim, tenure);
		const { result, items, unread } = outcome;
		const settlement = settlementOf(result, {
			claim,
			items,
			channel,
			idleMs: agent.settings.idleMs,
			keep: limits.keep,
			now: clock.now(),
			traceparent: span.traceparent,
			...(unread.length > 0 && { unread: this.#noticeOf(unread) }),
		});
		const take = sender?.taking(this.#address, this.#door);
		const next = { ...(mayGoOn() && { claim: this.terms }), ...(take && { take }) };
		// Once it is written the lease is over, also when no answer came: from here on the store alone says who has it, and
		// whoever asks again asks the same, or nobody would send what it took.
		tenure.end();
		let askedAt = clock.now();
		const { claimed, taken } = await persist(clock, clock.now() + limits.sendMs, () => {
			tenure.stop.throwIfAborted();
			askedAt = clock.now();
			return backend.settle(claim.lease, settlement, next);
		}).catch((error) => {
			if (take !== undefined) sender?.tookNothing(this.#address, this.#door);
			throw error;
		});
		const { record, requests, parts } = result;
		span.tell({ call: record.id, turn: record.turns, requests, parts: parts.length });
		this.#told(claim, outcome, began);
		const sent = sender?.flush(this.#address, taken && { taken, askedAt });
		if (ends(record, claim) && settlement.outbox.length === 0) void this.#tellEnd(record.ended?.reason ?? "", sent);
		return claimed;
	}

	/** What a claim at this address is to hand out. */
	get terms(): ClaimTerms {
		const { leaseMs, items } = this.#parts.limits;
		return { leaseMs, window: this.#door.agent.settings.window, items };
	}

	async #run(claim: Claimed, tenure: Tenure): Promise<Outcome> {
		const { runTurn } = this.#parts;
		const { arrivals, longestWaitMs } = this.#door.agent.settings;
		const tells: (() => void)[] = [];
		const input = this.#input(claim, tenure, (tell) => tells.push(tell));
		const tell = () => {
			for (const each of tells) each();
		};
		if (arrivals === "interrupt" && claim.items[0]?.type === "message") {
			const turn = new Interruptible({
				input,
				runTurn,
				until: this.#parts.clock.now() + longestWaitMs,
				startedOver: (messages) => this.#startedOver(messages),
			});
			const from = () => claim.position + turn.items.length;
			tenure.watch({ from, items: this.#parts.limits.items, came: (items) => turn.came(items) });
			const result = await turn.run();
			return { result, items: turn.items, unread: [], tell };
		}
		const result = await tenure.stop.race(() => runTurn(input));
		const unread = arrivals === "drop" ? await this.#unread(claim, result) : [];
		return { result, items: claim.items, unread, tell };
	}

	#input(claim: Claimed, tenure: Tenure, onceCommitted: TurnInput["onceCommitted"]): TurnInput {
		const { backend, clock, newId = () => callIdOf(claim), limits, relay } = this.#parts;
		const { channel, agent, model, timeZone } = this.#door;
		const { stop } = tenure;
		const notes = new Notes(claim.journal.length, (position, entries) =>
			persist(clock, clock.now() + limits.leaseMs, () => {
				stop.throwIfAborted();
				return backend.journal(claim.lease, position, entries);
			}),
		);
		this.#notes = notes;
		return {
			agent,
			model,
			channel: { name: channel.name, transport: channel.transport },
			address: this.#address,
			record: claim.record,
			history: claim.history,
			items: claim.items,
			journal: inForce(claim.journal as readonly JournalEntry[]),
			note: async (entry) => {
				stop.throwIfAborted();
				await notes.note(entry);
			},
			show: (event) => {
				if (!stop.aborted) relay.show(this.#address, channel, event);
			},
			stop,
			clock,
			...(timeZone === undefined ? {} : { timeZone }),
			log: this.#log,
			newId,
			onceCommitted,
		};
	}

	/**
	 * Messages that came in while the turn ran, up to the first item that is none: that one must be handled, and what
	 * stands behind it waits. Nothing is left unread that a human may want to read.
	 */
	async #unread(claim: Claimed, { consumed, record }: TurnResult): Promise<readonly InboxItem[]> {
		if (consumed < claim.items.length || record.owner === "human") return [];
		const { backend, clock, limits } = this.#parts;
		const look = { from: claim.position + consumed, items: limits.inbox };
		const came = await persist(clock, clock.now() + limits.leaseMs, () =>
			backend.extend(claim.lease, limits.leaseMs, look),
		);
		const other = came.findIndex(({ type }) => type !== "message");
		return other === -1 ? came : came.slice(0, other);
	}

	#noticeOf(unread: readonly InboxItem[]): NonNullable<SettlementContext["unread"]> {
		const said = unread.some((item) => item.type === "message" && item.content.kind !== "open");
		return { messages: unread.length, ...(said && { say: this.#door.agent.settings.busy }) };
	}

	#startedOver(messages: number): void {
		this.#log.info("turn.started-over", { messages });
		this.#parts.facts.tell("turn.started-over", this.#address, { door: this.#door.name, messages });
	}

	#told(claim: Claimed, { result, items, unread, tell }: Outcome, began: number): void {
		const { facts, clock, relay } = this.#parts;
		const { name: door, agent, channel } = this.#door;
		const now = clock.now();
		const { record, usage, cost, requests, changes, parts } = result;
		const fields = { call: record.id, turn: record.turns, requests, usage, cost, parts: parts.length, ms: now - began };
		this.#log.debug("turn.committed", fields);
		if (record.owner !== (claim.record?.owner ?? "agent"))
			relay.show(this.#address, channel, { kind: "owner", owner: record.owner });
		const waitedMs = items.slice(0, result.consumed).map((item) => now - (cameAt(item) ?? now));
		facts.tell("turn.committed", this.#address, { door, agent: agent.name, ...fields, waitedMs, changes });
		for (const { name, data } of result.events) facts.tell(name, this.#address, { door, ...toFields(data) });
		for (const { id: message } of unread) {
			this.#log.warn("message.dropped", { message, arrivals: "drop" });
			facts.tell("message.dropped", this.#address, { door, message, claimed: claim.position });
		}
		tell();
	}

	async #tellEnd(reason: string, sent: Promise<void> | undefined): Promise<void> {
		await sent;
		this.#parts.relay.ended(this.#address, this.#door.channel, reason);
	}
}

/** When a message was accepted; for what nobody said there is no such time. */
function cameAt(item: InboxItem): number | undefined {
	return item.type === "message" ? item.acceptedAt : undefined;
}

function toFields(data: unknown): Record<string, unknown> {
	return typeof data === "object" && data !== null && !Array.isArray(data) ? { ...data } : { value: data };
}
