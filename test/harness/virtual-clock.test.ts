import { describe, expect, it } from "vitest";
import { pause } from "../../src/clock.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

describe("virtual clock", () => {
	it("starts on the day it is given and does not move by itself", async () => {
		const clock = new VirtualClock("2026-07-01");
		await clock.settle();
		expect(new Date(clock.now()).toISOString()).toBe("2026-07-01T09:00:00.000Z");
		expect(() => new VirtualClock("next monday")).toThrow("cannot start");
	});

	it("runs due timers in the order of their times, and of their making when the times are equal", async () => {
		const clock = new VirtualClock(0);
		const ran: string[] = [];
		clock.after(20, () => ran.push(`late ${clock.now()}`));
		clock.after(10, () => ran.push(`first ${clock.now()}`));
		clock.after(10, () => ran.push(`second ${clock.now()}`));
		clock.after(30, () => ran.push("never"));
		await clock.advance(25);
		expect(ran).toEqual(["first 10", "second 10", "late 20"]);
		expect(clock.now()).toBe(25);
		expect(clock.pending).toBe(1);
		expect(clock.nextAt).toBe(30);
	});

	it("fires timers that a settled promise sets on the way", async () => {
		const clock = new VirtualClock(0);
		const ran: number[] = [];
		void (async () => {
			for (let n = 0; n < 3; n += 1) {
				await pause(clock, 100);
				ran.push(clock.now());
			}
		})();
		await clock.advance(1000);
		expect(ran).toEqual([100, 200, 300]);
		expect(clock.pending).toBe(0);
	});

	it("forgets a timer that was stopped", async () => {
		const clock = new VirtualClock(0);
		let ran = false;
		const stop = clock.after(5, () => {
			ran = true;
		});
		stop();
		await clock.advance(10);
		expect(ran).toBe(false);
	});

	it("steps from timer to timer", async () => {
		const clock = new VirtualClock(0);
		clock.after(7_200_000, () => {});
		expect(await clock.step()).toBe(true);
		expect(clock.now()).toBe(7_200_000);
		expect(await clock.step()).toBe(false);
	});
});
