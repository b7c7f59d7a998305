import { expect } from "vitest";
import { pause } from "../../../src/clock.js";
import type { RunTurn } from "../../../src/engine/stint.js";
import { CallboardError } from "../../../src/errors.js";
import type { ModelRequest } from "../../../src/model/model.js";
import { runTurn } from "../../../src/turn/run-turn.js";
import { Gate, newestWords, type Stand } from "../stand.js";
import { type Scene, scenario } from "./scene.js";

const re = (request: ModelRequest) => `re: ${newestWords(request)}`;

/** A turn that hangs until its process dies or stops. */
function stuck(scene: Scene, reached: Gate) {
	return async (_: ModelRequest, signal: AbortSignal) => {
		void reached.pass();
		await pause(scene.clock, 3_600_000, signal);
		return "never";
	};
}

async function resultsOf(scene: Scene, chat = "ana"): Promise<string[]> {
	const { history } = await scene.view(`fake|${chat}`);
	return history.flatMap((row) => (row.role === "result" ? [row.content] : []));
}

/** How long after `from` something came true, in the time of the scene. */
async function waited(scene: Scene, from: number, holds: () => boolean): Promise<number> {
	while (!holds()) {
		if (scene.clock.now() > from + 60_000) throw new Error("never came true");
		await scene.pass(100);
		for (let round = 0; round < 20 && !holds(); round += 1) await scene.clock.settle();
	}
	return scene.clock.now() - from;
}

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

/** What becomes of turns whose process is slow, stopped, frozen or dead. */
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
		"A13: a worker frozen past its lease can neither commit nor send; the other one's turn counts",
		async (scene) => {
			const gate = new Gate();
			const frozen = await scene.start({
				model: async () => {
					await gate.pass();
					return "too late";
				},
			});
			const ana = frozen.person();
			await ana.says("hi");
			await gate.reached;
			const thaw = scene.freeze(frozen);
			const other = await scene.start({ roles: ["worker", "sender"], model: () => "in time" });
			await waited(scene, scene.clock.now(), () => scene.heard("ana").length > 0);
			gate.open();
			thaw();
			await scene.pass(1_000);
			expect(scene.heard("ana")).toEqual(["in time"]);
			expect((await scene.view(ana.address)).record?.turns).toBe(1);
			expect(frozen.log.lines.map(({ event }) => event)).toContain("lease.lost");
			expect(other.requests).toHaveLength(1);
			await scene.end();
		},
	),

	scenario(
		"A14, G12: the call of a killed worker is taken over within 5 s, and whoever comes next is answered",
		async (scene) => {
			const reached = new Gate();
			const doomed = await scene.start({ model: stuck(scene, reached) });
			const other = await scene.start({ roles: ["worker", "sender"], model: re });
			const ana = doomed.person();
			await ana.says("hi");
			await reached.reached;
			const at = scene.clock.now();
			scene.kill(doomed);
			expect(await waited(scene, at, () => scene.heard("ana").length > 0)).toBeLessThan(5_000);
			expect(other.requests).toHaveLength(1);
			await scene.end();
			expect(scene.heard("ana")).toEqual(["re: hi"]);
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

	scenario(
		"G1: a worker whose event loop stood still after a tool had run: the tool ran once, the answer is sent once",
		async (scene) => {
			const reached = new Gate();
			const gate = new Gate();
			const charge = { charge: { run: () => "charged" } };
			const model = (late: boolean) => async (request: ModelRequest) => {
				if (request.history.at(-1)?.role !== "tool") return { calls: [["charge"] as const] };
				if (late) {
					void reached.pass();
					await gate.opened;
				}
				return "done";
			};
			const asleep = await scene.start({
				agent: { tools: charge },
				model: model(true),
				limits: { renewMs: 3_600_000 },
			});
			const ana = asleep.person();
			await ana.says("charge me");
			await reached.reached;
			const awake = await scene.start({ agent: { tools: charge }, model: model(false), roles: ["worker", "sender"] });
			await scene.pass(40_000);
			gate.open();
			await scene.rest();
			expect([asleep.agent.happened.ran.length, awake.agent.happened.ran.length]).toEqual([1, 0]);
			expect(scene.heard("ana")).toEqual(["done"]);
			await scene.end();
		},
	),

	scenario(
		"a tool that may run once and was running when its process died is reported as unknown, not run again",
		async (scene) => {
			const reached = new Gate();
			const agent = (gate: Gate | undefined) => ({
				tools: {
					charge: {
						run: async () => {
							await gate?.pass();
							return "charged";
						},
					},
				},
			});
			const model = (request: ModelRequest) =>
				request.history.at(-1)?.role === "tool" ? "checked" : { calls: [["charge"] as const] };
			const doomed = await scene.start({ agent: agent(reached), model });
			await doomed.person().says("charge me");
			await reached.reached;
			scene.kill(doomed);
			const other = await scene.start({ agent: agent(undefined), model });
			await scene.rest();
			expect(other.agent.happened.ran).toEqual([]);
			expect((await resultsOf(scene))[0]).toMatch(/whether it took effect is unknown/);
			expect(scene.heard("ana")).toEqual(["checked"]);
			await scene.end();
		},
	),

	scenario(
		"a tool that takes longer than the lease keeps it; a lease that is lost aborts the tool and commits nothing",
		async (scene) => {
			let signal: AbortSignal | undefined;
			let cut = false;
			const agent = (ms: number) => ({
				tools: {
					slow: {
						effect: "idempotent" as const,
						run: async (_: unknown, doing: { signal: AbortSignal }) => {
							signal ??= doing.signal;
							await pause(scene.clock, ms, doing.signal);
							return "slow";
						},
					},
				},
			});
			const model = (request: ModelRequest) =>
				request.history.at(-1)?.role === "tool" ? "done" : { calls: [["slow"] as const] };
			const desk = await scene.start({
				agent: agent(20_000),
				model,
				over: (backend) =>
					new Proxy(backend, {
						get: (target, name) =>
							name === "extend" && cut
								? () => Promise.reject(new CallboardError("BACKEND_UNAVAILABLE", "platform", "cut off"))
								: Reflect.get(target, name),
					}),
			});
			const ana = desk.person();
			await ana.says("slow");
			await scene.pass(10_000);
			expect(signal?.aborted).toBe(false);
			cut = true;
			await scene.pass(4_000);
			expect(signal?.reason).toMatchObject({ fault: "lease" });
			expect((await scene.view(ana.address)).record).toBeUndefined();
			cut = false;
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["done"]);
			await scene.end();
		},
	),

	scenario(
		"G9: a deploy in the middle of a long turn: journal kept, lease free at once, another resumes at the next step",
		async (scene) => {
			const reached = new Gate();
			const charge = { charge: { run: () => "charged" } };
			const old = await scene.start({
				agent: { tools: charge },
				model: async (request, signal) => {
					if (request.history.at(-1)?.role !== "tool") return { calls: [["charge"]] };
					return stuck(scene, reached)(request, signal);
				},
			});
			const ana = old.person();
			await ana.says("charge me");
			await reached.reached;
			const stopping = scene.stop(old, 10_000);
			for (let second = 0; second < 11; second += 1) await scene.pass(1_000);
			await stopping;
			const at = scene.clock.now();
			const next = await scene.start({ agent: { tools: charge }, model: () => "resumed", roles: ["worker", "sender"] });
			expect(await waited(scene, at, () => scene.heard("ana").length > 0)).toBeLessThan(2_000);
			expect([old.agent.happened.ran.length, next.agent.happened.ran.length]).toEqual([1, 0]);
			await scene.end();
			expect(scene.heard("ana")).toEqual(["resumed"]);
		},
	),

	scenario(
		"G9: a turn that ends within the grace is committed and sent; what came meanwhile is another process's",
		async (scene) => {
			const gate = new Gate();
			const old = await scene.start({
				model: async (request) => {
					await gate.pass();
					return re(request);
				},
			});
			const ana = old.person();
			await ana.says("first");
			await gate.reached;
			const { accept } = old.runtime.host("fake");
			const second = ana.message({ kind: "text", text: "second" });
			const stopping = scene.stop(old, 10_000);
			await accept(second);
			gate.open();
			await stopping;
			expect(scene.heard("ana")).toEqual(["re: first"]);
			expect((await scene.view(ana.address)).waiting).toHaveLength(1);
			await scene.start({ model: re });
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["re: first", "re: second"]);
			await scene.end();
		},
	),

	scenario("G10: what a turn decided while its process was stopping is sent by the next one", async (scene) => {
		const gate = new Gate();
		const old = await scene.start({
			roles: ["gateway", "worker"],
			model: async (request) => {
				await gate.pass();
				return re(request);
			},
		});
		await old.person().says("hi");
		await gate.reached;
		const stopping = scene.stop(old, 10_000);
		gate.open();
		await stopping;
		expect(scene.heard("ana")).toEqual([]);
		await scene.start({ roles: ["sender"] });
		await scene.rest();
		expect(scene.heard("ana")).toEqual(["re: hi"]);
		await scene.end();
	}),

	scenario(
		"G11: all processes killed with ten turns queued and twelve answers unsent: ten answered, twelve sent once",
		async (scene) => {
			const gate = new Gate();
			const worker = await scene.start({ roles: ["gateway", "worker"], model: re });
			for (let n = 0; n < 12; n += 1) await worker.person(`out${n}`).says("hi");
			await scene.until("twelve turns are committed", () => worker.told("turn.committed").length === 12);
			const second = await scene.start({
				model: async () => {
					await gate.pass();
					return "never";
				},
				roles: ["gateway", "worker"],
			});
			scene.kill(worker);
			for (let n = 0; n < 10; n += 1) await second.person(`in${n}`).says("hi");
			await gate.reached;
			scene.kill(second);
			expect(scene.delivered).toEqual([]);
			await scene.start({ model: re });
			await scene.rest(60_000);
			for (let n = 0; n < 12; n += 1) expect(scene.heard(`out${n}`)).toEqual(["re: hi"]);
			for (let n = 0; n < 10; n += 1) expect(scene.heard(`in${n}`)).toEqual(["re: hi"]);
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
