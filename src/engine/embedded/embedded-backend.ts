import type { AddressKey } from "../../call/address.js";
import type { Content, InboxItem } from "../../call/message.js";
import type { Accepted } from "../../channel/channel.js";
import type { Clock } from "../../clock.js";
import { CallboardError } from "../../errors.js";
import type { Log } from "../../observe/log.js";
import type {
	AcceptLimits,
	AddressView,
	Amended,
	Amendment,
	Backend,
	Claim,
	Claimed,
	ClaimOptions,
	JournalRow,
	Lease,
	Next,
	RowResult,
	Serving,
	Settled,
	Settlement,
	Taken,
	TakeOptions,
	Work,
} from "../backend.js";
import type { News } from "../news.js";
import { dueOf, loadHead, Step } from "./address-state.js";
import { Dispatcher } from "./dispatcher.js";
import { unavailable } from "./group-commit.js";
import * as inbox from "./inbox.js";
import { lastWord, under } from "./keys.js";
import * as next from "./next.js";
import * as outbox from "./outbox.js";
import type { Reading, Store } from "./store.js";
import * as turns from "./turns.js";
import * as views from "./views.js";

export interface EmbeddedOptions {
	clock: Clock;
	log: Log;
	/** How long an ended call can still be looked at, ms. Default 30 days. */
	keepEndedMs?: number;
}

const KEEP_ENDED_MS = 30 * 24 * 3_600_000;
const TIMERS_AT_ONCE = 100;
/** Longest wait given to a clock at once: what Node's timers can hold. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** The backend of one process. The operations are here; where they are kept is the store's business. */
export class EmbeddedBackend implements Backend {
	readonly #store: Store;
	readonly #clock: Clock;
	readonly #log: Log;
	readonly #keepEndedMs: number;
	#dispatchers: Record<Work, Dispatcher>;
	readonly #listeners = new Set<(news: News) => void>();
	#open = false;
	#timer: { at: number; stop: () => void } | undefined;

	constructor(
		readonly name: string,
		store: Store,
		{ clock, log, keepEndedMs = KEEP_ENDED_MS }: EmbeddedOptions,
	) {
		this.#store = store;
		this.#clock = clock;
		this.#log = log;
		this.#keepEndedMs = keepEndedMs;
		this.#dispatchers = { turns: new Dispatcher(clock), sends: new Dispatcher(clock) };
	}

	async open(): Promise<void> {
		if (this.#open) return;
		await this.#store.open();
		this.#open = true;
		this.#dispatchers = { turns: new Dispatcher(this.#clock), sends: new Dispatcher(this.#clock) };
		await this.#write((step) => forgetTheDead(step));
		this.#armTimer(0);
	}

	async close(): Promise<void> {
		if (!this.#open) return;
		this.#open = false;
		this.#timer?.stop();
		this.#timer = undefined;
		this.#dispatchers.turns.close();
		this.#dispatchers.sends.close();
		await this.#store.close();
	}

	accept(item: InboxItem, limits: AcceptLimits, claim?: ClaimOptions): Promise<Accepted & { claimed?: Claimed }> {
		return this.#write((step) =>
			claim === undefined ? inbox.accept(step, item, limits) : next.acceptAndClaim(step, item, limits, claim),
		);
	}

	revise(address: AddressKey, message: string, content: Content, earlyMs = 0): Promise<boolean> {
		return this.#write((step) => inbox.revise(step, address, { message, content, earlyMs }));
	}

	reach(address: AddressKey, unreachable: string | undefined): Promise<void> {
		return this.#write((step) => inbox.reach(step, address, unreachable));
	}

	claim(address: AddressKey, options: ClaimOptions): Promise<Claim> {
		return this.#write((step) => turns.claim(step, address, options));
	}

	extend(lease: Lease, leaseMs: number, look?: { from: number; items: number }): Promise<readonly InboxItem[]> {
		return this.#write((step) => turns.extend(step, lease, leaseMs, look));
	}

	journal(lease: Lease, position: number, rows: readonly JournalRow[]): Promise<void> {
		return this.#write((step) => turns.journal(step, lease, position, rows));
	}

	settle(lease: Lease, settlement: Settlement, then: Next = {}): Promise<Settled> {
		return this.#write((step) => next.settle(step, lease, settlement, this.#keepEndedMs, then));
	}

	release(lease: Lease, options: { retryAt?: number; failure?: string }): Promise<void> {
		return this.#write((step) => turns.release(step, lease, options));
	}

	park(lease: Lease, reason: string): Promise<void> {
		return this.#write((step) => turns.park(step, lease, reason));
	}

	unpark(address: AddressKey): Promise<void> {
		return this.#write((step) => turns.unpark(step, address));
	}

	take(address: AddressKey, options: TakeOptions): Promise<Taken> {
		return this.#write((step) => outbox.take(step, address, options));
	}

	keep(address: AddressKey, options: TakeOptions): Promise<boolean> {
		return this.#write((step) => outbox.keep(step, address, options));
	}

	mark(
		address: AddressKey,
		owner: string,
		row: string,
		result: RowResult,
		then?: Omit<TakeOptions, "owner">,
	): Promise<Taken | undefined> {
		return this.#write((step) => next.mark(step, address, owner, row, result, then));
	}

	amend(address: AddressKey, change: Amendment): Promise<Amended> {
		return this.#write((step) => outbox.amend(step, address, change));
	}

	resend(address: AddressKey, row: string, as: string): Promise<boolean> {
		return this.#write((step) => outbox.resend(step, address, row, as));
	}

	async view(address: AddressKey, options: { history: number }): Promise<AddressView> {
		return this.#read((tx) => views.view(tx, address, options, this.#clock.now()));
	}

	async list(options: views.ListOptions): Promise<readonly AddressKey[]> {
		return this.#read((tx) => views.list(tx, options));
	}

	publish(news: News): void {
		for (const hear of [...this.#listeners]) queueMicrotask(() => hear(news));
	}

	async listen(hear: (news: News) => void): Promise<() => void> {
		const own = (news: News) => hear(news);
		this.#listeners.add(own);
		return () => this.#listeners.delete(own);
	}

	serve(work: Work, concurrency: number, run: (address: AddressKey) => Promise<void>): Serving {
		const dispatcher = this.#dispatchers[work];
		const addresses = this.#read((tx) =>
			tx.range(under(work)).map(({ key }) => ({ address: lastWord(key), head: loadHead(tx, lastWord(key), 0) })),
		);
		for (const { address, head } of addresses) dispatcher.set(address, dueOf(head)[work]);
		return dispatcher.serve(concurrency, run);
	}

	async #write<T>(operation: (step: Step) => T): Promise<T> {
		if (!this.#open) throw unavailable(`the ${this.name} backend is not open`);
		try {
			const now = this.#clock.now();
			const { step, value } = await this.#store.write((tx) => {
				const begun = new Step(tx, now);
				return { step: begun, value: operation(begun) };
			});
			this.#wake(step);
			return value;
		} catch (error) {
			throw error instanceof CallboardError ? error : unavailable("the store cannot be written", error);
		}
	}

	#read<T>(operation: (tx: Reading) => T): T {
		if (!this.#open) throw unavailable(`the ${this.name} backend is not open`);
		try {
			return this.#store.read(operation);
		} catch (error) {
			throw error instanceof CallboardError ? error : unavailable("the store cannot be read", error);
		}
	}

	#wake(step: Step): void {
		if (!this.#open) return;
		for (const [address, due] of step.due) {
			this.#dispatchers.turns.set(address, due.turns);
			this.#dispatchers.sends.set(address, due.sends);
		}
		if (step.timerAt < (this.#timer?.at ?? Number.POSITIVE_INFINITY)) this.#armTimer(step.timerAt);
	}

	/** @param at earliest time at which a timer may be due */
	#armTimer(at: number): void {
		this.#timer?.stop();
		const wait = Math.min(LONGEST_WAIT_MS, Math.max(0, at - this.#clock.now()));
		this.#timer = { at, stop: this.#clock.after(wait, () => void this.#fireTimers()) };
	}

	async #fireTimers(): Promise<void> {
		this.#timer = undefined;
		try {
			await this.#write((step) => inbox.fireTimers(step, TIMERS_AT_ONCE));
			const next = this.#read((tx) => tx.range<unknown>({ ...under("due"), limit: 1 }))[0];
			if (next !== undefined && this.#timer === undefined) this.#armTimer(Number(next.key.split(" ")[1]));
		} catch (error) {
			if (!this.#open) return;
			this.#log.error("timers.failed", { error });
			this.#armTimer(this.#clock.now() + 1_000);
		}
	}
}

/** One process at a time: whoever held a lease before this one opened the store is gone. */
function forgetTheDead(step: Step): void {
	const addresses = new Set(
		["turns", "sends"].flatMap((index) => step.tx.range(under(index)).map(({ key }) => lastWord(key))),
	);
	for (const address of addresses) {
		const { lease, sender: _sender, ...head } = step.load(address);
		const died = lease !== undefined && { deaths: (head.deaths ?? 0) + 1 };
		step.save(address, { ...head, ...died, inbox: { ...head.inbox, claimed: head.inbox.from } });
	}
}
