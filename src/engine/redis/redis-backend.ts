import type { AddressKey } from "../../call/address.js";
import type { Content, InboxItem } from "../../call/message.js";
import type { Accepted } from "../../channel/channel.js";
import { CallboardError } from "../../errors.js";
import {
	type AcceptLimits,
	type AddressView,
	type Amended,
	type Amendment,
	type Backend,
	type Claim,
	type Claimed,
	type ClaimOptions,
	type ClaimTerms,
	GATHER_MS,
	type JournalRow,
	type Lease,
	type Next,
	type RowResult,
	type Serving,
	type Settled,
	type Settlement,
	type Taken,
	type TakeOptions,
	type Work,
} from "../backend.js";
import { badJournal } from "../bad-journal.js";
import type { News } from "../news.js";
import type { Shared, ShareTerms } from "../share-terms.js";
import { Caller } from "./caller.js";
import { Partitions } from "./partition.js";
import { type KnownCall, Remembered } from "./remembered.js";
import {
	type HandedOut,
	readClaimed,
	readTaken,
	readView,
	type TakenReply,
	type ViewReply,
	writeRecord,
} from "./replies.js";
import { reviseWaiting } from "./revise-waiting.js";
import { idText, paceText, readItem, spokenId, writeHistory, writeItem, writeOutbox } from "./rows.js";
import { accept } from "./scripts/accept.js";
import { amend } from "./scripts/amend.js";
import { claim } from "./scripts/claim.js";
import { extend } from "./scripts/extend.js";
import { journal } from "./scripts/journal.js";
import { keep } from "./scripts/keep.js";
import { mark } from "./scripts/mark.js";
import { park } from "./scripts/park.js";
import { postpone } from "./scripts/postpone.js";
import { reach } from "./scripts/reach.js";
import { release } from "./scripts/release.js";
import { resend } from "./scripts/resend.js";
import { hold, letGo } from "./scripts/right.js";
import { settle } from "./scripts/settle.js";
import { share } from "./scripts/share.js";
import { take } from "./scripts/take.js";
import { unpark } from "./scripts/unpark.js";
import { list, view } from "./scripts/view.js";
import type { Session, SessionOptions } from "./session.js";
import { numbers, settleArguments } from "./settle-arguments.js";
import { notOpen } from "./unavailable.js";

export interface RedisBackendOptions extends SessionOptions {
	partitions: number;
	keepEndedMs: number;
}

const LISTS = { waiting: "t", outbox: "s", parked: "q", marked: "k" } as const;

/**
 * The backend of many processes, on a Redis or a Redis Cluster. Each operation is one script, safe to be sent again. The
 * clients are loaded when it is opened: whoever keeps calls elsewhere does not wait for them.
 */
export class RedisBackend implements Backend {
	readonly name = "redis";
	readonly #options: RedisBackendOptions;
	readonly #partitions: Partitions;
	readonly #call: Caller;
	readonly #remembered = new Remembered();
	#session: Session | undefined;

	constructor(options: RedisBackendOptions) {
		this.#options = options;
		this.#partitions = new Partitions(options.prefix, options.partitions);
		this.#call = new Caller(() => this.#open().connection, this.#partitions);
	}

	async open(): Promise<void> {
		if (this.#session !== undefined) return;
		const { Session } = await import("./session.js");
		this.#session = await Session.open(this.#options, this.#partitions);
	}

	async close(): Promise<void> {
		const session = this.#session;
		this.#session = undefined;
		await session?.close();
	}

	/** Queues of the wake-ups; none while the backend is closed. */
	get queues(): readonly unknown[] {
		return Object.values(this.#session?.wakeUps.queues ?? {});
	}

	get swept(): number {
		return this.#session?.sweeper.lost ?? 0;
	}

	/** Resolves when no operation, sweep or wake-up is under way in this process. */
	async idle(): Promise<void> {
		await this.#session?.idle();
	}

	async accept(item: InboxItem, limits: AcceptLimits, claim?: ClaimOptions): Promise<Accepted & { claimed?: Claimed }> {
		const { address } = item;
		const { leaseMs = 0, window = 0, items = 0, owner = "" } = claim ?? {};
		const known = claim && this.#remembered.settled(address, window);
		const gathers = item.type === "message" ? (item.gathersMs ?? 0) : -1;
		const { inbox, dedupeMs, gatherMs = GATHER_MS } = limits;
		const [outcome, wake, handed, putOff] = (await this.#call.run(accept, address, [
			numbers(inbox, dedupeMs, leaseMs, window, items, gathers, gatherMs),
			writeItem(item),
			owner,
			this.#call.operation(),
			known?.name ?? "",
			idText(item.id),
			...(item.keys ?? []).map(idText),
		])) as [Accepted["outcome"], number, HandedOut | null, (number | null)?];
		if (wake === 1) this.#wake("turns", address);
		if (putOff) this.#lookBy(putOff);
		if (handed === null || claim === undefined) return { outcome };
		return { outcome, claimed: this.#claimed(handed, { address, owner: claim.owner }, claim, known) };
	}

	async claim(address: AddressKey, options: ClaimOptions): Promise<Claim> {
		const known = this.#remembered.settled(address, options.window);
		const args = [...terms4(options), known?.name ?? ""];
		const reply = (await this.#call.named(claim, address, args)) as
			| ["claimed", HandedOut]
			| ["busy" | "parked", string]
			| ["idle"];
		switch (reply[0]) {
			case "claimed":
				return this.#claimed(reply[1], { address, owner: options.owner }, options, known);
			case "busy":
				return { outcome: "busy", until: Number(reply[1]) };
			case "parked":
				return { outcome: "parked", reason: reply[1] };
			case "idle":
				return { outcome: "idle" };
		}
	}

	async extend(lease: Lease, leaseMs: number, look?: { from: number; items: number }): Promise<readonly InboxItem[]> {
		const args = [leaseMs, look?.from ?? "", look?.items ?? 0];
		const [, items] = (await this.#call.leased(extend, lease, args)) as [string, string[]];
		return items.map((item) => readItem(item, lease.address));
	}

	async journal(lease: Lease, position: number, rows: readonly JournalRow[]): Promise<void> {
		const args = [position, ...rows.map((row) => JSON.stringify(row))];
		const [outcome] = await this.#call.leased(journal, lease, args);
		if (outcome === "gap") throw badJournal(lease.address, position);
	}

	async settle(lease: Lease, settlement: Settlement, next: Next = {}): Promise<Settled> {
		const recordText = writeRecord(settlement.record);
		const { keepEndedMs } = this.#options;
		const known = this.#remembered.claimedBy(lease, next.claim?.window);
		const args = settleArguments(settlement, next, { recordText, rows: known?.rows, keepEndedMs });
		const reply = (await this.#call.leased(settle, lease, args)) as
			| ["bad", number, number]
			| ["ok", number, number, HandedOut | null, TakenReply | null, number];
		if (reply[0] === "bad") {
			const [, from, to] = reply;
			const { through } = settlement;
			throw new CallboardError(
				"BAD_SETTLEMENT",
				"author",
				`a turn used up items through ${through}, but ${from} to ${to} wait`,
				{ where: lease.address, next: "settle with the position of the claim plus the items used up" },
			);
		}
		const [, wakeTurn, wakeSend, handed, taken, holds] = reply;
		this.#remembered.wrote(lease, settlement, recordText, holds === 1 ? known : undefined);
		for (const { at } of settlement.timers) this.#lookBy(at);
		if (wakeTurn === 1) this.#wake("turns", lease.address);
		if (wakeSend === 1) this.#wake("sends", lease.address);
		return {
			...(handed !== null &&
				next.claim && {
					claimed: this.#claimed(handed, lease, next.claim, this.#remembered.settled(lease.address, next.claim.window)),
				}),
			...(taken !== null && { taken: this.#taken(taken) }),
		};
	}

	async release(lease: Lease, { retryAt, failure }: { retryAt?: number; failure?: string }): Promise<void> {
		const args = [this.#call.operation(), retryAt ?? "", failure === undefined ? 0 : 1];
		const [, wake] = (await this.#call.leased(release, lease, args)) as [string, number];
		if (wake === 1) this.#wake("turns", lease.address);
		if (retryAt !== undefined) this.#lookBy(retryAt);
	}

	async park(lease: Lease, reason: string): Promise<void> {
		await this.#call.leased(park, lease, [this.#call.operation(), reason]);
	}

	async unpark(address: AddressKey): Promise<void> {
		if ((await this.#call.run(unpark, address, [])) === 1) this.#wake("turns", address);
	}

	async take(address: AddressKey, { owner, leaseMs, pace }: TakeOptions): Promise<Taken> {
		const args = [owner, leaseMs, paceText(pace)];
		const [taken, wake] = (await this.#call.named(take, address, args)) as [TakenReply, number];
		if (wake === 1) this.#wake("turns", address);
		return this.#taken(taken);
	}

	async postpone(address: AddressKey, until: number): Promise<void> {
		await this.#call.run(postpone, address, [until]);
	}

	async keep(address: AddressKey, { owner, leaseMs }: TakeOptions): Promise<boolean> {
		return (await this.#call.run(keep, address, [owner, leaseMs])) === 1;
	}

	async mark(
		address: AddressKey,
		owner: string,
		row: string,
		result: RowResult,
		next?: Omit<TakeOptions, "owner">,
	): Promise<Taken | undefined> {
		const reason = "reason" in result ? JSON.stringify(result.reason) : "";
		const at = result.status === "retry" ? result.at : "";
		const taking = [next?.leaseMs ?? "", paceText(next?.pace)];
		const unreachable = result.status === "failed" && result.unreachable ? 1 : "";
		const args = [owner, JSON.stringify(row), result.status, reason, at, ...taking, unreachable];
		const [taken, wakeTurn, wakeSend] = (await this.#call.run(mark, address, args)) as [
			TakenReply | null,
			number,
			number,
		];
		if (wakeTurn === 1) this.#wake("turns", address);
		if (wakeSend === 1) this.#wake("sends", address);
		if (result.status === "retry") this.#lookBy(result.at);
		return taken === null ? undefined : this.#taken(taken);
	}

	revise(address: AddressKey, message: string, content: Content, earlyMs = 0): Promise<boolean> {
		return reviseWaiting(this.#call, address, { message, content, earlyMs });
	}

	async reach(address: AddressKey, unreachable: string | undefined): Promise<void> {
		await this.#call.run(reach, address, [unreachable === undefined ? "" : JSON.stringify(unreachable)]);
	}

	async amend(address: AddressKey, { epoch, owner, say = [], append = [] }: Amendment): Promise<Amended> {
		const ids = [...say.map(({ id }) => id), ...append.flatMap((entry) => ("id" in entry ? [entry.id] : []))];
		const [outcome, wake] = (await this.#call.run(amend, address, [
			owner ?? "",
			epoch ?? "",
			this.#call.operation(),
			...counted(ids.map(spokenId)),
			...counted(say.map(writeOutbox)),
			...counted(append.map((entry) => writeHistory(entry, undefined))),
		])) as [Amended, number];
		if (wake === 1) this.#wake("sends", address);
		return outcome;
	}

	async resend(address: AddressKey, row: string, as: string): Promise<boolean> {
		const args = [JSON.stringify(row), JSON.stringify(as), spokenId(as)];
		const [done, wake] = (await this.#call.run(resend, address, args)) as [number, number];
		if (wake === 1) this.#wake("sends", address);
		return done === 1;
	}

	async hold(name: string, { owner, leaseMs }: TakeOptions): Promise<boolean> {
		return (await this.#open().connection.run(hold, [this.#right(name)], [owner, leaseMs])) === 1;
	}

	async letGo(name: string, owner: string): Promise<void> {
		await this.#open().connection.run(letGo, [this.#right(name)], [owner]);
	}

	async share(door: string, terms: ShareTerms): Promise<Shared> {
		const { owner, most, has, wants, withinMs, leaseMs } = terms;
		const key = `${this.#options.prefix}:share:${door}`;
		const args = [owner, most, has, wants, withinMs, leaseMs, terms.closedUntil];
		const [part, closedUntil] = (await this.#open().connection.run(share, [key], args)) as [number, string];
		return { part, closedUntil: Number(closedUntil) };
	}

	publish(news: News): void {
		this.#session?.news.publish(news);
	}

	async listen(hear: (news: News) => void): Promise<() => void> {
		return this.#open().news.listen(hear);
	}

	async view(address: AddressKey, { history }: { history: number }): Promise<AddressView> {
		return readView((await this.#call.run(view, address, [history])) as ViewReply, address);
	}

	async list({ limit, after, only }: Parameters<Backend["list"]>[0]): Promise<readonly AddressKey[]> {
		const { connection, cluster } = this.#open();
		const set = only === undefined ? "a" : LISTS[only];
		const first = after === undefined ? 0 : this.#partitions.indexOf(after);
		const prefixes = this.#partitions.all.slice(first);
		const ask = (keys: readonly string[], from: string, count: number) =>
			connection.run(list, keys, [from, set, count]) as Promise<AddressKey[]>;
		if (!cluster) return ask(prefixes, after ?? "", limit);
		const found: AddressKey[] = [];
		for (const [index, prefix] of prefixes.entries()) {
			if (found.length >= limit) break;
			found.push(...(await ask([prefix], index === 0 ? (after ?? "") : "", limit - found.length)));
		}
		return found;
	}

	async answers(): Promise<void> {
		const { connection } = this.#open();
		const asked = this.#partitions.all.map((prefix) => connection.run(list, [prefix], ["", "a", 1]));
		await Promise.any(asked).catch(({ errors: [first] }: AggregateError) => {
			throw first;
		});
	}

	serve(work: Work, concurrency: number, run: (address: AddressKey) => Promise<void>): Serving {
		return this.#open().serve(work, concurrency, run);
	}

	#claimed(
		reply: HandedOut,
		{ address, owner }: Pick<Lease, "address" | "owner">,
		{ window }: ClaimTerms,
		known: KnownCall | undefined,
	): Claimed {
		const claimed = readClaimed(reply, { address, owner }, window, known);
		this.#remembered.claimed(claimed.lease, window, claimed.history, claimed.record?.rows ?? 0);
		return claimed;
	}

	#taken(reply: TakenReply): Taken {
		const taken = readTaken(reply);
		if (taken.outcome === "later") this.#lookBy(taken.at);
		return taken;
	}

	#right(name: string): string {
		return `${this.#options.prefix}:right:${name}`;
	}

	#open(): Session {
		if (this.#session === undefined) throw notOpen();
		return this.#session;
	}

	#lookBy(at: number): void {
		this.#session?.sweeper.lookBy(at);
	}

	#wake(work: Work, address: AddressKey): void {
		this.#session?.wakeUps.wake(work, address);
	}
}

function terms4({ owner, leaseMs, window, items }: ClaimOptions): [string, number, number, number] {
	return [owner, leaseMs, window, items];
}

function counted(rows: readonly string[]): (string | number)[] {
	return [rows.length, ...rows];
}
