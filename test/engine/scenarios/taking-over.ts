import { expect } from "vitest";
import { pause } from "../../../src/clock.js";
import { CallboardError } from "../../../src/errors.js";
import type { ModelRequest } from "../../../src/model/model.js";
import { Gate, newestWords } from "../stand.js";
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

/** Who goes on with the turn of a process that is frozen, stopping or dead. */
export const takingOverScenarios = [
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
];
