import { expect } from "vitest";
import type { OutboxRow } from "../../../src/engine/backend.js";
import type { ModelRequest } from "../../../src/model/model.js";
import { type FakePayload, payloadText } from "../../../src/testing/fake-channel.js";
import { Gate, newestWords } from "../stand.js";
import { type Scene, scenario } from "./scene.js";

const re = (request: ModelRequest) => `re: ${newestWords(request)}`;

/** What a person of the business says in a chat. */
function human(id: string, text: string): OutboxRow {
	return { id: `${id}.0`, payload: { kind: "text", text }, by: "human", epoch: 0, turn: id };
}

async function marks(scene: Scene, chat = "ana") {
	return (await scene.view(`fake|${chat}`)).marks.map(({ row, status, reason }) => ({ id: row.id, status, reason }));
}

/** Who owns a call, whose words are whose, and in which order they arrive. */
export const handoverScenarios = [
	scenario(
		"I1: a human takes over while the model thinks: the answer is not sent, noted, and the human stays owner",
		async (scene) => {
			const gate = new Gate();
			const desk = await scene.start({
				model: async (request) => {
					if (newestWords(request) === "help") await gate.pass();
					return re(request);
				},
			});
			const ana = desk.person();
			await ana.says("hi");
			await scene.rest();
			await ana.says("help");
			await gate.reached;
			await scene.pass(3_000);
			await desk.backend.amend(ana.address, { owner: "human", say: [human("h1", "I am Eva, I take this")] });
			await scene.until("the human is heard", () => scene.heard("ana").length === 2);
			await scene.pass(2_000);
			gate.open();
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["re: hi", "I am Eva, I take this"]);
			const { record } = await scene.view(ana.address);
			expect(record).toMatchObject({ owner: "human", epoch: 1, turns: 2 });
			expect(await marks(scene)).toMatchObject([{ status: "discarded", reason: "a human owns the call" }]);
			await ana.says("thanks");
			await scene.rest();
			expect(scene.heard("ana")).toHaveLength(2);
			expect(desk.requests).toHaveLength(2);
			await desk.backend.amend(ana.address, { owner: "agent" });
			await ana.says("and now?");
			await scene.rest();
			expect(scene.heard("ana").at(-1)).toBe("re: and now?");
			expect(await scene.said("ana")).toEqual(["hi", "help", "thanks", "and now?"]);
			await scene.end();
		},
	),

	scenario(
		"I1: taken over and given back while the model thinks, its answer still belongs to nobody",
		async (scene) => {
			const gate = new Gate();
			const desk = await scene.start({
				model: async (request) => {
					if (newestWords(request) === "help") await gate.pass();
					return re(request);
				},
			});
			const ana = desk.person();
			await ana.says("hi");
			await scene.rest();
			await ana.says("help");
			await gate.reached;
			await desk.backend.amend(ana.address, { owner: "human", say: [human("h1", "solved")] });
			await desk.backend.amend(ana.address, { owner: "agent" });
			gate.open();
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["re: hi", "solved"]);
			expect((await scene.view(ana.address)).record).toMatchObject({ owner: "agent", epoch: 2 });
			expect(await marks(scene)).toMatchObject([{ status: "discarded", reason: "the owner of the call has changed" }]);
			await scene.end();
		},
	),

	scenario(
		"I1: a turn that hands the call over itself, just taken over by a human, does not take it back",
		async (scene) => {
			const gate = new Gate();
			const desk = await scene.start({
				agent: {
					tools: {
						hand: {
							run: async (_, { acts }) => {
								await gate.pass();
								acts.push({ act: "forward", to: "desk" });
							},
						},
					},
				},
				model: (request) => (newestWords(request) === "human" ? { calls: [["hand"]] } : re(request)),
			});
			const ana = desk.person();
			await ana.says("hi");
			await scene.rest();
			await ana.says("human");
			await gate.reached;
			await desk.backend.amend(ana.address, { owner: "human" });
			gate.open();
			await scene.rest();
			const { record } = await scene.view(ana.address);
			expect(record?.owner).toBe("human");
			expect(record?.epoch).toBeGreaterThanOrEqual(1);
			expect(scene.heard("ana")).toEqual(["re: hi"]);
			expect(await marks(scene)).toHaveLength(1);
			await scene.end();
		},
	),

	scenario(
		"I5: a thousand interleaved turns of people of one name, each with a word of their own: nobody hears another's",
		async (scene) => {
			const desk = await scene.start({
				agent: {
					state: { word: "" },
					tools: {
						keep: {
							args: ["word"],
							run: ({ word }, { state }) => {
								state.word = String(word);
							},
						},
					},
					view: (state) => `word ${state.word}`,
				},
				limits: { keep: 20 },
				model: (request) => {
					const words = newestWords(request);
					if (request.history.at(-1)?.role === "tool") return "kept";
					if (words.startsWith("keep ")) return { calls: [["keep", { word: words.slice(5) }]] };
					return request.view.split("\n").at(-1) ?? "";
				},
			});
			const people = Array.from({ length: 50 }, (_, n) => desk.person(`chat${n}`));
			const canary = (n: number) => `canary-${n}-${(n * 7_919) % 1_000}`;
			for (let round = 0; round < 20; round += 1) {
				const say = round === 0 ? (n: number) => `keep ${canary(n)}` : () => "which word?";
				await Promise.all(people.map((person, n) => person.says(say(n))));
				await scene.until("all are answered", () => desk.told("turn.committed").length === (round + 1) * people.length);
			}
			await scene.rest();
			for (let n = 0; n < people.length; n += 1) {
				const own = canary(n);
				const heard = scene.heard(`chat${n}`);
				expect(heard).toEqual(["kept", ...Array.from({ length: 19 }, () => `word ${own}`)]);
				const asked = desk.requests.filter(({ view }) => view.includes(own));
				for (const request of asked) {
					const others = JSON.stringify(request)
						.match(/canary-\d+-\d+/g)
						?.filter((word) => word !== own);
					expect(others ?? []).toEqual([]);
				}
			}
			await scene.end();
		},
	),

	scenario("I10: five things said without waiting arrive in order, whatever the platform's latency", async (scene) => {
		const desk = await scene.start({
			agent: {
				tools: {
					recite: {
						run: (_, { acts }) => {
							for (let n = 1; n <= 5; n += 1) acts.push({ act: "say", part: { kind: "text", text: `${n}` } });
						},
					},
				},
			},
			model: (request) => (request.history.some(({ role }) => role === "tool") ? "6" : { calls: [["recite"]] }),
		});
		desk.channel.answer(
			...[900, 50, 400, 10, 700, 0].map((latencyMs) => ({
				result: { outcome: "sent", id: "" } as const,
				delivers: true,
				latencyMs,
			})),
		);
		await desk.person().says("recite");
		await scene.rest();
		expect(scene.heard("ana")).toEqual(["1", "2", "3", "4", "5", "6"]);
		expect(new Set(scene.delivered.map(({ key }) => key)).size).toBe(6);
		expect(scene.delivered.map(({ payload }) => payloadText(payload as FakePayload))).toHaveLength(6);
		await scene.end();
	}),
];
