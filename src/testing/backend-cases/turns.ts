import { expect } from "vitest";
import { addressKey } from "../../call/address.js";
import type { HistoryEntry } from "../../call/history.js";
import type { Backend, Lease } from "../../engine/backend.js";
import {
	acceptAll,
	claim,
	claimed,
	followedBy,
	LEASE,
	message,
	occurrence,
	record,
	row,
	rule,
	settlement,
	user,
	waitingIds,
} from "./conformance-case.js";

const A = addressKey({ door: "web", chat: "ana" });
const B = addressKey({ door: "web", chat: "ben" });

/** Everything that may only be written with a good lease. */
const writes: Readonly<Record<string, (backend: Backend, lease: Lease) => Promise<unknown>>> = {
	extend: (backend, lease) => backend.extend(lease, 60_000),
	journal: (backend, lease) => backend.journal(lease, 0, [{ stale: true }]),
	settle: (backend, lease) => backend.settle(lease, settlement(1, { outbox: [row("stale")], append: [user("stale")] })),
	release: (backend, lease) => backend.release(lease, { failure: "stale" }),
	park: (backend, lease) => backend.park(lease, "stale"),
};

export const turnCases = [
	rule("nothing waits: idle", async ({ backend }) => {
		expect(await claim(backend, A)).toEqual({ outcome: "idle" });
	}),

	rule("a claim hands over what waits, where it stands, and nothing that is another address's", async ({ backend }) => {
		await acceptAll(backend, message(B, "b1"), message(A, "m1"), message(A, "m2"));
		const got = await claimed(backend, A, "one");
		expect(got).toMatchObject({ record: undefined, history: [], position: 0, journal: [], failures: 0 });
		expect(got.items).toEqual([message(A, "m1"), message(A, "m2")]);
		expect(got.lease).toMatchObject({ address: A, owner: "one" });
	}),

	rule("one worker at a time: others are told how long", async ({ backend, clock }) => {
		await acceptAll(backend, message(A, "m1"));
		await claimed(backend, A, "one");
		expect(await claim(backend, A, "two")).toEqual({ outcome: "busy", until: clock.now() + LEASE });
	}),

	rule("A1: a lease that is renewed is not lost, however long the turn", async ({ backend, clock }) => {
		await acceptAll(backend, message(A, "m1"));
		const { lease } = await claimed(backend, A, "one");
		for (let ms = 0; ms < 65_000; ms += 1_000) {
			await clock.advance(1_000);
			await backend.extend(lease, LEASE);
		}
		expect((await claim(backend, A, "two")).outcome).toBe("busy");
		await backend.settle(lease, settlement(1));
	}),

	rule("A14: a lease not renewed is taken over when it is over, with a higher fence", async ({ backend, clock }) => {
		await acceptAll(backend, message(A, "m1"));
		const first = await claimed(backend, A, "one");
		await clock.advance(LEASE);
		const second = await claimed(backend, A, "two");
		expect(second.items).toEqual(first.items);
		expect(second.lease.fence).toBeGreaterThan(first.lease.fence);
	}),

	...Object.entries(writes).map(([name, write]) =>
		rule(`G1: ${name} with a lost lease is refused and writes nothing`, async ({ backend, clock }) => {
			await acceptAll(backend, message(A, "m1"));
			const { lease: lost } = await claimed(backend, A, "one");
			await clock.advance(LEASE);
			const { lease } = await claimed(backend, A, "two");
			const before = await backend.view(A, { history: 10 });
			await expect(write(backend, lost)).rejects.toMatchObject({ code: "LEASE_LOST", fault: "lease" });
			expect(await backend.view(A, { history: 10 })).toEqual(before);
			await backend.settle(lease, settlement(1));
		}),
	),

	rule("a settlement is there as a whole: record, history, outbox, timers, and its items gone", async ({ backend }) => {
		await acceptAll(backend, message(A, "m1"), message(A, "m2"));
		const { lease } = await claimed(backend, A, "one", { items: 1 });
		const timer = { id: "t1", at: 9_999_999_999_999, item: occurrence(A, "o1") };
		const said: HistoryEntry = { role: "said", id: "p1", part: { kind: "text", text: "hi" }, by: "model", at: 0 };
		const state = { deep: { list: [1, 2, { three: null }] }, text: "ñ\u{1F600}" };
		await backend.settle(
			lease,
			settlement(1, {
				record: record({ state }),
				fresh: true,
				append: [user("m1"), said],
				outbox: [row("p1.0")],
				timers: [timer],
			}),
		);
		expect(await backend.view(A, { history: 10 })).toEqual({
			address: A,
			record: record({ state, rows: 2 }),
			history: [user("m1"), said],
			waiting: [message(A, "m2")],
			outbox: [{ row: row("p1.0"), status: "pending", notBefore: 0 }],
			marks: [],
			timers: [timer],
			failures: 0,
			parked: undefined,
		});
	}),

	rule("a settlement that cannot be is refused as a whole", async ({ backend }) => {
		await acceptAll(backend, message(A, "m1"));
		const { lease } = await claimed(backend, A);
		const before = await backend.view(A, { history: 10 });
		await expect(backend.settle(lease, settlement(7, { outbox: [row("p1.0")] }))).rejects.toThrow();
		expect(await backend.view(A, { history: 10 })).toEqual(before);
		await backend.settle(lease, settlement(1));
	}),

	rule("a settlement sent again changes nothing, also when the next turn has begun", async ({ backend }) => {
		await acceptAll(backend, message(A, "m1"), message(A, "m2"));
		const { lease } = await claimed(backend, A, "one", { items: 1 });
		const turn = settlement(1, { append: [user("m1")], outbox: [row("p1.0")], ...followedBy(occurrence(A, "o1")) });
		await backend.settle(lease, turn);
		const before = await backend.view(A, { history: 10 });
		await backend.settle(lease, turn);
		expect(await backend.view(A, { history: 10 })).toEqual(before);
		const next = await claimed(backend, A, "two");
		await backend.settle(lease, turn);
		expect(await backend.view(A, { history: 10 })).toEqual(before);
		await backend.settle(next.lease, settlement(next.position + 1));
		expect(await waitingIds(backend, A)).toEqual([]);
	}),

	rule("A5: what arrives while a turn runs is the next turn's", async ({ backend }) => {
		await acceptAll(backend, message(A, "m1"));
		const { lease, items, position } = await claimed(backend, A);
		await acceptAll(backend, message(A, "m2"));
		await backend.settle(lease, settlement(position + items.length));
		const next = await claimed(backend, A);
		expect(next).toMatchObject({ position: 1, items: [message(A, "m2")] });
	}),

	rule(
		"the journal is kept over a release, a take-over and a restart, and gone after the settlement",
		async (bench) => {
			const { clock } = bench;
			await acceptAll(bench.backend, message(A, "m1"));
			const first = await claimed(bench.backend, A, "one");
			await bench.backend.journal(first.lease, 0, [{ n: 0 }]);
			await bench.backend.release(first.lease, {});
			const second = await claimed(bench.backend, A, "two");
			expect(second.journal).toEqual([{ n: 0 }]);
			await bench.backend.journal(second.lease, 1, [{ n: 1 }, { n: 2 }]);
			await clock.advance(LEASE);
			const third = await claimed(bench.backend, A, "three");
			expect(third.journal).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
			await bench.restart();
			await clock.advance(LEASE);
			const fourth = await claimed(bench.backend, A, "four");
			expect(fourth.journal).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
			await bench.backend.settle(fourth.lease, settlement(1));
			await acceptAll(bench.backend, message(A, "m2"));
			expect((await claimed(bench.backend, A, "five")).journal).toEqual([]);
		},
	),

	rule("journal rows written again at their place are not doubled", async ({ backend }) => {
		await acceptAll(backend, message(A, "m1"));
		const { lease } = await claimed(backend, A);
		await backend.journal(lease, 0, [{ n: 0 }]);
		await backend.journal(lease, 0, [{ n: 0 }, { n: 1 }]);
		await backend.journal(lease, 1, [{ n: 1 }]);
		await expect(backend.journal(lease, 3, [{ n: 3 }])).rejects.toMatchObject({ code: "BAD_JOURNAL" });
		await backend.release(lease, {});
		expect((await claimed(backend, A)).journal).toEqual([{ n: 0 }, { n: 1 }]);
	}),

	rule("failures in a row are counted, until a turn commits", async ({ backend }) => {
		await acceptAll(backend, message(A, "m1"));
		for (const failures of [0, 1]) {
			const got = await claimed(backend, A);
			expect(got.failures).toBe(failures);
			await backend.release(got.lease, { failure: "it threw" });
		}
		const handedOn = await claimed(backend, A);
		await backend.release(handedOn.lease, {});
		const { lease, failures } = await claimed(backend, A);
		expect(failures).toBe(2);
		await backend.settle(lease, settlement(1));
		await acceptAll(backend, message(A, "m2"));
		expect((await claimed(backend, A)).failures).toBe(0);
	}),

	rule("leases that nobody gave back are counted, until a turn commits", async (bench) => {
		const { clock } = bench;
		await acceptAll(bench.backend, message(A, "m1"));
		await claimed(bench.backend, A, "one");
		await clock.advance(LEASE);
		const second = await claimed(bench.backend, A, "two");
		expect(second).toMatchObject({ deaths: 1, failures: 0 });
		await bench.backend.release(second.lease, {});
		const third = await claimed(bench.backend, A, "three");
		expect(third.deaths).toBe(1);
		await bench.backend.extend(third.lease, LEASE);
		await bench.restart();
		await clock.advance(LEASE);
		const fourth = await claimed(bench.backend, A, "four");
		expect(fourth.deaths).toBe(2);
		await acceptAll(bench.backend, message(A, "m2"));
		const terms = { owner: "four", leaseMs: LEASE, window: 1, items: 1 };
		const { claimed: next } = await bench.backend.settle(fourth.lease, settlement(1), { claim: terms });
		expect(next).toMatchObject({ deaths: 0 });
		await clock.advance(LEASE);
		const fifth = await claimed(bench.backend, A, "five");
		expect(fifth.deaths).toBe(1);
		await bench.backend.park(fifth.lease, "its process died");
		await bench.backend.unpark(A);
		expect((await claimed(bench.backend, A, "six")).deaths).toBe(0);
	}),

	rule(
		"a parked address says why, keeps what waits and takes more, and goes on when it is let go",
		async ({ backend }) => {
			await acceptAll(backend, message(A, "m1"));
			const { lease } = await claimed(backend, A);
			await backend.park(lease, "it threw five times");
			await acceptAll(backend, message(A, "m2"));
			expect(await claim(backend, A)).toEqual({ outcome: "parked", reason: "it threw five times" });
			expect(await backend.view(A, { history: 0 })).toMatchObject({ parked: "it threw five times" });
			expect(await backend.list({ limit: 10, only: "parked" })).toEqual([A]);
			expect(await backend.list({ limit: 10, only: "waiting" })).toEqual([]);
			await backend.unpark(A);
			expect((await claimed(backend, A)).items).toHaveLength(2);
			expect(await backend.list({ limit: 10, only: "parked" })).toEqual([]);
		},
	),

	rule("history is given as its newest rows, oldest first, and kept as long as asked", async ({ backend }) => {
		for (let n = 1; n <= 20; n += 1) {
			await acceptAll(backend, message(A, `m${n}`));
			const { lease } = await claimed(backend, A);
			await backend.settle(lease, settlement(n, { append: [user(`m${n}`)], keep: 10 }));
		}
		await acceptAll(backend, message(A, "last"));
		const got = await claimed(backend, A, "one", { window: 3 });
		expect(got.history).toEqual([user("m18"), user("m19"), user("m20")]);
		expect(got.record?.rows).toBe(20);
		const { history } = await backend.view(A, { history: 1_000 });
		expect(history.length).toBeGreaterThanOrEqual(10);
		expect(history.length).toBeLessThan(20);
	}),

	rule("A12: a fresh call begins without the rows of the one before", async ({ backend, clock }) => {
		await acceptAll(backend, message(A, "m1"));
		const first = await claimed(backend, A);
		const ended = record({ ended: { at: clock.now(), reason: "done" } });
		await backend.settle(first.lease, settlement(1, { fresh: true, record: ended, append: [user("m1")] }));
		await acceptAll(backend, message(A, "m2"));
		const second = await claimed(backend, A);
		expect(second.record).toEqual({ ...ended, rows: 1 });
		await backend.settle(
			second.lease,
			settlement(2, { fresh: true, record: record({ id: "call-2" }), append: [user("m2")] }),
		);
		await acceptAll(backend, message(A, "m3"));
		const third = await claimed(backend, A);
		expect(third.history).toEqual([user("m2")]);
		expect(third.record).toEqual(record({ id: "call-2", rows: 1 }));
	}),

	rule("A13: an owner taken while the turn runs stays taken", async ({ backend }) => {
		await acceptAll(backend, message(A, "m1"));
		const first = await claimed(backend, A);
		await backend.settle(first.lease, settlement(1, { fresh: true }));
		await acceptAll(backend, message(A, "m2"));
		const { lease } = await claimed(backend, A);
		await backend.amend(A, { owner: "human" });
		await backend.settle(lease, settlement(2, { record: record({ turns: 2, state: { step: "two" } }) }));
		const { record: stored } = await backend.view(A, { history: 0 });
		expect(stored).toMatchObject({ owner: "human", turns: 2, state: { step: "two" } });
		expect(stored?.epoch).toBeGreaterThan(0);
	}),

	rule(
		"I1: an owner taken and given back while the turn runs: what it decided counts, what it says does not",
		async (bench) => {
			const { backend } = bench;
			await acceptAll(backend, message(A, "m1"));
			const first = await claimed(backend, A);
			await backend.settle(first.lease, settlement(1, { fresh: true }));
			await acceptAll(backend, message(A, "m2"));
			const { lease } = await claimed(backend, A);
			await backend.amend(A, { owner: "human" });
			await backend.amend(A, { owner: "agent" });
			const said = { role: "said", part: { kind: "text", text: "hi" }, by: "model", at: 0 } as const;
			const choices = { kind: "choices", text: "which?", choices: [] } as const;
			const append: HistoryEntry[] = [
				user("m2"),
				{ ...said, id: "call-1.2.1" },
				{ role: "asked", calls: [{ id: "c1", name: "book", arguments: "{}" }], at: 0 },
				{ role: "result", call: "c1", name: "book", content: "done", at: 0 },
				{ id: "call-1.2.2", part: choices, by: "code", at: 0, role: "said" },
				{ ...said, id: "elsewhere", by: "code" },
			];
			const turn = settlement(2, { record: record({ turns: 2 }), outbox: [row("1")], append });
			const { taken } = await backend.settle(lease, turn, { take: { owner: "one", leaseMs: LEASE } });
			expect(taken).toMatchObject({ outcome: "discarded", row: { id: "1" } });
			const { record: stored, outbox, marks, history } = await backend.view(A, { history: 10 });
			expect(stored).toMatchObject({ owner: "agent", epoch: 2, turns: 2, rows: 3 });
			expect(history.map(({ role }) => role)).toEqual(["user", "asked", "result"]);
			expect(outbox).toEqual([]);
			expect(marks).toMatchObject([{ status: "discarded" }]);
			await acceptAll(backend, message(A, "m3"));
			expect((await claimed(backend, A)).record).toMatchObject({ owner: "agent", epoch: 2 });
		},
	),

	rule(
		"a thousand items of one address are handed out in bounded claims, in order, none twice",
		async ({ backend }) => {
			await Promise.all(
				Array.from({ length: 1_000 }, (_, n) => backend.accept(message(A, `m${n}`), { inbox: 1_000, dedupeMs: 1 })),
			);
			const handled: string[] = [];
			for (let claims = 0; claims < 10; claims += 1) {
				const { lease, items, position } = await claimed(backend, A, "one", { items: 100 });
				expect(items).toHaveLength(100);
				handled.push(...items.map(({ id }) => id));
				await backend.settle(lease, settlement(position + items.length));
			}
			expect(handled).toEqual(Array.from({ length: 1_000 }, (_, n) => `m${n}`));
			expect(await claim(backend, A)).toEqual({ outcome: "idle" });
		},
	),
];
