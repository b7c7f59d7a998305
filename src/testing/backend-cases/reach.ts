import { expect } from "vitest";
import { addressKey } from "../../call/address.js";
import type { InboxItem } from "../../call/message.js";
import type { Backend, RowResult, Timer } from "../../engine/backend.js";
import {
	acceptAll,
	claimed,
	limits,
	message,
	occurrence,
	record,
	row,
	rule,
	say,
	send,
	settlement,
	take,
	waitingIds,
} from "./conformance-case.js";

const A = addressKey({ door: "web", chat: "ana" });
const B = addressKey({ door: "web", chat: "ben" });
const HOUR = 3_600_000;
const blocked = { status: "failed", reason: 'blocked: "403"\nby ana', unreachable: true } as const;

/** Takes the first row and says what became of it. */
async function mark(backend: Backend, result: RowResult): Promise<void> {
	const taken = await take(backend, A);
	if (taken.outcome !== "row") throw new Error(`taking was answered "${taken.outcome}"`);
	await backend.mark(A, "sender", taken.row.id, result);
}

/** Handles what waits, all of it. */
async function handle(backend: Backend, more: Parameters<typeof settlement>[1] = {}): Promise<readonly InboxItem[]> {
	const { lease, items, position } = await claimed(backend, A);
	await backend.settle(lease, settlement(position + items.length, more));
	return items;
}

const unreachable = async (backend: Backend, address = A) => (await backend.view(address, { history: 0 })).unreachable;

/** Until a person writes again. */
export const reachCases = [
	rule("D8: a row that shows that nobody can be reached is on record until the next message", async (bench) => {
		const { backend, clock } = bench;
		await say(backend, A, [row("r1"), row("r2")]);
		expect(await unreachable(backend)).toBeUndefined();
		const at = clock.now();
		await mark(backend, blocked);
		expect(await unreachable(backend)).toEqual({ at, reason: blocked.reason });
		await clock.advance(HOUR);
		await mark(backend, { ...blocked, reason: "another" });
		await bench.restart();
		expect(await unreachable(bench.backend)).toEqual({ at, reason: blocked.reason });
		expect((await bench.backend.view(A, { history: 0 })).marks.map(({ reason }) => reason)).toEqual([
			blocked.reason,
			"another",
		]);
		await acceptAll(bench.backend, occurrence(A, "o1"));
		expect(await bench.backend.accept(message(A, "for r1"), limits)).toEqual({ outcome: "duplicate" });
		expect(await unreachable(bench.backend)).toBeDefined();
		await acceptAll(bench.backend, message(A, "m1"));
		expect(await unreachable(bench.backend)).toBeUndefined();
	}),

	rule(
		"D8: other failures say nothing of the person; a row that arrives says that they are there",
		async ({ backend }) => {
			await say(backend, A, [row("r1"), row("r2"), row("r3"), row("r4")]);
			await mark(backend, { status: "failed", reason: "400" });
			await mark(backend, { status: "ambiguous", reason: "reset" });
			expect(await unreachable(backend)).toBeUndefined();
			await mark(backend, blocked);
			expect(await unreachable(backend)).toBeDefined();
			await send(backend, A);
			expect(await unreachable(backend)).toBeUndefined();
		},
	),

	rule("D8: the platform may say so by itself, of whom is known, and take it back", async ({ backend, clock }) => {
		await backend.reach(B, "blocked");
		await backend.reach(B, undefined);
		expect(await backend.list({ limit: 10 })).toEqual([]);
		await acceptAll(backend, message(A, "m1"));
		const at = clock.now();
		await backend.reach(A, "blocked");
		await clock.advance(1);
		await backend.reach(A, "gone");
		expect(await unreachable(backend)).toEqual({ at, reason: "blocked" });
		expect(await unreachable(backend, B)).toBeUndefined();
		for (let time = 0; time < 2; time += 1) await backend.reach(A, undefined);
		expect(await unreachable(backend)).toBeUndefined();
	}),

	rule("D8: an agent's timers rest meanwhile, others fire; then they come in, each once", async (bench) => {
		const { clock } = bench;
		const timer = (id: string, hours: number): Timer => {
			return { id, at: clock.now() + hours * HOUR, item: occurrence(A, `item of ${id}`) };
		};
		await say(bench.backend, A, [row("r1")], {
			timers: [
				timer("later.a", 1),
				timer("later.b", 2),
				timer("later.gone", 2),
				timer("later.far", 90),
				timer("idle", 3),
			],
		});
		await mark(bench.backend, blocked);
		await clock.advance(2 * HOUR);
		expect(await waitingIds(bench.backend, A)).toEqual([]);
		await bench.restart();
		await clock.advance(HOUR);
		expect(await waitingIds(bench.backend, A)).toEqual(["item of idle"]);
		await clock.advance(48 * HOUR);
		await handle(bench.backend, { cancel: ["later.gone"], timers: [timer("later.new", 1)] });
		await clock.advance(2 * HOUR);
		expect(await waitingIds(bench.backend, A)).toEqual([]);
		const resting = (await bench.backend.view(A, { history: 0 })).timers.map(({ id }) => id);
		expect([...resting].sort()).toEqual(["later.a", "later.b", "later.far", "later.new"]);
		await acceptAll(bench.backend, message(A, "m1"));
		await clock.advance(1_000);
		expect(await waitingIds(bench.backend, A)).toEqual([
			"m1",
			"item of later.a",
			"item of later.b",
			"item of later.new",
		]);
		await handle(bench.backend);
		await clock.advance(90 * HOUR);
		expect(await waitingIds(bench.backend, A)).toEqual(["item of later.far"]);
	}),

	rule(
		"D8: timers that rest go on, too, when something arrives or the platform says so",
		async ({ backend, clock }) => {
			const rested = async (id: string) => {
				const at = clock.now() + HOUR;
				await say(backend, A, [row(`${id}.1`), row(`${id}.2`)], {
					timers: [{ id: "later.a", at, item: occurrence(A, id) }],
				});
				await mark(backend, blocked);
				await clock.advance(2 * HOUR);
				expect(await waitingIds(backend, A)).toEqual([]);
			};
			await rested("o1");
			await send(backend, A);
			await clock.advance(1_000);
			expect((await handle(backend)).map(({ id }) => id)).toEqual(["o1"]);
			await rested("o2");
			await backend.reach(A, undefined);
			await clock.advance(1_000);
			expect((await handle(backend)).map(({ id }) => id)).toEqual(["o2"]);
		},
	),

	rule(
		"D8: what rests when its call ends is over within a day, so that the call can be forgotten",
		async ({ backend, clock }) => {
			const timer = (id: string, hours: number): Timer => {
				return { id, at: clock.now() + hours * HOUR, item: occurrence(A, id) };
			};
			await say(backend, A, [row("r1")], { timers: [timer("later.a", 1), timer("idle", 2)] });
			await mark(backend, blocked);
			await clock.advance(2 * HOUR);
			expect((await handle(backend, { record: record({ ended: { at: clock.now(), reason: "idle" } }) })).length).toBe(
				1,
			);
			await clock.advance(24 * HOUR);
			expect((await handle(backend)).map(({ id }) => id)).toEqual(["later.a"]);
			expect((await backend.view(A, { history: 0 })).timers).toEqual([]);
		},
	),
];
