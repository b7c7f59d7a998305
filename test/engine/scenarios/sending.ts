import { expect } from "vitest";
import type { ModelRequest } from "../../../src/model/model.js";
import { type PlatformAnswer, platformAnswers } from "../../../src/testing/platform-answers.js";
import { newestWords, type Stand } from "../stand.js";
import { type Scene, scenario } from "./scene.js";

const re = (request: ModelRequest) => `re: ${newestWords(request)}`;
const sent: PlatformAnswer = { result: { outcome: "sent", id: "" }, delivers: true };
const retry = (afterMs: number, scope: "chat" | "door"): PlatformAnswer => ({
	result: { outcome: "retry", afterMs, scope, reason: "429" },
	delivers: false,
});
const lost = (delivers: boolean): PlatformAnswer => ({ result: { outcome: "ambiguous", reason: "reset" }, delivers });
const refused: PlatformAnswer = { result: { outcome: "failed", reason: "400" }, delivers: false };

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
	model: (request: ModelRequest) =>
		request.history.some(({ role }) => role === "tool") ? "4" : ({ calls: [["recite"]] } as const),
};
const leave = { capabilities: { ambiguous: "leave" as const } };

const tried = ({ channel }: Stand) =>
	channel.attempts.map(({ payload }) => (payload.kind === "text" ? payload.text : ""));

async function statuses(scene: Scene, chat = "ana") {
	return (await scene.view(`fake|${chat}`)).marks.map(({ status }) => status);
}

/** What becomes of answers on their way to the person. */
export const sendingScenarios = [
	scenario(
		"E1: the platform delivers, then the line breaks: seen once, and marked, where it cannot be looked up",
		async (scene) => {
			const desk = await scene.start({ channel: leave, model: re });
			desk.channel.answer(lost(true));
			await desk.person().says("hi");
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["re: hi"]);
			expect(await statuses(scene)).toEqual(["ambiguous"]);
			await scene.end();
		},
	),

	scenario("E1: where it can be looked up, it is seen once and not marked, delivered or not", async (scene) => {
		for (const delivers of [true, false]) {
			const chat = delivers ? "ana" : "ben";
			const desk = await scene.start({ model: re });
			desk.channel.answer(lost(delivers));
			await desk.person(chat).says("hi");
			await scene.rest();
			expect(scene.heard(chat)).toEqual(["re: hi"]);
			await scene.stop(desk);
		}
		expect(await statuses(scene)).toEqual([]);
		await scene.end();
	}),

	scenario(
		"E1, B7: killed while the platform is asked: never sent again blindly, and what stands behind it is sent",
		async (scene) => {
			const doomed = await scene.start({ ...reciting, channel: leave });
			doomed.channel.answer(sent, { ...sent, latencyMs: 5_000 });
			await doomed.person().says("recite");
			await scene.until("the second is being sent", () => scene.heard("ana").length === 1);
			await scene.pass(100);
			scene.kill(doomed);
			await scene.start({ ...reciting, channel: leave, roles: ["sender"] });
			await scene.rest(60_000);
			expect(scene.heard("ana").filter((text) => text !== "2")).toEqual(["1", "3", "4"]);
			expect(scene.heard("ana").filter((text) => text === "2").length).toBeLessThanOrEqual(1);
			expect(await statuses(scene)).toEqual(["ambiguous"]);
			await scene.end();
		},
	),

	scenario("E2: what failed and is sent again goes as a new row, behind what waits", async (scene) => {
		const desk = await scene.start({ model: re });
		desk.channel.answer(refused);
		const ana = desk.person();
		await ana.says("hi");
		await scene.rest();
		const [mark] = (await scene.view(ana.address)).marks;
		expect(mark?.status).toBe("failed");
		expect(await desk.backend.resend(ana.address, mark?.row.id ?? "", "again.1.1.0")).toBe(true);
		await scene.rest();
		expect(scene.delivered.map(({ key }) => key)).toEqual(["again.1.1.0"]);
		expect(await statuses(scene)).toEqual([]);
		await scene.stop(desk);
	}),

	scenario("E7: a chat that must slow down waits, in order; other chats do not", async (scene) => {
		const desk = await scene.start(reciting);
		desk.channel.answer(sent, sent, retry(13_000, "chat"));
		await desk.person().says("recite");
		await scene.until("two are sent", () => scene.heard("ana").length === 2);
		await desk.person("ben").says("recite");
		await scene.until("ben has all", () => scene.heard("ben").length === 4);
		await scene.pass(12_000);
		expect(scene.heard("ana")).toEqual(["1", "2"]);
		await scene.rest();
		expect(scene.heard("ana")).toEqual(["1", "2", "3", "4"]);
		await scene.end();
	}),

	scenario(
		"E7: a door that must slow down sends nothing before its time, not by a turn's end either",
		async (scene) => {
			const desk = await scene.start({ model: re });
			desk.channel.answer(retry(5_000, "door"));
			await desk.person("ana").says("hi");
			await scene.until("it was tried", () => desk.channel.attempts.length === 1);
			await desk.person("ben").says("hi");
			await scene.pass(4_000);
			expect(desk.channel.attempts).toHaveLength(1);
			await scene.rest();
			expect([scene.heard("ana"), scene.heard("ben")]).toEqual([["re: hi"], ["re: hi"]]);
			await scene.end();
		},
	),

	scenario(
		"D8: while a person has blocked the bot no timer runs a turn; when they write again things go on, in rhythm",
		async (scene) => {
			const MINUTE = 60_000;
			const desk: Stand = await scene.start({
				agent: {
					onCall: ({ acts }) => {
						const later = { act: "later", event: "beat", data: null } as const;
						const at = (minutes: number) => scene.clock.now() + minutes * MINUTE;
						acts.push({ ...later, id: "beat", at: at(1), every: MINUTE }, { ...later, id: "once", at: at(3) });
						acts.push({ ...later, id: "gone", at: at(3) });
					},
					onEvent: {
						beat: (_, { acts }) => acts.push({ act: "say", part: { kind: "text", text: "tick" } }),
						halt: (_, { acts }) => acts.push({ act: "cancel", id: "gone" }),
					},
				},
				model: re,
			});
			const ana = desk.person();
			desk.channel.answer(sent, sent, platformAnswers.blocked());
			await ana.says("hi");
			await scene.rest();
			for (let minute = 0; minute < 2; minute += 1) {
				await scene.pass(MINUTE);
				await scene.rest();
			}
			expect(scene.heard("ana")).toEqual(["re: hi", "tick"]);
			expect((await scene.view(ana.address)).unreachable).toMatchObject({ reason: "403 blocked" });
			expect(desk.told("contact.unreachable")).toHaveLength(1);
			const turns = desk.told("turn.committed").length;
			for (let minute = 0; minute < 10; minute += 1) await scene.pass(MINUTE);
			await scene.rest();
			expect(desk.told("turn.committed")).toHaveLength(turns);
			expect(desk.channel.attempts).toHaveLength(3);
			await desk.runtime.event(ana.address, "halt", null);
			await scene.rest();
			expect((await scene.view(ana.address)).unreachable).toBeDefined();
			await ana.says("back");
			await scene.pass(1_000);
			await scene.rest();
			expect(scene.heard("ana").slice(2)).toEqual(["re: back", "tick", "tick"]);
			expect((await scene.view(ana.address)).unreachable).toBeUndefined();
			expect(await statuses(scene)).toEqual(["failed"]);
			await scene.pass(2 * MINUTE);
			await scene.rest();
			expect(scene.heard("ana").slice(2).length).toBeGreaterThan(3);
			await scene.end();
		},
	),

	scenario(
		"D8: a call of a person who has blocked the bot still ends for its quiet, and what rested is over",
		async (scene) => {
			const desk: Stand = await scene.start({
				agent: {
					settings: { idleMs: 30_000 },
					onCall: ({ acts }) =>
						acts.push({ act: "later", id: "remind", at: scene.clock.now() + 10_000, event: "remind", data: null }),
					onEvent: { remind: (_, { acts }) => acts.push({ act: "say", part: { kind: "text", text: "reminder" } }) },
				},
				model: re,
			});
			const ana = desk.person();
			desk.channel.answer(platformAnswers.blocked());
			await ana.says("hi");
			await scene.rest();
			await scene.pass(31_000);
			await scene.rest();
			expect((await scene.view(ana.address)).record?.ended).toMatchObject({ reason: "idle" });
			await ana.says("back");
			await scene.rest();
			await scene.pass(1_000);
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["re: back"]);
			const timers = (await scene.view(ana.address)).timers.map(({ id, at }) => [id, at > scene.clock.now()]);
			expect(new Map(timers as [string, boolean][])).toEqual(
				new Map([
					["idle", true],
					["later.remind", true],
				]),
			);
			await scene.end();
		},
	),

	scenario("E13: four parts, the second with 503: tried 1, 2, 2, 3, 4", async (scene) => {
		const desk = await scene.start(reciting);
		desk.channel.answer(sent, retry(500, "chat"));
		await desk.person().says("recite");
		await scene.rest();
		expect(tried(desk)).toEqual(["1", "2", "2", "3", "4"]);
		expect(scene.heard("ana")).toEqual(["1", "2", "3", "4"]);
		await scene.end();
	}),

	scenario(
		"E13: four parts, the second ambiguous or refused: 1, 2, 3, 4, the second marked, never 1 twice",
		async (scene) => {
			for (const [chat, answer, status] of [
				["ana", lost(false), "ambiguous"],
				["ben", refused, "failed"],
			] as const) {
				const desk = await scene.start({ ...reciting, channel: leave });
				desk.channel.answer(sent, answer);
				await desk.person(chat).says("recite");
				await scene.rest();
				expect(tried(desk)).toEqual(["1", "2", "3", "4"]);
				expect(await statuses(scene, chat)).toEqual([status]);
				await scene.stop(desk);
			}
			await scene.end();
		},
	),
];
