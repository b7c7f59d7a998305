import { setMaxListeners } from "node:events";
import type { AddressKey } from "../call/address.js";
import type { Delivery, SendResult } from "../channel/channel.js";
import { pause } from "../clock.js";
import { traced } from "../observe/trace.js";
import { Attempts } from "./attempts.js";
import type { OutboxRow, RowResult, Serving, Taken, TakeOptions } from "./backend.js";
import type { Door } from "./door.js";
import type { EngineParts } from "./engine-parts.js";
import { Gates } from "./gates.js";
import { persist } from "./persist.js";
import { chatPace } from "./rates.js";
import { RIGHT_MS, RowRights } from "./row-right.js";

/** How long a sender tries to write what became of a send while the store cannot be reached, ms. */
const MARK_MS = 10 * 60_000;
const FIRST_WAIT_MS = 250;

/** What was taken, and when it was asked for: the right to it is no younger than that. */
export interface Asked {
	taken: Taken;
	askedAt: number;
}

interface Flush {
	/** Rows may have come since it last looked. */
	again: boolean;
	/** Taken by whoever called, and not dealt with yet. */
	given: Asked | undefined;
	done: Promise<void>;
}

/** A chat that must be left alone for so long is worth a warning, ms. */
const LONG_MS = 60_000;

/** A row is no longer sent so shortly before the right to it ends, ms: it could arrive when another sends it too. */
const LATE_MS = 500;

const heldUp: SendResult = {
	outcome: "retry",
	afterMs: 0,
	scope: "chat",
	reason: "its process was held up before it could be sent",
};

/**
 * Sends what waits in the outboxes: one row after the other in each address, marked before it goes out and after, and no
 * faster than its platform takes it. What does not arrive is logged and told; what may or may not have arrived is never
 * sent again blindly.
 */
export class Sender {
	readonly #options: EngineParts;
	readonly #running = new Map<AddressKey, Flush>();
	readonly #attempts: Attempts;
	readonly #rights: RowRights;
	readonly #gates: Gates;
	/** How rows are taken where any pace will do. */
	readonly #terms: TakeOptions;
	#serving: Serving | undefined;
	readonly #stopped = new AbortController();
	/** The grace of a stop is over: what cannot be written now is left to another process. */
	#givenUp = false;

	constructor(options: EngineParts) {
		this.#options = options;
		const { backend, clock, log, limits, owner } = options;
		this.#attempts = new Attempts({ clock, log, sendMs: limits.sendMs });
		this.#rights = new RowRights(options);
		this.#gates = new Gates({ backend, owner, clock, log, go: (address) => void this.flush(address) });
		this.#terms = { owner, leaseMs: RIGHT_MS };
		setMaxListeners(0, this.#stopped.signal);
	}

	start(): void {
		const { backend, limits, doors } = this.#options;
		for (const door of doors) this.#gates.limit(door);
		this.#serving = backend.serve("sends", limits.sends, (address) => this.#woken(address));
	}

	/** Who waits for its turn here is not woken again and again meanwhile. */
	async #woken(address: AddressKey): Promise<void> {
		await this.flush(address);
		const { backend, doors } = this.#options;
		const door = doors.of(address);
		const turn = door && this.#gates.of(door)?.turnOf(address);
		if (turn !== undefined) await backend.postpone?.(address, Math.round(turn)).catch(() => {});
	}

	/** Sends nothing new, and waits for what is being sent; what has no answer when `graceMs` is over is `ambiguous`. */
	async stop(graceMs: number): Promise<void> {
		this.#stopped.abort();
		this.#gates.stop();
		const giveUp = () => {
			this.#givenUp = true;
			this.#attempts.giveUp(new Error("the process is stopping"));
		};
		const stop = this.#options.clock.after(graceMs, giveUp);
		if (graceMs <= 0) giveUp();
		await Promise.all([this.#serving?.stop(graceMs), ...[...this.#running.values()].map(({ done }) => done)]);
		stop();
		this.#rights.stop();
		this.#attempts.stop();
	}

	/** How many addresses are being sent to. */
	get running(): number {
		return this.#running.size;
	}

	/** Resolves when what is being sent to an address by now has left, or was put off. */
	async sent(address: AddressKey): Promise<void> {
		await this.#running.get(address)?.done;
	}

	/** How to take the first row of an address along the way, to be handed to `flush`; undefined when it must not go now. */
	taking(address: AddressKey, door: Door): TakeOptions | undefined {
		if (this.#serving === undefined || this.#stopped.signal.aborted || this.#running.has(address)) return undefined;
		return this.#mayTake(address, door) ? this.#termsOf(address, door) : undefined;
	}

	/** What was to be taken along the way was not. */
	tookNothing(address: AddressKey, door: Door): void {
		this.#gates.of(door)?.leave(address);
	}

	/** Sends what waits at an address now, first what was taken on its behalf. Never rejects. */
	flush(address: AddressKey, given?: Asked): Promise<void> {
		const running = this.#running.get(address);
		if (running !== undefined) {
			running.again = true;
			running.given ??= given;
			return running.done;
		}
		const flush: Flush = { again: false, given, done: Promise.resolve() };
		this.#running.set(address, flush);
		flush.done = this.#flush(address, flush);
		return flush.done;
	}

	async #flush(address: AddressKey, flush: Flush): Promise<void> {
		const { log, doors } = this.#options;
		const door = doors.of(address);
		try {
			if (door !== undefined) await this.#drain(address, door, flush);
		} catch (error) {
			log.error("sender.failed", { address, error });
			if (door !== undefined) this.tookNothing(address, door);
		} finally {
			this.#over(address, flush);
			this.#options.pulse.beat();
		}
	}

	/** What comes for the address from now on needs a flush of its own. */
	#over(address: AddressKey, flush: Flush): void {
		if (this.#running.get(address) === flush) this.#running.delete(address);
	}

	async #drain(address: AddressKey, door: Door, flush: Flush): Promise<void> {
		let next: Asked | undefined;
		for (;;) {
			next ??= await this.#next(address, door, flush);
			if (next === undefined) return this.#over(address, flush);
			const { taken, askedAt } = next;
			if (taken.outcome !== "row") this.#gates.of(door)?.leave(address);
			if (taken.outcome === "empty" || taken.outcome === "busy" || taken.outcome === "later") {
				if (!flush.again && flush.given === undefined) return this.#over(address, flush);
				next = undefined;
			} else {
				next = await this.#rights.during(address, () => this.#deal(address, door, taken, askedAt));
			}
		}
	}

	/** What was handed over, or else the first row. Undefined when nothing may be sent now. */
	async #next(address: AddressKey, door: Door, flush: Flush): Promise<Asked | undefined> {
		const { given } = flush;
		flush.given = undefined;
		if (given !== undefined) return given;
		flush.again = false;
		if (this.#stopped.signal.aborted || !this.#mayTake(address, door)) return undefined;
		const askedAt = this.#options.clock.now();
		return { taken: await this.#options.backend.take(address, this.#termsOf(address, door)), askedAt };
	}

	/** Does what a taken row needs. Resolves to the row behind it, or to undefined when nobody has looked yet. */
	async #deal(
		address: AddressKey,
		door: Door,
		taken: Extract<Taken, { row: OutboxRow }>,
		askedAt: number,
	): Promise<Asked | undefined> {
		const { row } = taken;
		switch (taken.outcome) {
			case "discarded":
				this.#tell(address, door, row, { status: "discarded", reason: taken.reason });
				return undefined;
			case "unknown": {
				const result = await this.#found(address, door, row, taken.since);
				if (result === undefined) return undefined;
				return this.#mark(address, door, row, this.#judge(door, result, 1));
			}
			case "row": {
				// A process that stood still may find that another has looked the row up meanwhile, and sends it.
				const late = this.#options.clock.now() - askedAt > RIGHT_MS - LATE_MS;
				const gate = this.#gates.of(door);
				if (late) gate?.leave(address);
				else gate?.begin(address);
				const result = late ? heldUp : await this.#send(address, door, row, taken.attempt);
				if (result.outcome === "failed" && result.unreachable)
					this.#options.facts.tell("contact.unreachable", address, { door: door.name, reason: result.reason });
				return this.#mark(address, door, row, this.#judge(door, result, taken.attempt));
			}
		}
	}

	#termsOf(address: AddressKey, { channel }: Door): TakeOptions {
		const pace = chatPace(channel, address);
		return pace === undefined ? this.#terms : { ...this.#terms, pace };
	}

	/** Whether the next row of an address may go now. If not, the address is looked at again when its turn has come. */
	#mayTake(address: AddressKey, door: Door): boolean {
		return this.#gates.of(door)?.enter(address) ?? true;
	}

	#send(address: AddressKey, door: Door, row: OutboxRow, attempt: number): Promise<SendResult> {
		const facts = { door: door.name, channel: door.channel.name, row: row.id, by: row.by, attempt };
		return traced("deliver", { kind: "client", parent: row.traceparent, facts }, async (span) => {
			const first = await this.#attempt(address, row, (delivery) => door.channel.send(row.payload, delivery));
			const result = first.outcome === "ambiguous" ? await this.#reconcile(address, door, row, first.reason) : first;
			span.tell({ outcome: result.outcome });
			if (result.outcome !== "sent") span.failed(result.outcome);
			return result;
		});
	}

	/**
	 * What became of a row whose sender is gone. It may also stand still, and go on: what is not there yet is not sent again
	 * before a send that was under way must be over, where another process can be at it; whoever else waited for that has
	 * not waited in vain. Undefined when there is no time left to find out.
	 */
	async #found(address: AddressKey, door: Door, row: OutboxRow, since: number): Promise<SendResult | undefined> {
		const { backend, clock, limits } = this.#options;
		const reason = "its sender died while sending it";
		const result = await this.#reconcile(address, door, row, reason);
		if (result.outcome !== "retry" || backend.hold === undefined) return result;
		const waited = await pause(clock, Math.max(0, since + limits.sendMs - clock.now()), this.#stopped.signal).then(
			() => true,
			() => false,
		);
		return waited ? this.#reconcile(address, door, row, reason) : undefined;
	}

	async #reconcile(address: AddressKey, { channel }: Door, row: OutboxRow, reason: string): Promise<SendResult> {
		if (channel.capabilities.ambiguous !== "reconcile" || channel.reconcile === undefined)
			return { outcome: "ambiguous", reason };
		const found = await this.#attempt(
			address,
			row,
			async (delivery) => (await channel.reconcile?.(row.payload, delivery)) ?? { outcome: "ambiguous", reason },
		);
		return found.outcome === "ambiguous" ? { outcome: "ambiguous", reason } : found;
	}

	#attempt(address: AddressKey, { id, answers }: OutboxRow, ask: (delivery: Delivery) => Promise<SendResult>) {
		return this.#attempts.ask({ address, key: id, ...(answers === undefined ? {} : { answers }) }, ask);
	}

	#judge(door: Door, result: SendResult, attempt: number): RowResult {
		const { limits, clock } = this.#options;
		switch (result.outcome) {
			case "sent":
				return { status: "sent", platformId: result.id };
			case "failed":
				return {
					status: "failed",
					reason: result.reason,
					...(result.unreachable && { unreachable: result.unreachable }),
				};
			case "ambiguous":
				return { status: "ambiguous", reason: result.reason };
			case "retry": {
				if (attempt >= limits.attempts)
					return { status: "failed", reason: `given up after ${attempt} tries: ${result.reason}` };
				const at = clock.now() + Math.max(result.afterMs, FIRST_WAIT_MS * 2 ** (attempt - 1));
				if (result.scope === "door") this.#gates.close(door, at);
				return { status: "retry", at, reason: result.reason };
			}
		}
	}

	/** However long the store is away: what became of the row is known here alone. */
	async #mark(address: AddressKey, door: Door, row: OutboxRow, result: RowResult): Promise<Asked | undefined> {
		const { backend, clock, owner } = this.#options;
		const goesOn = !this.#stopped.signal.aborted && this.#mayTake(address, door);
		const next = goesOn ? this.#termsOf(address, door) : undefined;
		const until = clock.now() + MARK_MS;
		let askedAt = clock.now();
		const taken = await persist(
			clock,
			() => (this.#givenUp ? 0 : until),
			() => {
				askedAt = clock.now();
				return backend.mark(address, owner, row.id, result, next);
			},
		);
		this.#tell(address, door, row, result);
		return taken && { taken, askedAt };
	}

	#tell(
		address: AddressKey,
		door: Door,
		row: OutboxRow,
		result: RowResult | { status: "discarded"; reason: string },
	): void {
		const { facts, log, relay } = this.#options;
		if (result.status === "sent") relay.said(address, door.channel, row);
		if (result.status !== "retry" && row.ends !== undefined) relay.ended(address, door.channel, row.ends);
		const fields = { door: door.name, address, row: row.id, turn: row.turn };
		if (result.status === "sent") {
			facts.tell("delivery.sent", address, { ...fields, platformId: result.platformId });
			return;
		}
		const data = { ...fields, status: result.status, reason: result.reason };
		if (result.status === "retry") {
			const isLong = result.at - this.#options.clock.now() >= LONG_MS;
			log[isLong ? "warn" : "info"]("delivery.retry", { ...data, at: result.at });
			facts.tell("delivery.retry", address, { ...data, at: result.at });
			return;
		}
		log.warn("delivery.failed", data);
		facts.tell("delivery.failed", address, data);
	}
}
