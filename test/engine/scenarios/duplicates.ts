import { expect } from "vitest";
import { pause } from "../../../src/clock.js";
import { CallboardError } from "../../../src/errors.js";
import type { ModelRequest } from "../../../src/model/model.js";
import { newestWords, type Stand } from "../stand.js";
import { scenario } from "./scene.js";

const re = (request: ModelRequest) => `re: ${newestWords(request)}`;
const text = (words: string) => ({ kind: "text", text: words }) as const;

/** The same thing delivered more than once, by platforms that are right to do so. */
export const duplicateScenarios = [
	scenario("B1, B8: the model takes 20 s and the platform sends it again and again: one answer", async (scene) => {
		const desk = await scene.start({
			model: async (request) => {
				await pause(scene.clock, 20_000);
				return re(request);
			},
		});
		const ana = desk.person();
		const message = ana.message(text("hi"));
		const outcomes = [await desk.channel.receive(message)];
		for (const wait of [3_000, 7_000, 5_000]) {
			await scene.pass(wait);
			outcomes.push(await desk.channel.receive(message));
		}
		expect(outcomes.map(({ outcome }) => outcome)).toEqual(["accepted", "duplicate", "duplicate", "duplicate"]);
		await scene.rest();
		expect(scene.heard("ana")).toEqual(["re: hi"]);
		await scene.end();
	}),

	scenario("B3: what could not be stored was not acknowledged, and its redelivery is answered", async (scene) => {
		let down = true;
		const desk = await scene.start({
			model: re,
			over: (backend) =>
				new Proxy(backend, {
					get: (target, name) =>
						name === "accept" && down
							? () => Promise.reject(new CallboardError("BACKEND_UNAVAILABLE", "platform", "down"))
							: Reflect.get(target, name),
				}),
		});
		const ana = desk.person();
		const message = ana.message(text("hi"));
		await expect(desk.channel.receive(message)).rejects.toMatchObject({ code: "BACKEND_UNAVAILABLE" });
		down = false;
		expect(await desk.channel.receive(message)).toEqual({ outcome: "accepted" });
		await scene.rest();
		expect(scene.heard("ana")).toEqual(["re: hi"]);
		await scene.end();
	}),

	scenario("B4: one message at two processes at the same moment, fifty times: fifty turns", async (scene) => {
		const [one, two] = [await scene.start({ model: re }), await scene.start({ model: re })];
		for (let round = 0; round < 50; round += 1) {
			const message = one.person(`chat${round}`).message(text("hi"));
			const outcomes = await Promise.all([one.channel.receive(message), two.channel.receive(message)]);
			expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(["accepted", "duplicate"]);
		}
		await scene.rest();
		const committed = [one, two].flatMap((stand: Stand) => stand.told("turn.committed"));
		expect(committed).toHaveLength(50);
		for (let round = 0; round < 50; round += 1) expect(scene.heard(`chat${round}`)).toEqual(["re: hi"]);
		await scene.end();
	}),

	scenario("B5: a message that comes again under another id of its own is one turn", async (scene) => {
		const desk = await scene.start({ model: re });
		const ana = desk.person();
		const message = { ...ana.message(text("hi")), id: "ABC", keys: ["false_5511@c.us_ABC"] };
		await desk.channel.receive(message);
		await scene.rest();
		const again = { ...message, id: "false_123@lid_ABC", keys: ["ABC"] };
		expect(await desk.channel.receive(again)).toEqual({ outcome: "duplicate" });
		await scene.rest();
		expect(scene.heard("ana")).toEqual(["re: hi"]);
		await scene.end();
	}),

	scenario(
		"B6: a message three times over ten minutes is one turn and two duplicates, an idle close between or not",
		async (scene) => {
			const desk = await scene.start({ agent: { settings: { idleMs: 240_000 } }, model: re });
			const ana = desk.person();
			const message = ana.message(text("hi"));
			for (let times = 0; times < 3; times += 1) {
				await desk.channel.receive(message);
				await scene.rest();
				await scene.pass(300_000);
			}
			expect(desk.told("message.accepted").map(({ outcome }) => outcome)).toEqual([
				"accepted",
				"duplicate",
				"duplicate",
			]);
			expect(desk.told("call.ended")).toHaveLength(1);
			expect(scene.heard("ana")).toEqual(["re: hi"]);
			await scene.end();
		},
	),

	scenario(
		"B7: killed after the commit and before the platform was asked: the answer arrives once, the model is not asked again",
		async (scene) => {
			const doomed = await scene.start({ roles: ["gateway", "worker"], model: re });
			await doomed.person().says("hi");
			await scene.until("the turn is committed", () => doomed.told("turn.committed").length === 1);
			scene.kill(doomed);
			const next = await scene.start({ model: re });
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["re: hi"]);
			expect(next.requests).toEqual([]);
			await scene.end();
		},
	),

	scenario("B9: a slow turn and a quick one behind it: answers in order, both writes kept", async (scene) => {
		const desk = await scene.start({
			agent: {
				state: { seen: "" },
				tools: {
					note: {
						args: ["what"],
						run: ({ what }, { state }) => {
							state.seen = `${state.seen}${what}`;
						},
					},
				},
			},
			model: async (request) => {
				const words = newestWords(request);
				if (request.history.at(-1)?.role === "tool") return `noted ${words}`;
				if (words === "slow") await pause(scene.clock, 15_000);
				return { calls: [["note", { what: `${words};` }]] };
			},
		});
		const ana = desk.person();
		await ana.says("slow");
		await scene.pass(1_000);
		await ana.says("fast");
		await scene.rest();
		expect(scene.heard("ana")).toEqual(["noted slow", "noted fast"]);
		expect((await scene.view(ana.address)).record?.state).toEqual({ seen: "slow;fast;" });
		await scene.end();
	}),
];
