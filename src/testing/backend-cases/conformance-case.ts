import { test } from "vitest";
import type { CallRecord } from "../../call/call-record.js";
import type { HistoryEntry } from "../../call/history.js";
import type { InboxItem, Message } from "../../call/message.js";
import type { AcceptLimits, Backend, Claim, OutboxRow, Settlement } from "../../engine/backend.js";
import type { BackendStore } from "../backend-conformance.js";

/** What a case works with: one open backend over a fresh store. */
export interface Bench {
	backend: Backend;
	clock: BackendStore["clock"];
	/** Kills the backend and opens another over the same store; `bench.backend` is the new one. */
	restart(): Promise<Backend>;
}

export interface ConformanceCase {
	name: string;
	register(make: () => BackendStore | Promise<BackendStore>, skipped: string | undefined): void;
}

/** One rule of the contract as a test. */
export function rule(name: string, run: (bench: Bench) => Promise<void>): ConformanceCase {
	return {
		name,
		register(make, skipped) {
			const title = skipped === undefined ? name : `${name} (skipped: ${skipped})`;
			test.skipIf(skipped !== undefined)(title, async () => {
				const store = await make();
				const bench: Bench = {
					backend: await store.open(),
					clock: store.clock,
					async restart() {
						await (store.crash?.(bench.backend) ?? bench.backend.close());
						bench.backend = await store.open();
						return bench.backend;
					},
				};
				try {
					await run(bench);
				} finally {
					await bench.backend.close();
					await store.dispose?.();
				}
			});
		},
	};
}

export const DAY = 24 * 3_600_000;
export const LEASE = 2_000;
export const limits: AcceptLimits = { inbox: 1_000, dedupeMs: 7 * DAY };

export function message(address: string, id: string, more: Partial<Message> = {}): InboxItem {
	const content = { kind: "text", text: `text of ${id}` } as const;
	return { type: "message", id, address, contact: { id: "web:ana" }, content, sentAt: 0, ...more };
}

export function occurrence(address: string, id: string): InboxItem {
	return { type: "occurrence", id, address, occurrence: { kind: "close", reason: id }, at: 0 };
}

export function record(more: Partial<CallRecord> = {}): CallRecord {
	const call = {
		v: 1,
		id: "call-1",
		agent: "test",
		contact: { id: "web:ana" },
		startedAt: 0,
		turns: 1,
		rows: 0,
	} as const;
	return { ...call, state: { step: "one" }, owner: "agent", epoch: 0, ...more };
}

export function row(id: string, more: Partial<OutboxRow> = {}): OutboxRow {
	return { id, payload: { text: `text of ${id}` }, by: "model", epoch: 0, turn: "call-1.1", ...more };
}

export function user(id: string): HistoryEntry {
	return { role: "user", id, content: { kind: "text", text: `text of ${id}` }, at: 0 };
}

export function settlement(through: number, more: Partial<Settlement> = {}): Settlement {
	const nothing = { append: [], outbox: [], timers: [], cancel: [] };
	return { through, record: record(), fresh: false, keep: 1_000, ...nothing, ...more };
}

/** The part of a settlement that names what comes in once its rows have left. */
export function followedBy(item: InboxItem): Pick<Settlement, "then"> {
	// biome-ignore lint/suspicious/noThenProperty: the contract's word for what follows; it is data, never called
	return { then: item };
}

export type Claimed = Extract<Claim, { outcome: "claimed" }>;

export function claim(
	backend: Backend,
	address: string,
	owner = "one",
	more: { window?: number; items?: number } = {},
) {
	return backend.claim(address, { owner, leaseMs: LEASE, window: 60, items: 100, ...more });
}

/** A claim that must be granted. */
export async function claimed(
	backend: Backend,
	address: string,
	owner = "one",
	more: { window?: number; items?: number } = {},
): Promise<Claimed> {
	const got = await claim(backend, address, owner, more);
	if (got.outcome !== "claimed") throw new Error(`the claim was answered "${got.outcome}"`);
	return got;
}

export async function acceptAll(backend: Backend, ...items: readonly InboxItem[]): Promise<void> {
	for (const item of items) await backend.accept(item, limits);
}

/** Puts rows into the outbox of an address, by a turn. */
export async function say(
	backend: Backend,
	address: string,
	rows: readonly OutboxRow[],
	more: Partial<Settlement> = {},
) {
	await backend.accept(message(address, `for ${rows[0]?.id ?? more.then?.id}`), limits);
	const got = await claimed(backend, address);
	await backend.settle(got.lease, settlement(got.position + 1, { outbox: rows, ...more }));
}

export function take(backend: Backend, address: string, owner = "sender") {
	return backend.take(address, { owner, leaseMs: LEASE });
}

/** Takes the next row and marks it sent. Returns its id. */
export async function send(backend: Backend, address: string): Promise<string> {
	const taken = await take(backend, address);
	if (taken.outcome !== "row") throw new Error(`taking was answered "${taken.outcome}"`);
	await backend.mark(address, "sender", taken.row.id, { status: "sent", platformId: "p" });
	return taken.row.id;
}

export async function waitingIds(backend: Backend, address: string): Promise<readonly string[]> {
	return (await backend.view(address, { history: 0 })).waiting.map(({ id }) => id);
}
