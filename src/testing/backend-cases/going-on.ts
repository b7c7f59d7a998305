import { expect } from "vitest";
import { addressKey } from "../../call/address.js";
import type { Next } from "../../engine/backend.js";
import {
	acceptAll,
	claim,
	claimed,
	followedBy,
	LEASE,
	limits,
	message,
	occurrence,
	record,
	row,
	rule,
	say,
	settlement,
	take,
	user,
	waitingIds,
} from "./conformance-case.js";

const A = addressKey({ door: "web", chat: "ana" });
const terms = { leaseMs: LEASE, window: 60, items: 100 };
const direct = { owner: "direct", ...terms };
const sending = { owner: "direct", leaseMs: LEASE };
const sent = { status: "sent", platformId: "p" } as const;
const both: Next = { claim: terms, take: sending };

/** Operations that go on to the next thing in the same step, so that a turn costs few round trips. */
export const goingOnCases = [
	rule("a message accepted at an address that nobody has can be claimed in the same step", async ({ backend }) => {
		await say(backend, A, [], { append: [user("m0")], ...followedBy(occurrence(A, "o1")) });
		const got = await backend.accept(message(A, "m1"), limits, direct);
		expect(got).toMatchObject({
			outcome: "accepted",
			claimed: {
				outcome: "claimed",
				lease: { address: A, owner: "direct" },
				record: record({ rows: 1 }),
				history: [user("m0")],
				items: [occurrence(A, "o1"), message(A, "m1")],
				position: 1,
				journal: [],
				failures: 0,
			},
		});
		expect((await claim(backend, A)).outcome).toBe("busy");
		if (got.claimed !== undefined) await backend.settle(got.claimed.lease, settlement(3));
		expect(await claim(backend, A)).toEqual({ outcome: "idle" });
	}),

	rule("a message accepted while a turn runs waits, whoever runs it", async ({ backend, clock }) => {
		await backend.accept(message(A, "m1"), limits, direct);
		expect(await backend.accept(message(A, "m2"), limits, direct)).toEqual({ outcome: "accepted" });
		expect(await claim(backend, A, "direct")).toEqual({ outcome: "busy", until: clock.now() + LEASE });
		expect(await waitingIds(backend, A)).toEqual(["m1", "m2"]);
		await clock.advance(LEASE);
		const { claimed: next } = await backend.accept(message(A, "m3"), limits, direct);
		expect(next?.items.map(({ id }) => id)).toEqual(["m1", "m2", "m3"]);
	}),

	rule("what is not accepted, not to be tried yet, or set aside, is not claimed", async ({ backend, clock }) => {
		await acceptAll(backend, message(A, "m1"));
		expect(await backend.accept(message(A, "m1"), limits, direct)).toEqual({ outcome: "duplicate" });
		expect(await backend.accept(message(A, "m2"), { ...limits, inbox: 1 }, direct)).toEqual({ outcome: "full" });
		const { lease } = await claimed(backend, A);
		await backend.release(lease, { retryAt: clock.now() + 60_000, failure: "it threw" });
		expect(await backend.accept(message(A, "m2"), limits, direct)).toEqual({ outcome: "accepted" });
		expect(await claim(backend, A)).toEqual({ outcome: "busy", until: clock.now() + 60_000 });
		await clock.advance(60_000);
		const again = await claimed(backend, A);
		await backend.park(again.lease, "it threw");
		expect(await backend.accept(message(A, "m3"), limits, direct)).toEqual({ outcome: "accepted" });
	}),

	rule("a turn's end hands out what waits next and takes the first row to send", async ({ backend, clock }) => {
		await acceptAll(backend, message(A, "m1"), message(A, "m2"));
		const first = await claimed(backend, A, "direct", { items: 1 });
		const turn = settlement(1, { fresh: true, append: [user("m1")], outbox: [row("1"), row("2")] });
		const { claimed: next, taken } = await backend.settle(first.lease, turn, both);
		expect(next).toMatchObject({ items: [message(A, "m2")], position: 1, history: [user("m1")], journal: [] });
		expect(next?.lease.fence).toBeGreaterThan(first.lease.fence);
		expect(taken).toEqual({ outcome: "row", row: row("1"), attempt: 1 });
		const { outbox } = await backend.view(A, { history: 0 });
		expect(outbox.map(({ status }) => status)).toEqual(["sending", "pending"]);
		expect(await claim(backend, A, "two")).toEqual({ outcome: "busy", until: clock.now() + LEASE });
		expect(await take(backend, A, "two")).toEqual({ outcome: "busy", until: clock.now() + LEASE });
		await expect(backend.extend(first.lease, LEASE)).rejects.toMatchObject({ code: "LEASE_LOST" });
		if (next !== undefined) expect(await backend.settle(next.lease, settlement(2))).toEqual({});
	}),

	rule("what a turn's end took is its own when it is asked again late, unless another took it", async (bench) => {
		const { backend, clock } = bench;
		const { claimed: got } = await backend.accept(message(A, "m1"), limits, direct);
		if (got === undefined) throw new Error("nothing was claimed");
		const turn = settlement(1, { fresh: true, outbox: [row("1")] });
		const first = { outcome: "row", row: row("1"), attempt: 1 };
		expect((await backend.settle(got.lease, turn, { take: sending })).taken).toEqual(first);
		await clock.advance(5 * LEASE);
		expect((await backend.settle(got.lease, turn, { take: sending })).taken).toEqual(first);
		expect(await take(backend, A, "two")).toEqual({ outcome: "busy", until: clock.now() + LEASE });
		await clock.advance(LEASE);
		expect((await take(backend, A, "two")).outcome).toBe("unknown");
		expect((await backend.settle(got.lease, turn, { take: sending })).taken?.outcome).toBe("busy");
	}),

	rule("a turn's end with nothing after it gives the lease back and takes nothing", async ({ backend }) => {
		const { claimed: got } = await backend.accept(message(A, "m1"), limits, direct);
		if (got === undefined) throw new Error("nothing was claimed");
		expect(await backend.settle(got.lease, settlement(1), both)).toEqual({ taken: { outcome: "empty" } });
		expect((await backend.accept(message(A, "m2"), limits, direct)).claimed?.position).toBe(1);
	}),

	rule("what follows a turn that says nothing is handed out with its end", async ({ backend }) => {
		const { claimed: got } = await backend.accept(message(A, "m1"), limits, direct);
		if (got === undefined) throw new Error("nothing was claimed");
		const end = await backend.settle(got.lease, settlement(1, followedBy(occurrence(A, "o1"))), { claim: terms });
		expect(end.claimed?.items).toEqual([occurrence(A, "o1")]);
	}),

	rule("a turn's end does not take a row while another is being sent", async ({ backend, clock }) => {
		await say(backend, A, [row("1")]);
		await take(backend, A, "direct");
		const { claimed: got } = await backend.accept(message(A, "m2"), limits, direct);
		if (got === undefined) throw new Error("nothing was claimed");
		const { taken } = await backend.settle(got.lease, settlement(2, { outbox: [row("2")] }), { take: sending });
		expect(taken).toEqual({ outcome: "busy", until: clock.now() + LEASE });
	}),

	rule("a turn's end sent again answers as it did, and does nothing twice", async ({ backend, clock }) => {
		await acceptAll(backend, message(A, "m1"), message(A, "m2"));
		const { lease } = await claimed(backend, A, "direct", { items: 1 });
		const turn = settlement(1, { fresh: true, append: [user("m1")], outbox: [row("1"), row("2")] });
		const first = await backend.settle(lease, turn, both);
		const before = await backend.view(A, { history: 10 });
		expect(await backend.settle(lease, turn, both)).toEqual(first);
		expect(await backend.view(A, { history: 10 })).toEqual(before);
		await clock.advance(LEASE);
		await claimed(backend, A, "two");
		expect((await backend.settle(lease, turn, { claim: terms })).claimed).toBeUndefined();
	}),

	rule("a turn's end sent again does not hand out what its process claimed by a later message", async ({ backend }) => {
		const { claimed: first } = await backend.accept(message(A, "m1"), limits, direct);
		if (first === undefined) throw new Error("m1 was not claimed");
		await backend.settle(first.lease, settlement(1, { fresh: true }), { claim: terms });
		const { claimed: second } = await backend.accept(message(A, "m2"), limits, direct);
		expect(second?.items.map(({ id }) => id)).toEqual(["m2"]);
		expect(await backend.settle(first.lease, settlement(1, { fresh: true }), { claim: terms })).toEqual({});
	}),

	rule("what became of a row is said and the next one taken in one step", async ({ backend }) => {
		await say(backend, A, [row("1"), row("2")]);
		await take(backend, A, "direct");
		const next = await backend.mark(A, "direct", "1", sent, { leaseMs: LEASE });
		expect(next).toEqual({ outcome: "row", row: row("2"), attempt: 1 });
		expect(await backend.mark(A, "direct", "1", sent, { leaseMs: LEASE })).toEqual(next);
		expect(await backend.mark(A, "direct", "2", sent, { leaseMs: LEASE })).toEqual({ outcome: "empty" });
		expect((await backend.view(A, { history: 0 })).outbox).toEqual([]);
	}),

	rule("a row to be tried later is not taken again by its own mark", async ({ backend, clock }) => {
		await say(backend, A, [row("1")]);
		await take(backend, A, "direct");
		const retry = { status: "retry", at: clock.now() + 5_000, reason: "429" } as const;
		expect(await backend.mark(A, "direct", "1", retry, { leaseMs: LEASE })).toEqual({ outcome: "later", at: retry.at });
		expect(await backend.mark(A, "direct", "1", retry)).toBeUndefined();
	}),

	rule("one who comes too late with a mark gets no row that another is sending", async ({ backend, clock }) => {
		await say(backend, A, [row("1"), row("2")]);
		await take(backend, A, "late");
		await clock.advance(LEASE);
		await take(backend, A, "two");
		expect(await backend.mark(A, "late", "1", sent, { leaseMs: LEASE })).toMatchObject({ outcome: "busy" });
		await backend.mark(A, "two", "1", { status: "ambiguous", reason: "its sender died" });
		expect((await backend.view(A, { history: 0 })).marks).toHaveLength(1);
	}),

	rule("nobody, not even its own sender, takes a row while it is being sent", async ({ backend, clock }) => {
		await say(backend, A, [row("1")]);
		await take(backend, A, "one");
		expect(await take(backend, A, "one")).toEqual({ outcome: "busy", until: clock.now() + LEASE });
		await clock.advance(LEASE);
		expect(await take(backend, A, "one")).toMatchObject({ outcome: "unknown", row: row("1") });
	}),
];
