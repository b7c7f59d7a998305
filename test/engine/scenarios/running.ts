import { expect } from "vitest";
import { pause } from "../../../src/clock.js";
import type { RunTurn } from "../../../src/engine/stint.js";
import type { ModelRequest } from "../../../src/model/model.js";
import { runTurn } from "../../../src/turn/run-turn.js";
import { Gate, newestWords, type Stand } from "../stand.js";
import { scenario } from "./scene.js";

const re = (request: ModelRequest) => `re: ${newestWords(request)}`;

/** Tells the ids that turns give to new calls. */
function telling(ids: string[]): RunTurn {
	return (input) =>
		runTurn({
			...input,
			newId() {
				const id = input.newId();
				ids.push(id);
				return id;
			},
		});
}

/** What becomes of turns, one after the other, in whatever process. */
export const runningScenarios = [
	scenario("F5: a message that kills its process each time is set aside, and the person told once", async (scene) => {
		const limits = { deaths: 3 };
		const door = await scene.start({ roles: ["gateway"] });
		await door.person().says("poison");
		for (const owner of ["first", "second", "third"]) {
			const dead = await door.backend.claim("fake|ana", { owner, leaseMs: 2_000, window: 10, items: 10 });
			expect(dead.outcome).toBe("claimed");
			await scene.pass(2_000);
		}
		const last = await scene.start({ model: re, limits });
		await scene.rest();
		expect(last.requests).toEqual([]);
		expect(scene.heard("ana")).toEqual([last.agent.settings.apology]);
		expect(await scene.view("fake|ana")).toMatchObject({
			parked: expect.stringContaining("its process died 3 times in this turn"),
			waiting: [{ id: "ana-1" }],
		});
		await last.backend.unpark("fake|ana");
		await scene.rest();
		expect(scene.heard("ana")).toEqual([last.agent.settings.apology, "re: poison"]);
		await scene.end();
	}),

	scenario(
		"E4: killed in onCall: it runs again for the same call, by which what it does outside is known",
		async (scene) => {
			const ids: string[] = [];
			const reached = new Gate();
			const hanging = async () => {
				void reached.pass();
				await pause(scene.clock, 3_600_000);
			};
			const doomed = await scene.start({ agent: { onCall: hanging }, model: re, runTurn: telling(ids) });
			const ana = doomed.person();
			await ana.says("hi");
			await reached.reached;
			scene.kill(doomed);
			await scene.start({ agent: { onCall: () => {} }, model: re, runTurn: telling(ids) });
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["re: hi"]);
			expect(ids).toHaveLength(2);
			expect(ids[1]).toBe(ids[0]);
			expect((await scene.view(ana.address)).record?.id).toBe(ids[0]);
			await scene.end();
		},
	),

	scenario(
		"A1: a turn that takes a minute keeps its call; what comes meanwhile is answered after it",
		async (scene) => {
			const slow = {
				tools: {
					slow: { run: (_: unknown, { signal }: { signal: AbortSignal }) => pause(scene.clock, 65_000, signal) },
				},
			};
			const model = (request: ModelRequest) => {
				if (request.history.at(-1)?.role === "tool") return "m1 is done";
				return newestWords(request) === "m1" ? { calls: [["slow"] as const] } : "m2 is done";
			};
			const one = await scene.start({ agent: slow, model });
			const two = await scene.start({ agent: slow, model });
			const ana = one.person();
			await ana.says("m1");
			await scene.pass(40_000);
			await two.channel.receive(ana.message({ kind: "text", text: "m2" }));
			await scene.pass(20_000);
			expect(scene.heard("ana")).toEqual([]);
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["m1 is done", "m2 is done"]);
			expect([...one.agent.happened.ran, ...two.agent.happened.ran]).toHaveLength(1);
			await scene.end({ accepted: new Map([[ana.address, ["ana-1", "ana-2"]]]) });
		},
	),

	scenario(
		"A3, A4: a turn that fails once, of a word or of a tapped button, is answered once, redelivered or not",
		async (scene) => {
			let failures = 2;
			const desk = await scene.start({
				agent: {
					onCall() {
						if (failures-- > 0) throw new Error("not yet");
					},
				},
				model: re,
			});
			const ana = desk.person();
			const tap = ana.message({ kind: "choice", choice: "yes", text: "Yes" });
			await desk.channel.receive(tap);
			await scene.pass(500);
			expect(await desk.channel.receive(tap)).toEqual({ outcome: "duplicate" });
			await scene.pass(5_000);
			expect(await desk.channel.receive(tap)).toEqual({ outcome: "duplicate" });
			await scene.rest();
			expect(scene.heard("ana")).toEqual([expect.stringContaining("re: Yes")]);
			await scene.end();
		},
	),

	scenario(
		"A8: three workers, thirty chats of ten messages, tools of random length: each chat in strict order",
		async (scene) => {
			let seed = 11;
			const random = (below: number) => {
				seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
				return seed % below;
			};
			let running = 0;
			let most = 0;
			const options = {
				limits: { items: 2 },
				model: async (request: ModelRequest) => {
					running += 1;
					most = Math.max(most, running);
					await pause(scene.clock, random(500));
					running -= 1;
					return re(request);
				},
			};
			const stands = [await scene.start(options), await scene.start(options), await scene.start(options)] as const;
			const people = Array.from({ length: 30 }, (_, n) => stands[0].person(`chat${n}`));
			for (let n = 0; n < 10; n += 1) {
				for (const [index, person] of people.entries()) {
					const stand = stands[(index + n) % 3] as Stand;
					await stand.channel.receive(person.message({ kind: "text", text: `m${n}` }));
				}
			}
			await scene.rest(120_000);
			const expected = Array.from({ length: 10 }, (_, n) => `m${n}`);
			for (let n = 0; n < 30; n += 1) expect(await scene.said(`chat${n}`)).toEqual(expected);
			expect(most).toBeGreaterThan(10);
			await scene.end();
		},
	),

	scenario(
		"A12: a stage moved by an answer is where the next message finds the call, in another process; an end begins anew",
		async (scene) => {
			const agent = {
				state: { stage: "name" },
				tools: {
					move: {
						run: (_: unknown, { state }: { state: Record<string, unknown> }) => {
							state.stage = "date";
						},
					},
					bye: { end: true, run: () => "bye" },
				},
				view: (state: Record<string, unknown>) => `stage ${state.stage}`,
			};
			const model = (request: ModelRequest) => {
				if (request.history.at(-1)?.role === "tool") return "moved";
				const words = newestWords(request);
				if (words === "move") return { calls: [["move"] as const] };
				return words === "end" ? { text: "bye", calls: [["bye"] as const] } : (request.view.split("\n").at(-1) ?? "");
			};
			const one = await scene.start({ agent, model });
			const ana = one.person();
			await ana.says("move");
			await scene.rest();
			const rest = ["where", "end", "where"].map((words) => ana.message({ kind: "text", text: words }));
			await scene.stop(one);
			const two = await scene.start({ agent, model });
			for (const message of rest) {
				await two.channel.receive(message);
				await scene.rest();
			}
			expect(scene.heard("ana")).toEqual(["moved", "stage date", "bye", "stage name"]);
			await scene.end();
		},
	),

	scenario(
		"A15: five first messages at once from somebody new are one call, whatever process they came by",
		async (scene) => {
			const stands = [await scene.start({ model: re }), await scene.start({ model: re })] as const;
			const ana = stands[0].person();
			const messages = Array.from({ length: 5 }, (_, n) => ana.message({ kind: "text", text: `m${n}` }));
			await Promise.all(messages.map((message, n) => (stands[n % 2] as Stand).channel.receive(message)));
			await scene.rest();
			const started = stands.flatMap((stand) => stand.told("call.started"));
			expect(started).toHaveLength(1);
			expect((await scene.said("ana")).sort()).toEqual(["m0", "m1", "m2", "m3", "m4"]);
			await scene.end();
		},
	),

	scenario("G13: three hundred turns of one call keep a bounded number of rows", async (scene) => {
		const desk = await scene.start({ limits: { keep: 40 }, model: re });
		const ana = desk.person();
		for (let n = 0; n < 300; n += 1) {
			await ana.says(`m${n}`);
			await scene.until("it is answered", () => desk.told("turn.committed").length > n);
		}
		const { history, record } = await scene.view(ana.address);
		expect(history.length).toBeLessThanOrEqual(50);
		expect(record?.rows).toBe(600);
		await scene.rest();
	}),

	scenario(
		"a message that always fails is set aside with the reason, the person told once; let go, it is answered",
		async (scene) => {
			let broken = true;
			const desk = await scene.start({
				agent: {
					onCall() {
						if (broken) throw new Error("secret words");
					},
				},
				model: re,
			});
			const ana = desk.person();
			await ana.says("hi");
			for (let second = 0; second < 40; second += 1) await scene.pass(1_000);
			await scene.until("it is set aside", () => desk.told("call.parked").length === 1);
			await scene.until("the person is told", () => scene.heard("ana").length === 1);
			const { parked, waiting } = await scene.view(ana.address);
			expect(parked).toContain("onCall");
			expect(parked).not.toContain("secret words");
			expect(waiting).toHaveLength(1);
			await desk.person("ben").says("hi");
			broken = false;
			await desk.backend.unpark(ana.address);
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["APOLOGY", "re: hi"]);
			expect(scene.heard("ben")).toEqual(["re: hi"]);
			await scene.end();
		},
	),
];
