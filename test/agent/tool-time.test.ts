import { Agent, tool } from "callboard";
import { describe, expect, test } from "vitest";
import { open } from "./opening.js";

describe("case 16: time", () => {
	let seen: { aborted: boolean; late?: unknown } = { aborted: false };
	const slow = (effect: "once" | "read") => {
		class Slow extends Agent {
			a = 0;
			@tool({ doc: "Slow.", timeout: 1, effect })
			async slow() {
				const { signal } = this.call;
				this.a = 1;
				await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
				seen = { aborted: signal.aborted };
				this.a = 2;
				this.call.say("too late");
				return "late";
			}
		}
		return Slow;
	};

	test("a tool out of time fails at its second, is aborted, and neither its return nor its writes count", async () => {
		const { run, session, clock, log } = open(slow("read"));
		const began = clock.now();
		const running = run("slow");
		let at = 0;
		running.then(() => (at = clock.now() - began));
		await clock.advance(999);
		expect(at).toBe(0);
		await clock.advance(2000);
		const outcome = await running;
		expect(at).toBe(1000);
		expect(outcome).toMatchObject({ status: "timeout", result: null, changes: [], acts: [] });
		expect(outcome.content).toContain("slow did not answer within 1 s");
		expect(seen.aborted).toBe(true);
		expect(session.snapshot()).toEqual({ a: 0 });
		expect(log.events()).toEqual(["tool.unfinished", "state.unauthored", "call.ignored"]);
		expect(clock.pending).toBe(0);
	});

	test("for a tool that may run only once the outcome is unknown, and the model is told not to repeat it", async () => {
		const { run, clock } = open(slow("once"));
		const running = run("slow");
		await clock.advance(1000);
		const outcome = await running;
		expect(outcome.status).toBe("unknown");
		expect(outcome.content).toContain("its outcome is unknown");
		expect(outcome.content).toContain("Do not call it again");
	});

	test("a turn that is stopped stops its tools: unknown for once, failed for the others", async () => {
		for (const [effect, status] of [
			["once", "unknown"],
			["read", "failed"],
		] as const) {
			const { session } = open(slow(effect));
			const controller = new AbortController();
			const running = session.run([{ id: "c1", tool: "slow", args: {}, key: "k" }], {
				msgId: "m",
				signal: controller.signal,
			});
			controller.abort(new Error("lease lost"));
			expect((await running)[0]?.status).toBe(status);
			const again = await session.run([{ id: "c1", tool: "slow", args: {}, key: "k" }], {
				msgId: "m",
				signal: controller.signal,
			});
			expect(again[0]?.status).toBe(status);
		}
	});

	test("a rejection that comes after the time is up harms nobody", async () => {
		class Late extends Agent {
			@tool({ doc: "Late.", timeout: 1 })
			async late() {
				await new Promise<void>((_resolve, reject) =>
					this.call.signal.addEventListener("abort", () => reject(new Error("late"))),
				);
			}
		}
		const { run, clock } = open(Late);
		const running = run("late");
		await clock.advance(1000);
		await running;
		await clock.settle();
	});
});
