import { expect } from "vitest";
import { addressKey } from "../../call/address.js";
import type { Backend } from "../../engine/backend.js";
import type { News } from "../../engine/news.js";
import {
	acceptAll,
	claim,
	claimed,
	LEASE,
	limits,
	message,
	occurrence,
	rule,
	settlement,
	waitingIds,
} from "./conformance-case.js";

const A = addressKey({ door: "web", chat: "ana" });
const terms = { leaseMs: LEASE, window: 60, items: 100 };
const direct = { owner: "direct", ...terms };
const gathering = { ...limits, gatherMs: 3_000 };

/** Serves turns, and notes what each handed out and when. */
function serve(backend: Backend, clock: { now(): number }) {
	const turns: { at: number; ids: readonly string[] }[] = [];
	/** Resolves when turns have handled so many items, however many turns that took. */
	const handled = async (count: number) => {
		while (turns.flatMap(({ ids }) => ids).length < count) await new Promise((resolve) => setImmediate(resolve));
	};
	const serving = backend.serve("turns", 1, async (address) => {
		const got = await claim(backend, address, "server");
		if (got.outcome !== "claimed") return;
		turns.push({ at: clock.now(), ids: got.items.map(({ id }) => id) });
		await backend.settle(got.lease, settlement(got.position + got.items.length));
	});
	return { turns, handled, stop: () => serving.stop(1_000) };
}

/** What arrives while a turn runs, and what puts a turn off until more has arrived. */
export const arrivalCases = [
	rule("whoever renews a lease can have what came since, as often as it is asked", async ({ backend }) => {
		await acceptAll(backend, message(A, "m1"), message(A, "m2"));
		const { lease } = await claimed(backend, A, "one", { items: 1 });
		expect(await backend.extend(lease, LEASE)).toEqual([]);
		const look = { from: 1, items: 1 };
		expect(await backend.extend(lease, LEASE, look)).toEqual([message(A, "m2")]);
		await backend.accept(message(A, "m3"), limits);
		expect(await backend.extend(lease, LEASE, look)).toEqual([message(A, "m2")]);
		expect(await backend.extend(lease, LEASE, { from: 2, items: 10 })).toEqual([message(A, "m3")]);
		expect(await backend.extend(lease, LEASE, { from: 3, items: 10 })).toEqual([]);
		expect(await waitingIds(backend, A)).toEqual(["m1", "m2", "m3"]);
		await backend.settle(lease, settlement(3));
		expect(await claim(backend, A)).toEqual({ outcome: "idle" });
	}),

	rule("what was handed out on the way cannot be revised any more; given back, it can", async ({ backend }) => {
		await acceptAll(backend, message(A, "m1"));
		const { lease } = await claimed(backend, A);
		await backend.accept(message(A, "m2"), limits);
		await backend.extend(lease, LEASE, { from: 1, items: 10 });
		const edited = { kind: "text", text: "edited" } as const;
		expect(await backend.revise(A, "m2", edited)).toBe(false);
		await backend.release(lease, {});
		expect(await backend.revise(A, "m2", edited)).toBe(true);
	}),

	rule("A6: messages of which more may follow put the turn off until it is quiet", async ({ backend, clock }) => {
		const { turns, handled, stop } = serve(backend, clock);
		const begun = clock.now();
		for (const id of ["m1", "m2", "m3"]) {
			const got = await backend.accept(message(A, id, { gathersMs: 1_000 }), gathering, direct);
			expect(got).toEqual({ outcome: "accepted" });
			await clock.advance(500);
		}
		expect(turns).toEqual([]);
		await clock.advance(2_000);
		await handled(3);
		expect(turns.map(({ ids }) => ids)).toEqual([["m1", "m2", "m3"]]);
		expect(turns[0]?.at).toBeGreaterThanOrEqual(begun + 2_000);
		await stop();
	}),

	rule("A6: somebody who never stops is not put off for ever", async ({ backend, clock }) => {
		const { turns, handled, stop } = serve(backend, clock);
		for (let n = 0; n < 12; n += 1) {
			await backend.accept(message(A, `m${n}`, { gathersMs: 1_000 }), gathering);
			await clock.advance(500);
		}
		await handled(6);
		await clock.advance(2_000);
		await handled(12);
		expect(turns.length).toBeLessThan(5);
		expect(turns.flatMap(({ ids }) => ids)).toEqual(Array.from({ length: 12 }, (_, n) => `m${n}`));
		await stop();
	}),

	rule("a message that says nothing of more to follow begins the turn, with all before it", async ({ backend }) => {
		await backend.accept(message(A, "m1", { gathersMs: 60_000 }), { ...limits, gatherMs: 60_000 });
		const { claimed: got } = await backend.accept(message(A, "m2"), limits, direct);
		expect(got?.items.map(({ id }) => id)).toEqual(["m1", "m2"]);
	}),

	rule("what comes in mid-turn can put off the next turn too; an occurrence puts nothing off", async (bench) => {
		const { backend, clock } = bench;
		await acceptAll(backend, message(A, "m1"));
		const first = await claimed(backend, A);
		await backend.accept(message(A, "m2", { gathersMs: 1_000 }), gathering);
		expect(await backend.settle(first.lease, settlement(1), { claim: terms })).toEqual({});
		await backend.accept(occurrence(A, "o1"), limits);
		const { turns, handled, stop } = serve(backend, clock);
		await clock.advance(500);
		expect(turns).toEqual([]);
		await clock.advance(2_000);
		await handled(2);
		expect(turns.map(({ ids }) => ids)).toEqual([["m2", "o1"]]);
		await stop();
	}),

	rule("a turn that is put off is not forgotten by a process that dies", async (bench) => {
		await bench.backend.accept(message(A, "m1", { gathersMs: 1_000 }), gathering);
		const backend = await bench.restart();
		const { turns, handled, stop } = serve(backend, bench.clock);
		await bench.clock.advance(6_000);
		await handled(1);
		expect(turns.map(({ ids }) => ids)).toEqual([["m1"]]);
		await stop();
	}),

	rule(
		"what is published from when it listens is heard in order, until whoever hears has had enough",
		async ({ backend, clock }) => {
			if (backend.publish === undefined || backend.listen === undefined) return;
			const heard: News[] = [];
			const stop = await backend.listen((news) => heard.push(news));
			const news = (turn: string): News => ({
				from: "one",
				address: A,
				news: "shown",
				event: { kind: "draft", turn, text: "Hello" },
			});
			for (const turn of ["1", "2", "3"]) backend.publish(news(turn));
			while (heard.length < 3) await new Promise((resolve) => setImmediate(resolve));
			expect(heard).toEqual(["1", "2", "3"].map(news));
			stop();
			backend.publish(news("4"));
			await clock.advance(100);
			expect(heard).toHaveLength(3);
		},
	),
];
