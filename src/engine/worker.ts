import type { AddressKey } from "../call/address.js";
import type { InboxItem } from "../call/message.js";
import type { LiveEvent } from "../channel/channel.js";
import type { Clock } from "../clock.js";
import { CallboardError } from "../errors.js";
import type { Log } from "../observe/log.js";
import { type Traced, traced } from "../observe/trace.js";
import type { JournalEntry } from "../turn/journal.js";
import type { TurnInput, TurnResult } from "../turn/turn.js";
import type { Backend, Claim, OutboxRow, Serving } from "./backend.js";
import type { Door, Doors } from "./door.js";
import type { Facts } from "./facts.js";
import type { EngineLimits } from "./limits.js";
import { isUnavailable, persist } from "./persist.js";
import type { Pulse } from "./pulse.js";
import type { Sender } from "./sender.js";
import { settlementOf } from "./settlement.js";
import { Tenure } from "./tenure.js";

/** One turn, nothing stored: see `turn/run-turn.ts`. */
export type RunTurn = (input: TurnInput) => Promise<TurnResult>;

export interface WorkerOptions {
	backend: Backend;
	doors: Doors;
	sender: Sender;
	runTurn: RunTurn;
	/** Unique among all processes. */
	owner: string;
	limits: EngineLimits;
	clock: Clock;
	log: Log;
	facts: Facts;
	/** Beats whenever something has been done. */
	pulse: Pulse;
	/** Makes the id of a new call. */
	newId(): string;
}

type Claimed = Extract<Claim, { outcome: "claimed" }>;

interface Run {
	address: AddressKey;
	door: Door;
	claim: Claimed;
	tenure: Tenure;
	log: Log;
}

/**
 * Advances calls: claims an address that has something waiting, runs one turn, writes all it decided in one step and
 * lets the sender go. A turn that fails is tried again, and set aside after too many times; one whose address was lost
 * writes nothing.
 */
export class Worker {
	readonly #options: WorkerOptions;
	readonly #tenures = new Set<Tenure>();
	readonly #running = new Set<Promise<void>>();
	#serving: Serving | undefined;

	constructor(options: WorkerOptions) {
		this.#options = options;
	}

	start(): void {
		const { backend, limits } = this.#options;
		this.#serving = backend.serve("turns", limits.turns, (address) => this.#tracked(address));
	}

	/** Takes no new turn; what still runs when `graceMs` is over is handed back, with what it already did on record. */
	async stop(graceMs: number): Promise<void> {
		await this.#serving?.stop(graceMs);
		for (const tenure of this.#tenures) tenure.abort(stopping());
		await Promise.all(this.#running);
	}

	/** How many turns are running. */
	get running(): number {
		return this.#running.size;
	}

	async #tracked(address: AddressKey): Promise<void> {
		const run = this.#advance(address).catch((error) => this.#options.log.error("worker.failed", { address, error }));
		this.#running.add(run);
		try {
			await run;
		} finally {
			this.#running.delete(run);
			this.#options.pulse.beat();
		}
	}

	async #advance(address: AddressKey): Promise<void> {
		const { backend, doors, limits, owner, clock, log } = this.#options;
		const door = doors.of(address);
		if (door === undefined) return;
		const { window } = door.agent.settings;
		const claim = await backend.claim(address, { owner, leaseMs: limits.leaseMs, window, items: limits.items });
		if (claim.outcome !== "claimed") return;
		const tenure = new Tenure(backend, claim.lease, clock, limits);
		this.#tenures.add(tenure);
		const run: Run = {
			address,
			door,
			claim,
			tenure,
			log: log.with({ address, door: door.name, agent: door.agent.name }),
		};
		try {
			const [parent, ...links] = claim.items.map(({ traceparent }) => traceparent);
			const span = { kind: "consumer", parent, links, facts: { door: door.name, agent: door.agent.name } } as const;
			await traced("turn", span, (turn) => this.#turn(run, turn));
		} catch (error) {
			await this.#failed(run, error);
		} finally {
			tenure.end();
			this.#tenures.delete(tenure);
		}
	}

	async #turn(run: Run, span: Traced): Promise<void> {
		const { backend, limits, clock, sender } = this.#options;
		const { address, door, claim, tenure } = run;
		const { channel, agent } = door;
		const began = clock.now();
		const result = await stoppable(tenure.signal, this.#options.runTurn(this.#input(run)));
		const settlement = settlementOf(result, {
			claim,
			channel,
			idleMs: agent.settings.idleMs,
			keep: limits.keep,
			now: clock.now(),
			traceparent: span.traceparent,
		});
		await persist(clock, clock.now() + limits.leaseMs, () => {
			tenure.signal.throwIfAborted();
			return backend.settle(claim.lease, settlement);
		});
		tenure.end();
		const { ended } = result.record;
		const over = ended !== undefined && (settlement.fresh || claim.record?.ended === undefined);
		if (over) sender.endOnceSent(address, ended.reason);
		const { record, requests, parts } = result;
		span.tell({ call: record.id, turn: record.turns, requests, parts: parts.length });
		this.#told(run, result, began);
		void sender.flush(address);
	}

	#input({ address, door, claim, tenure, log }: Run): TurnInput {
		const { backend, clock, newId } = this.#options;
		const { channel, agent, model, timeZone } = door;
		let position = claim.journal.length;
		return {
			agent,
			model,
			channel: { name: channel.name, transport: channel.transport },
			address,
			record: claim.record,
			history: claim.history,
			items: claim.items,
			journal: claim.journal as readonly JournalEntry[],
			note: async (entry) => {
				tenure.signal.throwIfAborted();
				const at = position;
				position += 1;
				await backend.journal(claim.lease, at, [entry]);
			},
			show: (event) => this.#show(address, door, tenure, event),
			signal: tenure.signal,
			clock,
			...(timeZone === undefined ? {} : { timeZone }),
			log,
			newId,
		};
	}

	#show(address: AddressKey, { channel }: Door, { signal }: Tenure, event: LiveEvent): void {
		if (signal.aborted) return;
		try {
			channel.show?.(address, event);
		} catch (error) {
			this.#options.log.error("channel.threw", { channel: channel.name, address, error });
		}
	}

	#told({ address, door, claim, log }: Run, result: TurnResult, began: number): void {
		const { facts, clock } = this.#options;
		const now = clock.now();
		const { record, usage, cost, requests, changes, parts } = result;
		const fields = { call: record.id, turn: record.turns, requests, usage, cost, parts: parts.length, ms: now - began };
		log.debug("turn.committed", fields);
		const waitedMs = claim.items.slice(0, result.consumed).map((item) => now - (cameAt(item) ?? now));
		facts.tell("turn.committed", address, { door: door.name, agent: door.agent.name, ...fields, waitedMs, changes });
		for (const { name, data } of result.events) facts.tell(name, address, { door: door.name, ...toFields(data) });
	}

	async #failed(run: Run, error: unknown): Promise<void> {
		const { backend, facts } = this.#options;
		const { address, door, claim, tenure, log } = run;
		try {
			if (error instanceof CallboardError && error.fault === "lease") {
				log.warn("lease.lost", { error });
				return facts.tell("turn.fenced", address, { door: door.name });
			}
			if (isStopping(error)) {
				log.info("turn.handed-on");
				facts.tell("turn.handed-on", address, { door: door.name });
				return await backend.release(claim.lease, {});
			}
			if (isUnavailable(error)) {
				log.error("backend.unavailable", { error });
				return await backend.release(claim.lease, {
					retryAt: this.#options.clock.now() + this.#options.limits.firstRetryMs,
				});
			}
			await this.#countFailure(run, error);
		} catch (failure) {
			if (!tenure.signal.aborted) log.error("release.failed", { error: failure });
		}
	}

	async #countFailure(run: Run, error: unknown): Promise<void> {
		const { backend, limits, clock, facts } = this.#options;
		const { address, claim, log, door } = run;
		const failures = claim.failures + 1;
		const reason = reasonOf(error);
		log.error("turn.failed", { failures, error });
		facts.tell("turn.failed", address, { door: door.name, failures, reason });
		if (failures < limits.failures) {
			const wait = Math.min(limits.longestRetryMs, limits.firstRetryMs * 2 ** claim.failures);
			return backend.release(claim.lease, { retryAt: clock.now() + wait, failure: reason });
		}
		await this.#apologise(run);
		await backend.park(claim.lease, reason);
		log.error("call.parked", { reason });
		facts.tell("call.parked", address, { door: door.name, reason });
		void this.#options.sender.flush(address);
	}

	/** Says once, by code, that it did not work; not when a human has the call. */
	async #apologise({ address, door, claim }: Run): Promise<void> {
		const { backend, clock } = this.#options;
		const { record, position } = claim;
		if (record?.owner === "human") return;
		const part = { kind: "text", text: door.agent.settings.apology } as const;
		const turn = `parked.${position}`;
		const epoch = record?.epoch ?? 0;
		const say = door.channel
			.render(part)
			.map((payload, index): OutboxRow => ({ id: `${turn}.1.${index}`, payload, by: "code", epoch, turn }));
		const open = record !== undefined && record.ended === undefined;
		const row = { role: "said", id: `${turn}.1`, part, by: "code", at: clock.now() } as const;
		await backend.amend(address, { say, ...(open ? { append: [row] } : {}) });
	}
}

/** When a message was accepted; for what nobody said there is no such time. */
function cameAt(item: InboxItem): number | undefined {
	return item.type === "message" ? item.acceptedAt : undefined;
}

function stopping(): CallboardError {
	return new CallboardError("WORKER_STOPPING", "operator", "this process is stopping and hands its turns on");
}

function isStopping(error: unknown): boolean {
	return error instanceof CallboardError && error.code === "WORKER_STOPPING";
}

/** Why a turn failed, without what anybody said: a thrown error's own words may quote them. */
function reasonOf(error: unknown): string {
	if (error instanceof CallboardError) return error.explain();
	return error instanceof Error
		? `${error.name} in the turn; the log has its text`
		: "the turn threw something that is no error";
}

/** The turn, or the reason for which it was stopped, whichever comes first. */
function stoppable<T>(signal: AbortSignal, turn: Promise<T>): Promise<T> {
	return new Promise((resolve, reject) => {
		const stop = () => reject(signal.reason);
		if (signal.aborted) stop();
		signal.addEventListener("abort", stop, { once: true });
		turn
			.then(resolve, (error) => reject(signal.aborted ? signal.reason : error))
			.finally(() => signal.removeEventListener("abort", stop));
	});
}

function toFields(data: unknown): Record<string, unknown> {
	return typeof data === "object" && data !== null && !Array.isArray(data) ? { ...data } : { value: data };
}
