import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Gate } from "../../src/engine/gate.js";
import { doorLimit } from "../../src/engine/rates.js";
import { SameWait } from "../../src/engine/same-wait.js";
import { Share } from "../../src/engine/share.js";
import type { ShareTerms } from "../../src/engine/share-terms.js";
import { silentLog } from "../../src/observe/log.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

/** A gate, and who was let go on by it, when. Whoever is let go on sends at once. */
function opened(most = 2, withinMs = 1_000) {
	const clock = new VirtualClock(0);
	const budget = { most, withinMs };
	const began: [address: string, at: number][] = [];
	const send = (address: string) => {
		if (!gate.enter(address)) return false;
		began.push([address, clock.now()]);
		gate.begin(address);
		return true;
	};
	const gate: Gate = new Gate({ clock, budget, go: send });
	return { clock, gate, budget, began, send };
}

describe("a gate", () => {
	test("lets so many through within its time, and the others in the order in which they came", async () => {
		const { clock, began, send } = opened();
		for (const address of ["a", "b", "c", "d", "e"]) send(address);
		await clock.advance(500);
		expect(send("f")).toBe(false);
		await clock.advance(5_000);
		const times = [0, 0, 1_000, 1_000, 2_000, 2_000];
		expect(began).toEqual(["a", "b", "c", "d", "e", "f"].map((address, index) => [address, times[index]]));
	});

	test("counts a send from when it begins, however long its row took to be had", async () => {
		const { clock, gate, began, send } = opened();
		expect([gate.enter("slow"), gate.enter("slower")]).toEqual([true, true]);
		await clock.advance(3_000);
		expect(send("other")).toBe(false);
		gate.begin("slow");
		gate.begin("slower");
		await clock.advance(999);
		expect(began).toEqual([]);
		await clock.advance(1);
		expect(began).toEqual([["other", 4_000]]);
	});

	test("gives the place of one that sends nothing to the next at once", () => {
		const { gate, began, send } = opened(1);
		gate.enter("nothing to say");
		send("other");
		expect(began).toEqual([]);
		gate.leave("nothing to say");
		expect(began).toEqual([["other", 0]]);
	});

	test("lets one in again whose own place nobody came back from", async () => {
		const { clock, gate } = opened(2);
		expect(gate.enter("a")).toBe(true);
		await clock.advance(14_999);
		expect(gate.enter("a")).toBe(false);
		await clock.advance(1);
		expect(gate.enter("a")).toBe(true);
	});

	test("has a place again for one that never came back", async () => {
		const { clock, gate, began, send } = opened(1);
		gate.enter("lost");
		send("other");
		await clock.advance(15_000);
		expect(began).toEqual([["other", 15_000]]);
	});

	test("gives nobody a second place while it has one, and does not hold others up for that", async () => {
		const { clock, gate, began, send } = opened(1);
		expect([gate.enter("a"), gate.enter("a")]).toEqual([true, false]);
		gate.leave("a");
		expect(began).toEqual([]);
		expect(send("b")).toBe(true);
		await clock.advance(2_000);
		expect(began).toEqual([["b", 0]]);
	});

	test("lets nobody through while it is closed, and then everybody as fast as it may", async () => {
		const { clock, gate, began, send } = opened();
		gate.close(10_000);
		for (const address of ["a", "b", "c"]) send(address);
		await clock.advance(9_999);
		expect(began).toEqual([]);
		await clock.advance(2_000);
		expect(began.map(([, at]) => at)).toEqual([10_000, 10_000, 11_000]);
	});

	test("without a budget waits for nothing but being closed, and sets no timer before", async () => {
		const clock = new VirtualClock(0);
		const went: string[] = [];
		const gate: Gate = new Gate({ clock, go: (address) => void (gate.enter(address) && went.push(address)) });
		for (let n = 0; n < 1_000; n += 1) expect(gate.enter(`${n}`)).toBe(true);
		expect(clock.pending).toBe(0);
		gate.close(1_000);
		expect([gate.enter("a"), gate.enter("b")]).toEqual([false, false]);
		await clock.advance(1_000);
		expect(went).toEqual(["a", "b"]);
	});

	test("lets nobody go on once it has stopped", async () => {
		const { clock, gate, began, send } = opened(1);
		for (const address of ["a", "b"]) send(address);
		gate.stop();
		await clock.advance(60_000);
		expect([began.length, clock.pending]).toEqual([1, 0]);
	});

	test("never lets more begin within its time, whoever enters, leaves or comes late, and forgets nobody", async () => {
		const step = fc.oneof(
			fc.record({ what: fc.constantFrom("enter", "begin", "leave"), who: fc.integer({ min: 0, max: 9 }) }),
			fc.record({ what: fc.constant("pass"), ms: fc.constantFrom(1, 10, 250, 999, 1_000, 3_000) }),
		);
		const run = async (steps: (typeof step extends fc.Arbitrary<infer T> ? T : never)[], most: number) => {
			const clock = new VirtualClock(0);
			const inside = new Set<string>();
			const waiting = new Set<string>();
			const began: number[] = [];
			const enter = (address: string) => {
				if (inside.has(address)) return;
				if (gate.enter(address)) {
					waiting.delete(address);
					inside.add(address);
				} else waiting.add(address);
			};
			const gate: Gate = new Gate({ clock, budget: { most, withinMs: 1_000 }, go: enter });
			const out = (address: string, how: "begin" | "leave") => {
				if (!inside.delete(address)) return;
				if (how === "begin") began.push(clock.now());
				gate[how](address);
			};
			for (const each of steps) {
				if ("ms" in each) await clock.advance(each.ms);
				else if (each.what === "enter") enter(`${each.who}`);
				else out(`${each.who}`, each.what as "begin" | "leave");
			}
			for (let round = 0; round < 10; round += 1) {
				for (const address of inside) out(address, "begin");
				await clock.advance(1_000);
			}
			expect(waiting).toEqual(new Set());
			for (const at of began)
				expect(began.filter((other) => other >= at && other < at + 1_000).length).toBeLessThanOrEqual(most);
		};
		await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), run), {
			numRuns: 60,
			seed: 7,
		});
	});
});

describe("a share of a door", () => {
	function shared(answer: (terms: ShareTerms) => number | Promise<number>, wants = () => 0) {
		const clock = new VirtualClock(0);
		const asked: ShareTerms[] = [];
		let changes = 0;
		let closed = 0;
		const closures: number[] = [];
		const share = new Share({
			ask: async (_, terms) => {
				asked.push(terms);
				return { part: await answer(terms), closedUntil: closed };
			},
			door: "web",
			owner: "me",
			limit: { most: 10, withinMs: 1_000 },
			clock,
			log: silentLog,
			wants,
			changed: (closedUntil) => {
				changes += 1;
				closures.push(closedUntil);
			},
		});
		const closedElsewhere = (until: number) => {
			closed = until;
		};
		return { clock, asked, share, changes: () => changes, closures, closedElsewhere };
	}

	test("is nothing before it is known, and is renewed every second", async () => {
		const { clock, asked, share, changes } = shared(() => 5);
		share.start();
		expect(share.most).toBe(0);
		await clock.settle();
		expect([share.most, changes()]).toEqual([5, 1]);
		await clock.advance(3_000);
		expect(asked.map(({ has }) => has)).toEqual([0, 5, 5, 5]);
		share.stop();
	});

	test("that has become smaller is kept to before the others are told", async () => {
		const answers = [8, 3, 3];
		const { clock, asked, share } = shared(() => answers.shift() ?? 3);
		share.start();
		await clock.advance(1_000);
		expect(asked.map(({ has }) => has)).toEqual([0, 8, 3]);
		expect(share.most).toBe(3);
		share.stop();
	});

	test("runs out when the store is away, and is asked for again until it is back", async () => {
		let away = false;
		const { clock, share } = shared(() => {
			if (away) throw new Error("away");
			return 5;
		});
		share.start();
		await clock.settle();
		away = true;
		await clock.advance(2_999);
		expect(share.most).toBe(5);
		await clock.advance(1);
		expect(share.most).toBe(0);
		away = false;
		await clock.advance(1_000);
		expect(share.most).toBe(5);
		share.stop();
	});

	test("that is too little is asked for again soon, not each time somebody finds that; never what is all there is", async () => {
		let part = 1;
		const { clock, asked, share } = shared(() => part);
		share.start();
		await clock.settle();
		part = 10;
		for (let n = 0; n < 100; n += 1) share.tooLittle();
		await clock.advance(250);
		expect([share.most, asked.length]).toEqual([10, 2]);
		for (let n = 0; n < 100; n += 1) share.tooLittle();
		await clock.advance(750);
		expect(asked).toHaveLength(2);
		share.stop();
	});

	test("tells the others at once of a door that is to be left alone, and hears of it from them", async () => {
		const { clock, asked, share, closures, closedElsewhere } = shared(() => 5);
		share.start();
		share.close(10_000);
		await clock.settle();
		await clock.advance(0);
		expect(asked.map(({ closedUntil }) => closedUntil)).toEqual([0, 10_000]);
		share.close(20_000);
		share.close(15_000);
		await clock.advance(0);
		expect(asked.map(({ closedUntil }) => closedUntil)).toEqual([0, 10_000, 20_000]);
		closedElsewhere(30_000);
		await clock.advance(1_000);
		expect(closures.at(-1)).toBe(30_000);
		share.stop();
	});

	test("is given back when it stops, once, and asked for no more", async () => {
		const { clock, asked, share } = shared(() => 5);
		share.start();
		await clock.settle();
		share.stop();
		await clock.advance(10_000);
		expect(asked.at(-1)).toMatchObject({ has: 0, wants: 0, leaseMs: 0 });
		expect([asked.length, clock.pending]).toEqual([2, 0]);
	});
});

describe("many waits of one length", () => {
	test("are each due at their own time, on one timer", async () => {
		const clock = new VirtualClock(0);
		const waits = new SameWait(clock, 1_000);
		const due: [number, number][] = [];
		for (let n = 0; n < 5; n += 1) {
			waits.begin({ at: 0, due: () => due.push([n, clock.now()]) });
			await clock.advance(100);
			expect(clock.pending).toBe(1);
		}
		await clock.advance(2_000);
		expect(due).toEqual([0, 1, 2, 3, 4].map((n) => [n, 1_000 + n * 100]));
		expect(clock.pending).toBe(0);
	});

	test("that are over are not due, and one that begins again when it is due is due again", async () => {
		const clock = new VirtualClock(0);
		const waits = new SameWait(clock, 1_000);
		const due: number[] = [];
		const over = { at: 0, due: () => due.push(-1) };
		const again = {
			at: 0,
			due() {
				due.push(clock.now());
				if (due.length < 3) waits.begin(again);
			},
		};
		waits.begin(over);
		waits.begin(again);
		await clock.advance(500);
		waits.end(over);
		await clock.advance(9_500);
		expect(due).toEqual([1_000, 2_000, 3_000]);
		expect(clock.pending).toBe(0);
	});
});

test.each([
	[25, { most: 25, withinMs: 1_000 }],
	[1.5, { most: 1, withinMs: 667 }],
	[20 / 60, { most: 1, withinMs: 3_000 }],
	[1 / 3_600, { most: 1, withinMs: 3_600_000 }],
])("a door that takes %d a second", (perDoorPerSecond, limit) => {
	expect(doorLimit({ perChatPerSecond: 1, perDoorPerSecond })).toEqual(limit);
});
