import { expect } from "vitest";
import { addressKey } from "../../call/address.js";
import type { InboxItem } from "../../call/message.js";
import {
	acceptAll,
	claimed,
	DAY,
	LEASE,
	limits,
	message,
	occurrence,
	record,
	rule,
	settlement,
	waitingIds,
} from "./conformance-case.js";

const A = addressKey({ door: "web", chat: "ana" });
const B = addressKey({ door: "web", chat: "ben" });

export const inboxCases = [
	rule("what is accepted waits, in order of arrival", async ({ backend }) => {
		await acceptAll(backend, message(A, "m1"), message(A, "m2"), occurrence(A, "o1"), message(A, "m3"));
		expect(await waitingIds(backend, A)).toEqual(["m1", "m2", "o1", "m3"]);
		const { waiting } = await backend.view(A, { history: 0 });
		expect(waiting[0]).toEqual(message(A, "m1"));
	}),

	rule("B6: the same message again, however often, is a duplicate", async ({ backend }) => {
		const outcomes = [];
		for (let time = 0; time < 3; time += 1) outcomes.push((await backend.accept(message(A, "m1"), limits)).outcome);
		expect(outcomes).toEqual(["accepted", "duplicate", "duplicate"]);
		expect(await waitingIds(backend, A)).toEqual(["m1"]);
	}),

	rule("B4: of deliveries at the same moment exactly one is accepted", async ({ backend }) => {
		for (let round = 0; round < 50; round += 1) {
			const twice = [1, 2, 3].map(() => backend.accept(message(A, `m${round}`), limits));
			const outcomes = (await Promise.all(twice)).map(({ outcome }) => outcome).sort();
			expect(outcomes).toEqual(["accepted", "duplicate", "duplicate"]);
		}
		expect(await waitingIds(backend, A)).toHaveLength(50);
	}),

	rule(
		"B5: a message known by one of its further keys is a duplicate, and its other keys become known",
		async ({ backend }) => {
			await acceptAll(backend, message(A, "m1", { keys: ["k1", "k2"] }));
			expect(await backend.accept(message(A, "m2", { keys: ["k2", "k3"] }), limits)).toEqual({ outcome: "duplicate" });
			expect(await backend.accept(message(A, "k1"), limits)).toEqual({ outcome: "duplicate" });
			expect(await backend.accept(message(A, "k3"), limits)).toEqual({ outcome: "duplicate" });
			expect(await waitingIds(backend, A)).toEqual(["m1"]);
		},
	),

	rule("an occurrence has further keys, too: one that is known makes it a duplicate", async ({ backend }) => {
		const told = (id: string, ...keys: readonly string[]): InboxItem => ({ ...occurrence(A, id), keys });
		const long = `paid.${"x".repeat(300)}`;
		await acceptAll(backend, told("o1", "paid.17", long));
		expect(await backend.accept(told("o2", long, "k3"), limits)).toEqual({ outcome: "duplicate" });
		expect(await backend.accept(occurrence(A, "paid.17"), limits)).toEqual({ outcome: "duplicate" });
		expect(await backend.accept(message(A, "k3"), limits)).toEqual({ outcome: "duplicate" });
		expect(await backend.accept(told("o3", "k4"), limits)).toEqual({ outcome: "accepted" });
		const { items, lease } = await claimed(backend, A);
		expect(items).toEqual([told("o1", "paid.17", long), told("o3", "k4")]);
		await backend.settle(lease, settlement(2));
		expect(await backend.accept(occurrence(A, "k4"), limits)).toEqual({ outcome: "duplicate" });
	}),

	rule("an inbox without any room takes nothing, and still says what it knows", async (bench) => {
		const { backend } = bench;
		const asked = { ...limits, inbox: 0 };
		const turn = { owner: "direct", leaseMs: 2_000, window: 60, items: 100 };
		expect(await backend.accept(occurrence(A, "o1"), asked)).toEqual({ outcome: "full" });
		expect(await backend.accept(message(A, "m1", { keys: ["k1"] }), asked, turn)).toEqual({ outcome: "full" });
		expect(await backend.list({ limit: 10 })).toEqual([]);
		await acceptAll(backend, occurrence(A, "o1"), message(A, "m1", { keys: ["k1"] }));
		for (const known of ["o1", "m1", "k1"])
			expect(await backend.accept(occurrence(A, known), asked)).toEqual({ outcome: "duplicate" });
		const { lease } = await claimed(backend, A);
		await backend.settle(lease, settlement(2));
		expect(await backend.accept(occurrence(A, "o1"), asked, turn)).toEqual({ outcome: "duplicate" });
		const again = await bench.restart();
		expect(await again.accept(occurrence(A, "o1"), asked)).toEqual({ outcome: "duplicate" });
		expect(await again.accept(occurrence(A, "o2"), asked)).toEqual({ outcome: "full" });
		expect(await waitingIds(again, A)).toEqual([]);
	}),

	rule("ids of any length and any letters are told apart", async ({ backend }) => {
		const ids = ["a b", "a", "b", "ñ\u0000", "ñ", "x".repeat(3_000), `${"x".repeat(3_000)}y`, "#a", "a:b|c"];
		await acceptAll(backend, ...ids.map((id) => message(A, id)));
		for (const id of ids) expect(await backend.accept(message(A, id), limits)).toEqual({ outcome: "duplicate" });
		expect(await waitingIds(backend, A)).toEqual(ids);
	}),

	rule("the same id at two addresses is two messages", async ({ backend }) => {
		await acceptAll(backend, message(A, "m1"), message(B, "m1"));
		expect(await waitingIds(backend, B)).toEqual(["m1"]);
	}),

	rule(
		"an id stays known after its turn and after the call has ended, for as long as was asked",
		async ({ backend, clock }) => {
			await acceptAll(backend, message(A, "m1"));
			const { lease } = await claimed(backend, A);
			await backend.settle(lease, settlement(1, { record: record({ ended: { at: clock.now(), reason: "idle" } }) }));
			await clock.advance(7 * DAY - 1);
			expect(await backend.accept(message(A, "m1"), limits)).toEqual({ outcome: "duplicate" });
			await clock.advance(1);
			expect(await backend.accept(message(A, "m1"), limits)).toEqual({ outcome: "accepted" });
		},
	),

	rule("A15: five first messages at once make one address, one claim and five items", async ({ backend }) => {
		await Promise.all([1, 2, 3, 4, 5].map((n) => backend.accept(message(A, `m${n}`), limits)));
		const claims = await Promise.all(
			["one", "two", "three"].map((owner) => backend.claim(A, { owner, leaseMs: 2_000, window: 60, items: 100 })),
		);
		expect(claims.map(({ outcome }) => outcome).sort()).toEqual(["busy", "busy", "claimed"]);
		expect(claims.flatMap((claim) => (claim.outcome === "claimed" ? claim.items : []))).toHaveLength(5);
		expect(await backend.list({ limit: 10 })).toEqual([A]);
	}),

	rule("a full inbox stores nothing, and the message is accepted when it comes again later", async ({ backend }) => {
		const two = { ...limits, inbox: 2 };
		await acceptAll(backend, message(A, "m1"), message(A, "m2"));
		expect(await backend.accept(message(A, "m3"), two)).toEqual({ outcome: "full" });
		expect(await backend.accept(message(A, "m1"), two)).toEqual({ outcome: "duplicate" });
		expect(await backend.accept(message(B, "m3"), two)).toEqual({ outcome: "accepted" });
		const { lease } = await claimed(backend, A);
		await backend.settle(lease, settlement(2));
		expect(await backend.accept(message(A, "m3"), two)).toEqual({ outcome: "accepted" });
	}),

	rule("an edit replaces a message that waits", async ({ backend }) => {
		await acceptAll(backend, message(A, "m1"), message(A, "m2", { keys: ["k2"] }));
		const edited = { kind: "text", text: "edited" } as const;
		expect(await backend.revise(A, "k2", edited)).toBe(true);
		expect(await backend.revise(A, "m9", edited)).toBe(false);
		const { items } = await claimed(backend, A);
		expect(items).toEqual([message(A, "m1"), message(A, "m2", { keys: ["k2"], content: edited })]);
	}),

	rule(
		"A17: an edit that comes before its message is what that says when it comes, by any of its ids",
		async (bench) => {
			const early = { kind: "text", text: 'early "\n\u2028 ñ' } as const;
			const newer = { kind: "choice", choice: "c", text: "newer" } as const;
			for (const id of ["m1", "k2", "x".repeat(300)])
				expect(await bench.backend.revise(A, id, early, 60_000)).toBe(false);
			expect(await bench.backend.revise(A, "k2", newer, 60_000)).toBe(false);
			expect(await bench.backend.list({ limit: 10 })).toEqual([]);
			await bench.restart();
			await bench.clock.advance(59_000);
			const got = await bench.backend.accept(message(A, "m1"), limits, {
				owner: "direct",
				leaseMs: LEASE,
				window: 60,
				items: 9,
			});
			expect(got.claimed?.items).toEqual([message(A, "m1", { content: early })]);
			const long = message(A, "x".repeat(300));
			await acceptAll(bench.backend, message(A, "m2", { keys: ["k2"] }), long, message(A, "m3"), occurrence(A, "o1"));
			expect(await bench.backend.accept(message(A, "m1"), limits)).toEqual({ outcome: "duplicate" });
			const { waiting } = await bench.backend.view(A, { history: 0 });
			expect(waiting.slice(1)).toEqual([
				message(A, "m2", { keys: ["k2"], content: newer }),
				{ ...long, content: early },
				message(A, "m3"),
				occurrence(A, "o1"),
			]);
			expect(await bench.backend.revise(A, "m2", early)).toBe(true);
			expect((await bench.backend.view(A, { history: 0 })).waiting[1]).toMatchObject({ id: "m2", content: early });
		},
	),

	rule(
		"A17: an edit that came too early, or of another address, or after all, changes nothing",
		async ({ backend, clock }) => {
			const edited = { kind: "text", text: "edited" } as const;
			for (const [address, id] of [
				[A, "m1"],
				[B, "m2"],
			] as const)
				await backend.revise(address, id, edited, 60_000);
			await backend.revise(A, "m3", edited);
			await clock.advance(60_000);
			await acceptAll(backend, message(A, "m1"), message(A, "m2"), message(A, "m3"));
			const { lease, items } = await claimed(backend, A);
			expect(items).toEqual([message(A, "m1"), message(A, "m2"), message(A, "m3")]);
			await backend.settle(lease, settlement(3));
			for (const id of ["m1", "m2", "m3"]) expect(await backend.revise(A, id, edited, 60_000)).toBe(false);
			expect(await backend.accept(message(A, "m1"), limits)).toEqual({ outcome: "duplicate" });
			await clock.advance(60_000);
			await acceptAll(backend, message(A, "m4"), message(A, "m5", { keys: ["k5"] }));
			expect((await backend.view(A, { history: 0 })).waiting).toEqual([
				message(A, "m4"),
				message(A, "m5", { keys: ["k5"] }),
			]);
		},
	),

	rule(
		"A17: an edit waits for its message also while the inbox is full, and is not told as a message",
		async ({ backend }) => {
			const edited = { kind: "text", text: "edited" } as const;
			await acceptAll(backend, message(A, "m1"));
			await backend.revise(A, "m2", edited, 60_000);
			expect(await waitingIds(backend, A)).toEqual(["m1"]);
			expect(await backend.accept(message(A, "m2"), { ...limits, inbox: 1 })).toEqual({ outcome: "full" });
			await acceptAll(backend, message(A, "m2"));
			const { items } = await claimed(backend, A);
			expect(items).toEqual([message(A, "m1"), message(A, "m2", { content: edited })]);
		},
	),

	rule(
		"an edit leaves alone what a turn has begun to read, also when that turn was cut off",
		async ({ backend, clock }) => {
			await acceptAll(backend, message(A, "m1"));
			const { lease } = await claimed(backend, A);
			await acceptAll(backend, message(A, "m2"));
			const edited = { kind: "text", text: "edited" } as const;
			expect(await backend.revise(A, "m1", edited)).toBe(false);
			expect(await backend.revise(A, "m2", edited)).toBe(true);
			await backend.journal(lease, 0, [{ entry: "began", items: 1 }]);
			await clock.advance(10_000);
			expect(await backend.revise(A, "m1", edited)).toBe(false);
		},
	),

	rule("an address that was not made by addressKey is refused", async ({ backend }) => {
		for (const bad of ["", "web|a b", `web|${"x".repeat(2_000)}`])
			await expect(backend.accept(message(bad, "m1"), limits)).rejects.toMatchObject({ code: "BAD_ADDRESS" });
	}),
];
