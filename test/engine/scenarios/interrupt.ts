import { expect } from "vitest";
import { pause } from "../../../src/clock.js";
import type { ModelRequest } from "../../../src/model/model.js";
import { Gate, newestWords } from "../stand.js";
import { echo, turns, words } from "./bursts.js";
import { scenario } from "./scene.js";

/** What becomes of messages that come while the model thinks, where the agent is to be interrupted. */
export const interruptScenarios = [
	scenario("A5, A6: under interrupt the model is asked anew with what was added while it thought", async (scene) => {
		const signals: AbortSignal[] = [];
		const desk = await scene.start({
			agent: { settings: { arrivals: "interrupt" } },
			model: async (request, signal) => {
				signals.push(signal);
				if (signals.length === 1) await pause(scene.clock, 60_000, signal);
				return echo(request);
			},
		});
		const ana = desk.person();
		await ana.says("a table");
		await scene.until("the model is asked", () => signals.length === 1);
		await ana.says("for 4");
		await scene.until("it is answered", () => scene.heard("ana").length > 0);
		expect(signals[0]?.aborted).toBe(true);
		expect(scene.heard("ana")).toEqual(["re: a table / for 4"]);
		expect(await turns(scene)).toBe(1);
		expect(desk.told("turn.started-over")).toEqual([{ door: "fake", messages: 2 }]);
		await scene.end({ accepted: new Map([[ana.address, ["ana-1", "ana-2"]]]) });
	}),

	scenario("under interrupt, what another process accepted is seen when the lease is renewed", async (scene) => {
		const asked: string[] = [];
		const options = {
			agent: { settings: { arrivals: "interrupt" as const } },
			model: async (request: ModelRequest, signal: AbortSignal) => {
				asked.push(echo(request));
				if (asked.length === 1) await pause(scene.clock, 60_000, signal);
				return echo(request);
			},
		};
		const worker = await scene.start(options);
		const gateway = await scene.start({ ...options, roles: ["gateway"] });
		const ana = worker.person();
		await ana.says("a table");
		await scene.until("the model is asked", () => asked.length === 1);
		await gateway.channel.receive(ana.message(words("for 4")));
		await scene.pass(800);
		await scene.until("it is answered", () => scene.heard("ana").length > 0);
		expect(scene.heard("ana")).toEqual(["re: a table / for 4"]);
		await scene.end();
	}),

	scenario("under interrupt, a turn in which a tool did something is finished first", async (scene) => {
		const gate = new Gate();
		const desk = await scene.start({
			agent: { settings: { arrivals: "interrupt" }, tools: { book: { run: () => "booked" } } },
			model: async (request) => {
				if (newestWords(request) === "for 4") return echo(request);
				if (request.history.at(-1)?.role !== "tool") return { calls: [["book"]] };
				await gate.pass();
				return "booked";
			},
		});
		const ana = desk.person();
		await ana.says("a table");
		await gate.reached;
		await ana.says("for 4");
		await scene.clock.settle();
		gate.open();
		await scene.rest();
		expect(scene.heard("ana")).toEqual(["booked", "re: for 4"]);
		expect(desk.agent.happened.ran).toHaveLength(1);
		expect(await turns(scene)).toBe(2);
		await scene.end();
	}),

	scenario(
		"under interrupt, a turn that has only read starts over, also when the message came between two requests",
		async (scene) => {
			const gate = new Gate();
			const desk = await scene.start({
				agent: {
					settings: { arrivals: "interrupt" },
					onCall: () => {},
					tools: {
						look: {
							effect: "read",
							run: async () => {
								await gate.pass();
								return "seen";
							},
						},
					},
				},
				model: (request) =>
					request.history.at(-1)?.role === "user" && newestWords(request) === "a table"
						? { calls: [["look"]] }
						: echo(request),
			});
			const ana = desk.person();
			await ana.says("a table");
			await gate.reached;
			await ana.says("for 4");
			await scene.clock.settle();
			gate.open();
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["re: a table / for 4"]);
			expect(desk.agent.happened.hooks.filter((name) => name === "onCall")).toHaveLength(1);
			expect((await scene.view(ana.address)).history.map(({ role }) => role)).toEqual(["user", "user", "said"]);
			await scene.end();
		},
	),

	scenario("under interrupt, a turn started over and cut then is resumed with all its messages", async (scene) => {
		const options = {
			agent: {
				settings: { arrivals: "interrupt" as const },
				onCall: () => {},
				tools: { book: { run: () => "booked" } },
			},
		};
		let asked = 0;
		const first = await scene.start({
			...options,
			model: async (request, signal) => {
				asked += 1;
				if (request.history.at(-1)?.role === "tool") await pause(scene.clock, 60_000, signal);
				if (asked === 1) await pause(scene.clock, 60_000, signal);
				return { calls: [["book"]] };
			},
		});
		const ana = first.person();
		await ana.says("a table");
		await scene.until("the model is asked", () => asked === 1);
		await ana.says("for 4");
		await scene.until("the tool has run", () => asked === 3);
		scene.kill(first);
		const second = await scene.start({
			...options,
			model: (request) =>
				`done: ${echo({ ...request, history: request.history.filter(({ role }) => role === "user") })}`,
		});
		await scene.rest();
		expect(scene.heard("ana")).toEqual(["done: re: a table / for 4"]);
		expect([first.agent.happened.ran.length, second.agent.happened.ran.length]).toEqual([1, 0]);
		expect([first, second].flatMap(({ agent }) => agent.happened.hooks)).toEqual(["onCall"]);
		await scene.end({ accepted: new Map([[ana.address, ["ana-1", "ana-2"]]]) });
	}),

	scenario("under interrupt, somebody who writes on for ever is answered after the longest wait", async (scene) => {
		const desk = await scene.start({
			agent: { settings: { arrivals: "interrupt" } },
			model: async (request, signal) => {
				await pause(scene.clock, 1_500, signal);
				return echo(request);
			},
		});
		const ana = desk.person();
		for (let n = 1; n <= 12; n += 1) {
			await ana.says(`${n}`);
			await scene.pass(1_000);
		}
		expect(scene.heard("ana").length).toBeGreaterThan(0);
		await scene.rest();
		expect(await scene.said("ana")).toEqual(Array.from({ length: 12 }, (_, n) => `${n + 1}`));
		await scene.end();
	}),

	scenario("under interrupt, an event that comes in mid-turn waits for its own turn", async (scene) => {
		const gate = new Gate();
		const desk = await scene.start({
			agent: { settings: { arrivals: "interrupt" }, onEvent: { paid: () => {} } },
			model: async (request) => {
				await gate.pass();
				return echo(request);
			},
		});
		const ana = desk.person();
		await ana.says("hi");
		await gate.reached;
		await desk.runtime.event(ana.address, "paid", null);
		await ana.says("hm");
		await scene.clock.settle();
		gate.open();
		await scene.rest();
		expect(desk.requests).toHaveLength(2);
		expect(scene.heard("ana")).toHaveLength(2);
		expect(await turns(scene)).toBe(3);
		await scene.end();
	}),
];
