import { Agent, stages, tool } from "callboard";
import fc from "fast-check";
import { expect, test } from "vitest";
import { declare } from "../../src/agent/declare.js";
import { silentLog } from "../../src/observe/log.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import { facts, manifestOf } from "./opening.js";

test("case 6: 200 calls interleave one tool with random awaits, and each change keeps its own author and value", async () => {
	let pause: (of: string) => Promise<void> = async () => {};
	class Desk extends Agent {
		stage = stages("greet", "quote");
		who = "";
		trail: string[] = [];
		@tool({ doc: "Walks." })
		async walk(who: string) {
			this.who = who;
			for (let step = 0; step < 4; step += 1) {
				await pause(who);
				this.trail.push(`${this.who}.${step}`);
				await this.#more(step);
			}
			this.stage = "quote";
			this.call.say(`for ${this.who}`);
			return { who: this.who, from: this.call.from, key: this.call.key };
		}
		async #more(step: number) {
			await pause(this.who);
			this.trail.push(`${this.who}+${step}`);
		}
	}
	const declaration = declare(Desk, manifestOf({ walk: ["who"] }, { stages: ["greet", "quote"] }));
	await fc.assert(
		fc.asyncProperty(fc.infiniteStream(fc.nat(2)), async (random) => {
			pause = async () => {
				const kind = random.next().value as number;
				if (kind === 0) await Promise.resolve();
				else if (kind === 1) await new Promise<void>((resolve) => setImmediate(resolve));
				else await new Promise<void>((resolve) => process.nextTick(resolve));
			};
			const clock = new VirtualClock();
			await Promise.all(
				Array.from({ length: 200 }, async (_, index) => {
					const who = `p${index}`;
					const session = declaration.open({ call: { ...facts, id: who, from: `web:${who}` }, clock, log: silentLog });
					const signal = new AbortController().signal;
					const [outcome] = await session.run([{ id: "c", tool: "walk", args: { who }, key: who }], {
						msgId: "m",
						signal,
					});
					const trail = [0, 1, 2, 3].flatMap((step) => [`${who}.${step}`, `${who}+${step}`]);
					expect(outcome?.changes.map(({ field, next, author }) => [field, next, author])).toEqual([
						["who", who, "walk"],
						["trail", trail, "walk"],
						["stage", "quote", "walk"],
					]);
					expect(outcome?.acts).toEqual([{ act: "say", part: { kind: "text", text: `for ${who}` } }]);
					expect(outcome?.result).toEqual({ who, from: `web:${who}`, key: who });
				}),
			);
			expect(clock.pending).toBe(0);
		}),
		{ numRuns: 5 },
	);
});
