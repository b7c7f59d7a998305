import { expect } from "vitest";
import { addressKey } from "../../call/address.js";
import type { Backend, Timer } from "../../engine/backend.js";
import {
	claimed,
	followedBy,
	limits,
	message,
	occurrence,
	record,
	rule,
	say,
	settlement,
	waitingIds,
} from "./conformance-case.js";

const A = addressKey({ door: "web", chat: "ana" });
const HOUR = 3_600_000;

async function change(backend: Backend, id: string, more: { timers?: readonly Timer[]; cancel?: readonly string[] }) {
	await say(backend, A, [], { ...more, ...followedBy(occurrence(A, id)) });
	const { lease, position } = await claimed(backend, A);
	await backend.settle(lease, settlement(position + 1));
}

export const timerCases = [
	rule("a timer brings its item in once, when its time has come", async ({ backend, clock }) => {
		await change(backend, "a", { timers: [{ id: "t1", at: clock.now() + HOUR, item: occurrence(A, "o1") }] });
		await clock.advance(HOUR - 1);
		expect(await waitingIds(backend, A)).toEqual([]);
		await clock.advance(1);
		expect(await waitingIds(backend, A)).toEqual(["o1"]);
		expect((await backend.view(A, { history: 0 })).timers).toEqual([]);
		await clock.advance(48 * HOUR);
		expect(await waitingIds(backend, A)).toEqual(["o1"]);
	}),

	rule("timers fire in the order of their times, also those farther away than a month", async ({ backend, clock }) => {
		const after = (id: string, hours: number) => ({ id, at: clock.now() + hours * HOUR, item: occurrence(A, id) });
		await change(backend, "a", { timers: [after("far", 1_000), after("second", 2), after("first", 1)] });
		await clock.advance(999 * HOUR);
		expect(await waitingIds(backend, A)).toEqual(["first", "second"]);
		await clock.advance(HOUR);
		expect(await waitingIds(backend, A)).toEqual(["first", "second", "far"]);
	}),

	rule("a timer set again is replaced, a cancelled one never fires", async ({ backend, clock }) => {
		const timer = (id: string, hours: number, item: string) => ({
			id,
			at: clock.now() + hours * HOUR,
			item: occurrence(A, item),
		});
		await change(backend, "a", { timers: [timer("t1", 1, "early"), timer("t2", 1, "gone")] });
		await change(backend, "b", { timers: [timer("t1", 2, "late")], cancel: ["t2", "never set"] });
		await clock.advance(HOUR);
		expect(await waitingIds(backend, A)).toEqual([]);
		await clock.advance(HOUR);
		expect(await waitingIds(backend, A)).toEqual(["late"]);
	}),

	rule("a timer cancelled and set by one turn is set", async ({ backend, clock }) => {
		const timers = [{ id: "t1", at: clock.now() + HOUR, item: occurrence(A, "o1") }];
		await change(backend, "a", { timers, cancel: ["t1"] });
		await clock.advance(HOUR);
		expect(await waitingIds(backend, A)).toEqual(["o1"]);
	}),

	rule("a timer survives a restart, and one that came due meanwhile fires once", async (bench) => {
		const { clock } = bench;
		const at = (hours: number) => clock.now() + hours * HOUR;
		await change(bench.backend, "a", {
			timers: [
				{ id: "t1", at: at(1), item: occurrence(A, "o1") },
				{ id: "t2", at: at(2), item: occurrence(A, "o2") },
			],
		});
		await bench.restart();
		await clock.advance(HOUR);
		expect(await waitingIds(bench.backend, A)).toEqual(["o1"]);
		await bench.backend.close();
		await clock.advance(5 * HOUR);
		await bench.backend.open();
		await clock.advance(1);
		expect(await waitingIds(bench.backend, A)).toEqual(["o1", "o2"]);
		await bench.restart();
		await clock.advance(HOUR);
		expect(await waitingIds(bench.backend, A)).toEqual(["o1", "o2"]);
	}),

	rule("a timer that its own turns set again beats on, over a restart too, until it is cancelled", async (bench) => {
		const { clock } = bench;
		const start = clock.now();
		const beat = (n: number): Timer => {
			const repeat = { id: "beat", every: HOUR, by: "call-1.1" };
			const at = start + n * HOUR;
			const fired = { kind: "event", name: "beat", data: { n }, source: "timer", repeat } as const;
			return {
				id: "later.beat",
				at,
				item: { type: "occurrence", id: `call-1.${n}.later.beat`, address: A, occurrence: fired, at },
			};
		};
		const turn = async (more: Parameters<typeof settlement>[1]) => {
			const { lease, position, items, record: now } = await claimed(bench.backend, A);
			const repeats = { beat: "call-1.1" };
			await bench.backend.settle(lease, settlement(position + 1, { record: record({ repeats }), ...more }));
			return { items, repeats: now?.repeats };
		};
		await bench.backend.accept(message(A, "m1"), limits);
		await turn({ fresh: true, timers: [beat(1)] });
		for (const n of [1, 2, 3]) {
			if (n === 2) await bench.restart();
			await clock.advance(HOUR);
			expect(await turn({ timers: [beat(n + 1)] })).toEqual({ items: [beat(n).item], repeats: { beat: "call-1.1" } });
			expect((await bench.backend.view(A, { history: 0 })).timers).toEqual([beat(n + 1)]);
		}
		await clock.advance(HOUR - 1);
		await bench.backend.accept(message(A, "m2"), limits);
		await clock.advance(1);
		expect(await waitingIds(bench.backend, A)).toEqual(["m2", "call-1.4.later.beat"]);
		await turn({ cancel: ["later.beat"], record: record() });
		expect(await turn({ record: record() })).toEqual({ items: [beat(4).item], repeats: undefined });
		await clock.advance(48 * HOUR);
		expect(await waitingIds(bench.backend, A)).toEqual([]);
	}),

	rule("a timer fires into a full inbox", async ({ backend, clock }) => {
		await change(backend, "a", { timers: [{ id: "t1", at: clock.now() + HOUR, item: occurrence(A, "o1") }] });
		await backend.accept(message(A, "m1"), { inbox: 1, dedupeMs: 1 });
		await clock.advance(HOUR);
		expect(await waitingIds(backend, A)).toEqual(["m1", "o1"]);
	}),
];
