import { expect } from "vitest";
import { addressKey } from "../../call/address.js";
import type { Backend, Serving, Work } from "../../engine/backend.js";
import {
	acceptAll,
	claim,
	claimed,
	LEASE,
	limits,
	message,
	row,
	rule,
	say,
	send,
	settlement,
	waitingIds,
} from "./conformance-case.js";

const at = (chat: string | number) => addressKey({ door: "web", chat: `${chat}` });
const A = at("ana");

/** What a server ran, and a way to wait for it on events. */
class Runs {
	readonly order: string[] = [];
	#waiting: { count: number; resolve: () => void }[] = [];

	done(address: string): void {
		this.order.push(address);
		const ready = this.#waiting.filter(({ count }) => count <= this.order.length);
		this.#waiting = this.#waiting.filter(({ count }) => count > this.order.length);
		for (const { resolve } of ready) resolve();
	}

	count(count: number): Promise<void> {
		if (this.order.length >= count) return Promise.resolve();
		return new Promise((resolve) => this.#waiting.push({ count, resolve }));
	}
}

/** Serves turns that use up `items` items at a time. A call that finds nothing to do does no harm and counts for nothing. */
function serveTurns(backend: Backend, concurrency: number, items = 100, during?: (address: string) => Promise<void>) {
	const runs = new Runs();
	const serving = backend.serve("turns", concurrency, async (address) => {
		const got = await claim(backend, address, "server", { items });
		await during?.(address);
		if (got.outcome !== "claimed") return;
		await backend.settle(got.lease, settlement(got.position + got.items.length));
		runs.done(address);
	});
	return { runs, serving };
}

const stop = (...serving: readonly Serving[]) => Promise.all(serving.map((each) => each.stop(1_000)));

function deferred(): { promise: Promise<void>; resolve: () => void } {
	let resolve = () => {};
	const promise = new Promise<void>((done) => {
		resolve = done;
	});
	return { promise, resolve };
}

export const servingCases = [
	rule("work that waited before is served, and work that comes is served when it comes", async ({ backend }) => {
		await acceptAll(backend, message(A, "m1"));
		const { runs, serving } = serveTurns(backend, 10);
		await runs.count(1);
		await acceptAll(backend, message(A, "m2"), message(at("ben"), "m1"));
		await runs.count(3);
		expect(runs.order[0]).toBe(A);
		expect([...runs.order].sort()).toEqual([A, A, at("ben")]);
		await stop(serving);
		expect(await backend.list({ limit: 10, only: "waiting" })).toEqual([]);
	}),

	rule(
		"A7, A8: one address is never served twice at once, different ones are, up to the bound",
		async ({ backend }) => {
			const chats = Array.from({ length: 20 }, (_, n) => at(n));
			const running = new Map<string, number>();
			let most = 0;
			const handled = new Map<string, string[]>();
			const all = new Runs();
			const run = async (address: string) => {
				running.set(address, (running.get(address) ?? 0) + 1);
				most = Math.max(most, [...running.values()].filter((n) => n > 0).length);
				expect(running.get(address)).toBe(1);
				const got = await claimed(backend, address, "server", { items: 1 });
				handled.set(address, [...(handled.get(address) ?? []), ...got.items.map(({ id }) => id)]);
				await new Promise((resolve) => setImmediate(resolve));
				await backend.settle(got.lease, settlement(got.position + 1));
				running.set(address, 0);
				all.done(address);
			};
			const serving = [backend.serve("turns", 3, run), backend.serve("turns", 2, run)];
			const ids = Array.from({ length: 10 }, (_, n) => `m${n}`);
			for (const id of ids) await Promise.all(chats.map((chat) => backend.accept(message(chat, id), limits)));
			await all.count(200);
			await stop(...serving);
			expect(most).toBe(5);
			for (const chat of chats) expect(handled.get(chat)).toEqual(ids);
		},
	),

	rule(
		"an address whose lease is not given back is served again when the lease is over",
		async ({ backend, clock }) => {
			await acceptAll(backend, message(A, "m1"));
			await claimed(backend, A, "dead");
			const { runs, serving } = serveTurns(backend, 10);
			await clock.advance(LEASE + 3_000);
			await runs.count(1);
			await stop(serving);
			expect(await waitingIds(backend, A)).toEqual([]);
		},
	),

	rule("work left by a killed process is served by the next one within 5 s", async (bench) => {
		await acceptAll(bench.backend, message(A, "m1"), message(at("ben"), "m1"));
		await claimed(bench.backend, A, "dead");
		await bench.restart();
		const { runs, serving } = serveTurns(bench.backend, 10);
		await bench.clock.advance(5_000);
		await runs.count(2);
		await stop(serving);
		expect(await bench.backend.list({ limit: 10, only: "waiting" })).toEqual([]);
	}),

	rule("a turn to be tried later is served then, not before", async ({ backend, clock }) => {
		await acceptAll(backend, message(A, "m1"));
		const { lease } = await claimed(backend, A);
		await backend.release(lease, { retryAt: clock.now() + 60_000, failure: "it threw" });
		const { runs, serving } = serveTurns(backend, 10);
		await acceptAll(backend, message(A, "m2"));
		await clock.advance(59_000);
		expect(runs.order).toEqual([]);
		await clock.advance(3_000);
		await runs.count(1);
		await stop(serving);
		expect(await waitingIds(backend, A)).toEqual([]);
	}),

	rule("a parked address is served only after it is let go", async ({ backend }) => {
		await acceptAll(backend, message(A, "m1"));
		const { lease } = await claimed(backend, A);
		await backend.park(lease, "it threw");
		const { runs, serving } = serveTurns(backend, 10);
		await acceptAll(backend, message(A, "m2"), message(at("ben"), "m1"));
		await runs.count(1);
		expect(runs.order).toEqual([at("ben")]);
		await backend.unpark(A);
		await runs.count(2);
		await stop(serving);
	}),

	rule("fairness: a thousand addresses are each served once before any is served again", async ({ backend }) => {
		const chats = Array.from({ length: 1_000 }, (_, n) => at(n));
		for (const id of ["m1", "m2"]) await Promise.all(chats.map((chat) => backend.accept(message(chat, id), limits)));
		const { runs, serving } = serveTurns(backend, 10, 1);
		await runs.count(2_000);
		await stop(serving);
		const allButThoseUnderWay = runs.order.slice(0, 1_000 - 10);
		expect(new Set(allButThoseUnderWay).size).toBe(allButThoseUnderWay.length);
	}),

	rule("fairness: an address with a thousand items does not keep the others waiting", async ({ backend }) => {
		await Promise.all(Array.from({ length: 1_000 }, (_, n) => backend.accept(message(A, `m${n}`), limits)));
		const others = Array.from({ length: 20 }, (_, n) => at(n));
		await Promise.all(others.map((chat) => backend.accept(message(chat, "m1"), limits)));
		const { runs, serving } = serveTurns(backend, 1, 10);
		await runs.count(120);
		await stop(serving);
		const served = runs.order.slice(0, 42).filter((address) => address !== A);
		expect(new Set(served).size).toBe(20);
	}),

	rule("how many run at once can be changed while they run", async ({ backend }) => {
		const addresses = Array.from({ length: 6 }, (_, n) => addressKey({ door: "web", chat: `c${n}` }));
		let running = 0;
		let most = 0;
		const held = [deferred(), deferred()];
		const { runs, serving } = serveTurns(backend, 2, 100, async () => {
			running += 1;
			most = Math.max(most, running);
			await held.shift()?.promise;
			running -= 1;
		});
		const [first, second] = held;
		for (const address of addresses.slice(0, 2)) await backend.accept(message(address, "m1"), limits);
		while (held.length > 0) await new Promise((resolve) => setImmediate(resolve));
		serving.allow(1);
		first?.resolve();
		second?.resolve();
		await runs.count(2);
		most = 0;
		for (const address of addresses.slice(2)) await backend.accept(message(address, "m1"), limits);
		await runs.count(6);
		expect(most).toBe(1);
		await stop(serving);
	}),

	rule("stopping takes nothing new and waits for what runs, but no longer than asked", async ({ backend, clock }) => {
		const hold = deferred();
		const began = deferred();
		await acceptAll(backend, message(A, "m1"));
		const { runs, serving } = serveTurns(backend, 10, 100, async () => {
			began.resolve();
			await hold.promise;
		});
		await began.promise;
		let stopped = false;
		const stopping = serving.stop(10_000).then(() => {
			stopped = true;
		});
		await acceptAll(backend, message(at("ben"), "m1"));
		await clock.advance(9_000);
		expect(stopped).toBe(false);
		await clock.advance(1_000);
		await stopping;
		hold.resolve();
		await runs.count(1);
		expect(runs.order).toEqual([A]);
		expect(await waitingIds(backend, at("ben"))).toEqual(["m1"]);
	}),

	...(["turns", "sends"] satisfies Work[]).map((work) =>
		rule(`serving ${work} does not serve the other kind of work`, async ({ backend }) => {
			await say(backend, at("out"), [row("1")]);
			await acceptAll(backend, message(at("in"), "m1"));
			const runs = new Runs();
			const serving = backend.serve(work, 10, async (address) => {
				if (work === "sends") await send(backend, address);
				else {
					const got = await claimed(backend, address);
					await backend.settle(got.lease, settlement(got.position + 1));
				}
				runs.done(address);
			});
			await runs.count(1);
			await stop(serving);
			expect(runs.order).toEqual([work === "sends" ? at("out") : at("in")]);
		}),
	),

	rule("a sender is woken by a turn's rows, by a human's words and when a retry is due", async ({ backend, clock }) => {
		const runs = new Runs();
		const serving = backend.serve("sends", 10, async (address) => {
			const taken = await backend.take(address, { owner: "s", leaseMs: LEASE });
			if (taken.outcome === "row") {
				const again = taken.row.id === "2" && taken.attempt === 1;
				const retry = { status: "retry", at: clock.now() + 30_000, reason: "429" } as const;
				await backend.mark(address, "s", taken.row.id, again ? retry : { status: "sent", platformId: "p" });
				runs.done(taken.row.id);
			}
		});
		await say(backend, A, [row("1")], { fresh: true });
		await runs.count(1);
		await backend.amend(A, { say: [row("2", { by: "human" })] });
		await runs.count(2);
		await clock.advance(29_000);
		expect(runs.order).toEqual(["1", "2"]);
		await clock.advance(3_000);
		await runs.count(3);
		await stop(serving);
		expect(runs.order).toEqual(["1", "2", "2"]);
	}),
];
