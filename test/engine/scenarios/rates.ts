import { expect } from "vitest";
import type { Rate } from "../../../src/channel/capabilities.js";
import type { ModelRequest } from "../../../src/model/model.js";
import { newestWords } from "../stand.js";
import { type Scene, scenario } from "./scene.js";

const re = (request: ModelRequest) => `re: ${newestWords(request)}`;

/** Says as many parts as it is asked for. */
const reciting = {
	agent: {
		tools: {
			recite: {
				run: (_: unknown, { acts }: { acts: unknown[] }) => {
					for (const text of ["1", "2", "3"]) acts.push({ act: "say", part: { kind: "text", text } });
				},
			},
		},
	},
	model: (request: ModelRequest) => {
		if (newestWords(request) !== "recite") return re(request);
		return request.history.some(({ role }) => role === "tool") ? "4" : ({ calls: [["recite"]] } as const);
	},
};
export const limited = (rate: Partial<Rate>) => ({
	channel: { capabilities: { rate: { perChatPerSecond: 1, chatBurst: 3, perDoorPerSecond: 25, ...rate } } },
});

/** When people got what they got, since the first of it, ms. */
export function times({ delivered }: Scene): number[] {
	return delivered.map(({ at }) => at - (delivered[0]?.at ?? 0));
}

/** The most that people got within any second. */
export function busiestSecond(scene: Scene): number {
	const all = times(scene);
	return Math.max(...all.map((at) => all.filter((other) => other >= at && other < at + 1_000).length));
}

/** What is sent keeps to the rate of its platform. */
export const rateScenarios = [
	scenario(
		"E7: a chat takes three parts at once and one a second then, in order; what waits is nobody's, and others do not wait",
		async (scene) => {
			const desk = await scene.start({ ...reciting, ...limited({}) });
			const ana = desk.person("ana");
			await ana.says("recite");
			await scene.until("three are sent", () => scene.heard("ana").length === 3);
			await scene.until("the fourth waits", async () => (await scene.view(ana.address)).outbox[0]?.notBefore !== 0);
			const { outbox } = await scene.view(ana.address);
			const at = scene.delivered[0]!.at + 1_000;
			expect(outbox).toMatchObject([{ status: "pending", notBefore: at }]);
			expect(await desk.backend.take(ana.address, { owner: "other", leaseMs: 1_000 })).toEqual({
				outcome: "later",
				at,
			});
			await desk.person("ben").says("hi");
			await scene.until("ben is answered", () => scene.heard("ben").length === 1);
			await scene.pass(999);
			expect(scene.heard("ana")).toEqual(["1", "2", "3"]);
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["1", "2", "3", "4"]);
			await scene.end();
		},
	),

	scenario("E7: a door takes so many a second, and whoever had to wait goes first", async (scene) => {
		const desk = await scene.start({ model: re, ...limited({ perDoorPerSecond: 5 }) });
		const people = Array.from({ length: 12 }, (_, n) => desk.person(`chat${n}`));
		for (const person of people) await person.says("hi");
		await scene.pass(500);
		await scene.until("five are sent", () => scene.delivered.length === 5);
		await scene.pass(400);
		const late = desk.person("late");
		await late.says("hi");
		await scene.rest();
		expect(busiestSecond(scene)).toBe(5);
		expect(times(scene).at(-1)).toBeLessThan(4_000);
		expect(new Set(scene.delivered.map(({ address }) => address)).size).toBe(13);
		expect(scene.heard("late")).toEqual(["re: hi"]);
		await scene.end();
	}),

	scenario("one chat with a long answer does not keep a door from the others", async (scene) => {
		const desk = await scene.start({ ...reciting, ...limited({ chatBurst: 10, perDoorPerSecond: 2 }) });
		await desk.person("ana").says("recite");
		await scene.until("ana's answer has begun", () => scene.delivered.length === 2);
		await desk.person("ben").says("hi");
		await desk.person("cy").says("hi");
		await scene.rest();
		const order = scene.delivered.map(({ address }) => address.split("|")[1]);
		expect(order.indexOf("ben")).toBeLessThan(order.lastIndexOf("ana"));
		expect(order.indexOf("cy")).toBeLessThan(order.lastIndexOf("ana"));
		expect(scene.heard("ana")).toEqual(["1", "2", "3", "4"]);
		await scene.end();
	}),

	scenario("what a human says counts like what the agent says, and goes in its order", async (scene) => {
		const desk = await scene.start({ ...reciting, ...limited({}) });
		const ana = desk.person("ana");
		await ana.says("recite");
		await scene.until("three are sent", () => scene.heard("ana").length === 3);
		const row = (n: number) =>
			({
				id: `human.1.${n}`,
				payload: { kind: "text", text: `eva ${n}` },
				by: "human",
				epoch: 0,
				turn: "human.1",
			}) as const;
		await desk.backend.amend(ana.address, { say: [row(0), row(1)] });
		await scene.rest();
		expect(scene.heard("ana")).toEqual(["1", "2", "3", "4", "eva 0", "eva 1"]);
		expect(times(scene).map((ms) => Math.floor(ms / 1_000))).toEqual([0, 0, 0, 1, 2, 3]);
		await scene.end();
	}),

	scenario(
		"E7, G10: killed while a row waits for its chat: another process sends it, at its time and not before",
		async (scene) => {
			const doomed = await scene.start({ ...reciting, ...limited({}) });
			await doomed.person("ana").says("recite");
			await scene.until("three are sent", () => scene.heard("ana").length === 3);
			await scene.until("the fourth waits", async () => (await scene.view("fake|ana")).outbox[0]?.notBefore !== 0);
			scene.kill(doomed);
			await scene.start({ ...reciting, ...limited({}), roles: ["sender"] });
			await scene.pass(900);
			expect(scene.heard("ana")).toEqual(["1", "2", "3"]);
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["1", "2", "3", "4"]);
			expect((await scene.view("fake|ana")).marks).toEqual([]);
			await scene.end();
		},
	),

	scenario("G9: a stop does not wait for what waits, and the next process sends it", async (scene) => {
		const old = await scene.start({ ...reciting, ...limited({ chatBurst: 1, perDoorPerSecond: 1 }) });
		await old.person("ana").says("recite");
		await old.person("ben").says("hi");
		await scene.until("one is sent", () => scene.delivered.length === 1);
		await scene.until("both turns are over", () => old.told("turn.committed").length === 2);
		const began = scene.clock.now();
		await scene.stop(old, 30_000);
		expect(scene.clock.now()).toBe(began);
		expect(scene.delivered).toHaveLength(1);
		await scene.start({ ...reciting, ...limited({ chatBurst: 10 }), roles: ["sender"] });
		await scene.rest();
		expect([scene.heard("ana"), scene.heard("ben")]).toEqual([["1", "2", "3", "4"], ["re: hi"]]);
		await scene.end();
	}),

	scenario("an answer at a door with a limit asks as little of the store as any other", async (scene) => {
		const asked: string[][] = [];
		for (const rate of [limited({}), {}]) {
			const desk = await scene.start({ model: re, ...rate });
			for (let n = 0; n < 10; n += 1) {
				await desk.person(`${asked.length} ${n}`).says("hi");
				await scene.until("it is answered", () => desk.told("delivery.sent").length === n + 1);
			}
			await scene.stop(desk);
			asked.push(scene.asked(desk).filter((operation) => operation !== "share"));
		}
		expect(asked[0]).toEqual(asked[1]);
		expect(asked[0]?.slice(0, 4)).toEqual(["accept", "journal", "settle", "mark"]);
		await scene.end();
	}),
];
