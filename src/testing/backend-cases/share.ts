import { expect } from "vitest";
import { type Bench, rule } from "./conformance-case.js";

const WITHIN = 1_000;
const LEASE = 3_000;

/** A process that sends by a door as fast as it may. */
class Sharer {
	part = 0;
	#until = 0;
	/** Every part it kept to, and until when. */
	readonly #kept: { part: number; until: number }[] = [];

	constructor(
		readonly owner: string,
		readonly bench: Bench,
		readonly most: number,
	) {}

	async ask(wants: number, leaseMs = LEASE): Promise<number> {
		const { backend, clock } = this.bench;
		const now = clock.now();
		const has = leaseMs > 0 && this.#until > now ? this.part : 0;
		this.#kept.push({ part: this.part, until: Math.min(now, this.#until) });
		const terms = { owner: this.owner, most: this.most, withinMs: WITHIN, has, wants, leaseMs, closedUntil: 0 };
		this.part = (await backend.share?.("a door", terms))?.part ?? 0;
		this.#until = now + leaseMs;
		return this.part;
	}

	/** The most it can have sent within the time that ends now. */
	get sent(): number {
		const now = this.bench.clock.now();
		const kept = this.#kept.filter(({ until }) => until + WITHIN > now).map(({ part }) => part);
		return Math.max(0, ...kept, this.#until + WITHIN > now ? this.part : 0);
	}
}

/** How what a door may send is divided among the processes that can use a store. */
export const shareCases = [
	rule("one process alone has as much as it wants, and some in reserve where it wants little", async (bench) => {
		const one = new Sharer("one", bench, 25);
		expect(await one.ask(0)).toBeGreaterThan(1);
		expect(await one.ask(25)).toBe(25);
		await bench.clock.advance(LEASE - 1);
		expect(await one.ask(25)).toBe(25);
	}),

	rule("a process that comes later gets its part once the first has said that it keeps to less", async (bench) => {
		const [one, two] = [new Sharer("one", bench, 10), new Sharer("two", bench, 10)];
		await one.ask(10);
		expect(await two.ask(10)).toBe(0);
		expect(await one.ask(10)).toBe(5);
		expect(await two.ask(10)).toBe(0);
		expect(await one.ask(10)).toBe(5);
		expect(await two.ask(10)).toBe(0);
		await bench.clock.advance(WITHIN);
		expect(await two.ask(10)).toBe(5);
	}),

	rule("whoever wants little gets it, and the rest is for who wants much", async (bench) => {
		const [one, two, three] = ["one", "two", "three"].map((owner) => new Sharer(owner, bench, 20));
		for (let round = 0; round < 4; round += 1) {
			await one?.ask(40);
			await two?.ask(3);
			await three?.ask(0);
			await bench.clock.advance(WITHIN);
		}
		expect([one?.part, two?.part, three?.part]).toEqual([16, 3, 1]);
	}),

	rule("the part of a process that is gone is free again, once what it sent does not count any more", async (bench) => {
		const [one, two] = [new Sharer("one", bench, 10), new Sharer("two", bench, 10)];
		await one.ask(10);
		await bench.clock.advance(LEASE + WITHIN - 1);
		expect(await two.ask(10)).toBe(0);
		await bench.clock.advance(1);
		expect(await two.ask(10)).toBe(10);
	}),

	rule("the part of a process that says goodbye is free within that time", async (bench) => {
		const [one, two] = [new Sharer("one", bench, 10), new Sharer("two", bench, 10)];
		await one.ask(10);
		expect(await one.ask(0, 0)).toBe(0);
		expect(await two.ask(10)).toBe(0);
		await bench.clock.advance(WITHIN);
		expect(await two.ask(10)).toBe(10);
	}),

	rule("the smallest door is somebody's, and goes to who wants it", async (bench) => {
		const [one, two] = [new Sharer("one", bench, 1), new Sharer("two", bench, 1)];
		await one.ask(1);
		expect([await two.ask(1), await one.ask(1)]).toEqual([0, 1]);
		await one.ask(0);
		await one.ask(0);
		await bench.clock.advance(WITHIN);
		expect([await two.ask(1), await one.ask(0)]).toEqual([1, 0]);
	}),

	rule(
		"a door that is to be left alone is so for all, until then, also once nobody who was told is left",
		async (bench) => {
			const terms = { most: 4, withinMs: WITHIN, has: 0, wants: 4, leaseMs: LEASE, closedUntil: 0 };
			const ask = async (owner: string, door: string, closedUntil = 0) =>
				(await bench.backend.share?.(door, { ...terms, owner, closedUntil }))?.closedUntil;
			const until = bench.clock.now() + 3_600_000;
			expect(await ask("one", "closed", until)).toBe(until);
			expect([await ask("two", "closed"), await ask("two", "other")]).toEqual([until, 0]);
			expect(await ask("two", "closed", until - 1_000)).toBe(until);
			await bench.clock.advance(3_599_999);
			expect(await ask("three", "closed")).toBe(until);
			await bench.clock.advance(1);
			expect([await ask("three", "closed"), await ask("one", "closed", until)]).toEqual([0, 0]);
		},
	),

	rule("doors do not share", async ({ backend }) => {
		const terms = { owner: "one", most: 4, withinMs: WITHIN, has: 0, wants: 4, leaseMs: LEASE, closedUntil: 0 };
		expect(await backend.share?.("one", terms)).toMatchObject({ part: 4 });
		expect(await backend.share?.("two", { ...terms, owner: "two" })).toMatchObject({ part: 4 });
	}),

	...[1, 7, 30].map((most) =>
		rule(`E7: whoever asks when, all together never send more than ${most} within the time`, async (bench) => {
			let seed = most;
			const below = (n: number) => {
				seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
				return Math.floor((seed / 2 ** 31) * n);
			};
			const all = ["one", "two", "three", "four"].map((owner) => new Sharer(owner, bench, most));
			const totals: number[] = [];
			for (let step = 0; step < 100; step += 1) {
				await all[below(all.length)]?.ask(below(2 * most + 1), below(10) === 0 ? 0 : LEASE);
				totals.push(all.reduce((sum, { sent }) => sum + sent, 0));
				await bench.clock.advance([0, 1, 100, 400, 999, 1_001, 3_500][below(7)] ?? 0);
			}
			expect(Math.max(...totals)).toBe(most);
		}),
	),
];
