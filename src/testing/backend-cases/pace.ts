import { expect } from "vitest";
import { addressKey } from "../../call/address.js";
import type { Backend } from "../../engine/backend.js";
import { claimed, LEASE, limits, message, row, rule, say, settlement } from "./conformance-case.js";

const A = addressKey({ door: "web", chat: "ana" });
const TOPIC = addressKey({ door: "web", chat: "ana", thread: "7" });
const B = addressKey({ door: "web", chat: "ben" });
const pace = { burst: 2, everyMs: 1_000 };
const sent = { status: "sent", platformId: "p" } as const;

async function outcome(backend: Backend, address: string, owner = "sender"): Promise<string> {
	const taken = await backend.take(address, { owner, leaseMs: LEASE, pace });
	if (taken.outcome !== "row") return taken.outcome === "later" ? `later ${taken.at}` : taken.outcome;
	await backend.mark(address, owner, taken.row.id, sent);
	return taken.row.id;
}

/** How fast a chat takes what is sent. */
export const paceCases = [
	rule("E7: a chat takes so many rows at once, then one at a time, whoever sends", async ({ backend, clock }) => {
		await say(
			backend,
			A,
			["1", "2", "3", "4"].map((id) => row(id)),
		);
		await say(backend, B, [row("other")]);
		const start = clock.now();
		expect([await outcome(backend, A), await outcome(backend, A, "two")]).toEqual(["1", "2"]);
		expect([await outcome(backend, A), await outcome(backend, A, "two")]).toEqual(
			Array(2).fill(`later ${start + 1_000}`),
		);
		const { outbox } = await backend.view(A, { history: 0 });
		expect(outbox[0]).toMatchObject({ status: "pending", notBefore: start + 1_000 });
		expect(await outcome(backend, B)).toBe("other");
		await clock.advance(1_000);
		expect([await outcome(backend, A), await outcome(backend, A)]).toEqual(["3", `later ${start + 2_000}`]);
		await clock.advance(1_000);
		expect([await outcome(backend, A), await outcome(backend, A)]).toEqual(["4", "empty"]);
	}),

	rule("after a rest a chat takes as many at once as ever, and no more", async ({ backend, clock }) => {
		await say(
			backend,
			A,
			["1", "2", "3"].map((id) => row(id)),
		);
		await outcome(backend, A);
		await clock.advance(3_600_000);
		const now = clock.now();
		const three = [await outcome(backend, A), await outcome(backend, A), await outcome(backend, A)];
		expect(three).toEqual(["2", "3", "empty"]);
		await say(backend, A, [row("4")]);
		expect(await outcome(backend, A)).toBe(`later ${now + 1_000}`);
	}),

	rule("the threads of a chat are one chat", async ({ backend, clock }) => {
		await say(backend, A, [row("1"), row("2")]);
		await say(backend, TOPIC, [row("3"), row("4")]);
		const at = clock.now() + 1_000;
		expect([await outcome(backend, TOPIC), await outcome(backend, A)]).toEqual(["3", "1"]);
		expect([await outcome(backend, TOPIC), await outcome(backend, A)]).toEqual(Array(2).fill(`later ${at}`));
	}),

	rule("a row that is taken along the way keeps to the pace as well", async ({ backend, clock }) => {
		const take = { owner: "direct", leaseMs: LEASE, pace };
		await backend.accept(message(A, "m1"), limits);
		const { lease, position } = await claimed(backend, A);
		const rows = ["1", "2", "3"].map((id) => row(id));
		const { taken } = await backend.settle(lease, settlement(position + 1, { outbox: rows }), { take });
		expect(taken).toMatchObject({ outcome: "row", row: { id: "1" } });
		const second = await backend.mark(A, "direct", "1", sent, { leaseMs: LEASE, pace });
		expect(second).toMatchObject({ outcome: "row", row: { id: "2" } });
		const later = { outcome: "later", at: clock.now() + 1_000 };
		expect(await backend.mark(A, "direct", "2", sent, { leaseMs: LEASE, pace })).toEqual(later);
		await backend.accept(message(A, "m2"), limits);
		const next = await claimed(backend, A);
		const more = settlement(next.position + 1, { outbox: [row("4")] });
		expect((await backend.settle(next.lease, more, { take })).taken).toEqual(later);
		await clock.advance(1_000);
		expect(await outcome(backend, A)).toBe("3");
	}),

	rule("a row taken again by the same order counts once", async ({ backend }) => {
		await say(backend, A, [row("1"), row("2")]);
		await backend.take(A, { owner: "sender", leaseMs: LEASE, pace });
		const next = { leaseMs: LEASE, pace };
		const first = await backend.mark(A, "sender", "1", sent, next);
		expect(first).toMatchObject({ outcome: "row", attempt: 1 });
		expect(await backend.mark(A, "sender", "1", sent, next)).toEqual(first);
		await say(backend, A, [row("3")]);
		await backend.mark(A, "sender", "2", sent);
		expect(await outcome(backend, A)).toMatch(/^later/);
	}),

	rule("a row that waits for its chat is offered at its time, also after a kill", async (bench) => {
		await say(
			bench.backend,
			A,
			["1", "2", "3"].map((id) => row(id)),
		);
		const at = bench.clock.now() + 1_000;
		for (let n = 0; n < 3; n += 1) await outcome(bench.backend, A);
		const { backend } = bench;
		expect((await backend.view(A, { history: 0 })).outbox[0]).toMatchObject({ notBefore: at });
		const next = await bench.restart();
		expect(await outcome(next, A)).toBe(`later ${at}`);
		const came = new Promise<string>((resolve) => {
			next.serve("sends", 5, async (address) => {
				const got = await outcome(next, address);
				if (!got.startsWith("later")) resolve(`${address} ${got}, ${bench.clock.now() >= at ? "in time" : "early"}`);
			});
		});
		await bench.clock.advance(3_000);
		expect(await came).toBe(`${A} 3, in time`);
	}),

	rule("rows that wait for their turn are taken by whoever comes, and offered again in the end", async (bench) => {
		await say(bench.backend, A, [row("1")]);
		await say(bench.backend, B, [row("2")]);
		for (const address of [A, B]) await bench.backend.postpone?.(address, bench.clock.now() + 30_000);
		expect(await outcome(bench.backend, B)).toBe("2");
		const next = await bench.restart();
		const came = new Promise<string>((resolve) => {
			next.serve("sends", 5, async (address) => {
				const got = await outcome(next, address);
				if (got !== "empty") resolve(`${address} ${got}`);
			});
		});
		await bench.clock.advance(60_000);
		expect(await came).toBe(`${A} 1`);
	}),

	rule("a row that is being sent is taken over in its time, whatever is postponed", async ({ backend, clock }) => {
		await say(backend, A, [row("1")]);
		await backend.take(A, { owner: "dead", leaseMs: LEASE, pace });
		await backend.postpone?.(A, clock.now() + 30_000);
		const came = new Promise<string>((resolve) => {
			backend.serve("sends", 5, async (address) => {
				const got = await outcome(backend, address, "next");
				if (got !== "busy") resolve(got);
			});
		});
		await clock.advance(LEASE + 4_000);
		expect(await came).toBe("unknown");
	}),
];
