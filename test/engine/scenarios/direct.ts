import { expect } from "vitest";
import { Gate, newestWords } from "../stand.js";
import { scenario } from "./scene.js";

/** Both ways in, and what they cost. */
export const directScenarios = [
	scenario("a direct turn without tools, with one part, is at most four operations", async (scene) => {
		const desk = await scene.start({ agent: { hookless: true } });
		const ana = desk.person();
		for (const words of ["hi", "again"]) {
			scene.asked(desk).length = 0;
			await ana.says(words);
			await scene.rest();
			expect(scene.asked(desk).filter((name) => name !== "journal")).toEqual(["accept", "settle", "mark"]);
			expect(scene.asked(desk).length).toBeLessThanOrEqual(4);
		}
		expect(scene.heard("ana")).toEqual(["re: hi", "re: again"]);
		await scene.end();
	}),

	scenario(
		"a direct turn that code alone answers writes no journal, and one that says nothing marks nothing",
		async (scene) => {
			const desk = await scene.start({ agent: { hookless: true, over: { greeting: { say: "welcome" } } } });
			const ana = desk.person();
			await ana.opens();
			await scene.rest();
			expect(scene.asked(desk)).toEqual(["accept", "settle", "mark"]);
			scene.asked(desk).length = 0;
			await ana.opens();
			await scene.rest();
			expect(scene.asked(desk)).toEqual(["accept", "settle"]);
			await scene.end();
		},
	),

	scenario("what a hook did is on record before the model is asked", async (scene) => {
		let before: readonly string[] = [];
		const desk = await scene.start({
			agent: { onCall: () => {} },
			model: () => {
				before = [...scene.asked(desk)];
				return "ok";
			},
		});
		await desk.person().says("hi");
		await scene.rest();
		expect(before).toEqual(["accept", "journal"]);
		await scene.end();
	}),

	scenario("a message is acknowledged when it is durable, before its turn has begun", async (scene) => {
		const gate = new Gate();
		const desk = await scene.start({
			model: async () => {
				await gate.pass();
				return "ok";
			},
		});
		const ana = desk.person();
		expect(await ana.says("hi")).toEqual({ outcome: "accepted" });
		expect(desk.requests).toEqual([]);
		expect((await scene.view(ana.address)).waiting.map(({ id }) => id)).toEqual(["ana-1"]);
		await gate.reached;
		gate.open();
		await scene.end();
	}),

	scenario("a process with all its places taken accepts still, and does the rest when one is free", async (scene) => {
		const gate = new Gate();
		let running = 0;
		let most = 0;
		const desk = await scene.start({
			limits: { turns: 3 },
			model: async (request) => {
				running += 1;
				most = Math.max(most, running);
				await gate.pass();
				running -= 1;
				return `re: ${newestWords(request)}`;
			},
		});
		for (let n = 0; n < 9; n += 1) await desk.person(`chat${n}`).says("hi");
		await gate.reached;
		await scene.pass(1_000);
		expect(most).toBeGreaterThanOrEqual(3);
		expect(most).toBeLessThanOrEqual(4);
		gate.open();
		await scene.end();
		for (let n = 0; n < 9; n += 1) expect(scene.heard(`chat${n}`)).toEqual(["re: hi"]);
	}),

	scenario("a burst goes on under one lease: one claim, all that waits a turn", async (scene) => {
		const gate = new Gate();
		const desk = await scene.start({
			agent: { hookless: true },
			model: async (request) => {
				if (newestWords(request) === "1") await gate.pass();
				return `re: ${newestWords(request)}`;
			},
		});
		const ana = desk.person();
		await ana.says("1");
		await gate.reached;
		for (const words of ["2", "3", "4"]) await ana.says(words);
		scene.asked(desk).length = 0;
		gate.open();
		await scene.rest();
		expect(scene.heard("ana")).toEqual(["re: 1", "re: 4"]);
		expect(scene.asked(desk)).not.toContain("claim");
		expect(scene.asked(desk).filter((name) => name === "settle")).toHaveLength(2);
		await scene.end({ accepted: new Map([[ana.address, ["ana-1", "ana-2", "ana-3", "ana-4"]]]) });
	}),

	scenario("whoever has much to say lets others have their turn after a batch", async (scene) => {
		const order: string[] = [];
		const gate = new Gate();
		const gateway = await scene.start({ roles: ["gateway"] });
		await scene.start({
			roles: ["worker", "sender"],
			limits: { turns: 1, items: 1, batch: 3 },
			model: async (request) => {
				if (order.length === 0) await gate.pass();
				order.push(newestWords(request));
				return "ok";
			},
		});
		const [ana, ben] = [gateway.person("ana"), gateway.person("ben")];
		await ana.says("a1");
		await gate.reached;
		for (let n = 2; n <= 8; n += 1) await ana.says(`a${n}`);
		await ben.says("b1");
		gate.open();
		await scene.rest();
		expect(order.indexOf("b1")).toBe(3);
		expect(order.filter((words) => words.startsWith("a"))).toEqual(["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"]);
		await scene.end();
	}),

	scenario("an event of the application runs where it was told, too", async (scene) => {
		const desk = await scene.start({
			agent: {
				hookless: true,
				onEvent: { paid: (_, { acts }) => acts.push({ act: "say", part: { kind: "text", text: "paid" } }) },
			},
		});
		await desk.runtime.event("fake|ana", "paid", null);
		await scene.rest();
		expect(scene.asked(desk)).toEqual(["accept", "journal", "settle", "mark"]);
		expect(scene.heard("ana")).toEqual(["paid"]);
		await scene.end();
	}),
];
