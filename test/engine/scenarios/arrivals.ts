import { expect } from "vitest";
import type { Content } from "../../../src/call/message.js";
import { pause } from "../../../src/clock.js";
import type { ModelRequest } from "../../../src/model/model.js";
import { Gate, newestWords } from "../stand.js";
import { echo, turns, words } from "./bursts.js";
import { scenario } from "./scene.js";

/** What becomes of messages that come in bursts, or while a turn runs. */
export const arrivalScenarios = [
	scenario("A6: one thought in three lines is one turn under debounce, begun when it is quiet", async (scene) => {
		const desk = await scene.start({ agent: { settings: { arrivals: "debounce" } }, model: echo });
		const ana = desk.person();
		for (const line of ["hi", "I want", "a refund"]) {
			await ana.says(line);
			await scene.pass(400);
		}
		await scene.pass(1_000);
		expect(desk.requests).toEqual([]);
		await scene.pass(200);
		await scene.until("it is answered", () => scene.heard("ana").length > 0);
		expect(scene.heard("ana")).toEqual(["re: hi / I want / a refund"]);
		expect(await turns(scene)).toBe(1);
		await scene.end({ accepted: new Map([[ana.address, ["ana-1", "ana-2", "ana-3"]]]) });
	}),

	scenario("A6: somebody who types for ever is answered after the longest wait", async (scene) => {
		const desk = await scene.start({ agent: { settings: { arrivals: "debounce" } }, model: echo });
		const ana = desk.person();
		for (let n = 1; n <= 8; n += 1) {
			await ana.says(`${n}`);
			await scene.pass(1_000);
		}
		await scene.until("it is answered", () => scene.heard("ana").length > 0);
		expect(scene.heard("ana")).toEqual(["re: 1 / 2 / 3 / 4 / 5 / 6 / 7 / 8"]);
		await scene.end();
	}),

	scenario("A6: a tapped choice, a command and the opening of a page do not wait for quiet", async (scene) => {
		const desk = await scene.start({ agent: { settings: { arrivals: "debounce" } }, model: () => "ok" });
		const said: Content[] = [
			{ kind: "choice", choice: "yes", text: "Yes" },
			{ kind: "command", name: "help", text: "/help" },
		];
		for (const [index, content] of said.entries()) {
			const ana = desk.person(`chat${index}`);
			await desk.channel.receive(ana.message(words("wait")));
			await desk.channel.receive(ana.message(content));
			await scene.until("it is answered", () => scene.heard(`chat${index}`).length > 0);
			expect(await scene.said(`chat${index}`)).toEqual(["wait", content.text]);
		}
		await scene.end();
	}),

	scenario("A6: the quiet gap and the longest wait are settings of the agent", async (scene) => {
		const settings = { arrivals: "debounce", quietMs: 300, longestWaitMs: 500 } as const;
		const desk = await scene.start({ agent: { settings }, model: echo });
		const ana = desk.person();
		await ana.says("1");
		await scene.pass(250);
		await ana.says("2");
		await scene.pass(260);
		await scene.until("it is answered", () => scene.heard("ana").length > 0);
		expect(scene.heard("ana")).toEqual(["re: 1 / 2"]);
		await scene.end();
	}),

	scenario(
		"A7: four messages in 300 ms over two workers are handled in order, and a fifth is answered",
		async (scene) => {
			const options = { agent: { settings: { arrivals: "debounce" } }, model: echo } as const;
			const [one, two] = [await scene.start(options), await scene.start(options)];
			const ana = one.person();
			for (const [index, stand] of [one, two, one, two].entries()) {
				await stand.channel.receive(ana.message(words(`m${index + 1}`)));
				await scene.pass(100);
			}
			await scene.rest();
			expect(await scene.said("ana")).toEqual(["m1", "m2", "m3", "m4"]);
			expect(scene.heard("ana")).toEqual(["re: m1 / m2 / m3 / m4"]);
			await two.channel.receive(ana.message(words("m5")));
			await scene.rest();
			expect(scene.heard("ana").at(-1)).toBe("re: m5");
			await scene.end();
		},
	),

	scenario("A7: the same without debounce: every message handled, in order, whoever runs the turns", async (scene) => {
		const options = {
			model: async (request: ModelRequest) => {
				await pause(scene.clock, 120);
				return echo(request);
			},
		};
		const [one, two] = [await scene.start(options), await scene.start(options)];
		const ana = one.person();
		for (const [index, stand] of [one, two, one, two].entries()) {
			await stand.channel.receive(ana.message(words(`m${index + 1}`)));
			await scene.pass(100);
		}
		await scene.rest();
		expect(await scene.said("ana")).toEqual(["m1", "m2", "m3", "m4"]);
		await scene.end();
	}),

	scenario(
		"A10: ten messages in a second to one stage: none rejected, the stage moves once for each",
		async (scene) => {
			const desk = await scene.start({
				limits: { items: 1 },
				agent: {
					state: { step: 0 },
					tools: {
						next: {
							run: (_, { state }) => {
								state.step = Number(state.step) + 1;
							},
						},
					},
				},
				model: (request) => (request.history.at(-1)?.role === "tool" ? "moved" : { calls: [["next"]] }),
			});
			const ana = desk.person();
			const outcomes = [];
			for (let n = 1; n <= 10; n += 1) {
				outcomes.push((await ana.says(`${n}`)).outcome);
				await scene.pass(100);
			}
			await scene.rest();
			expect(new Set(outcomes)).toEqual(new Set(["accepted"]));
			expect((await scene.view(ana.address)).record).toMatchObject({ turns: 10, state: { step: 10 } });
			await scene.end({ accepted: new Map([[ana.address, Array.from({ length: 10 }, (_, n) => `ana-${n + 1}`)]]) });
		},
	),

	scenario("A11: twelve photos without an album id in three seconds are twelve media in one turn", async (scene) => {
		const desk = await scene.start({ agent: { settings: { arrivals: "debounce" } }, model: () => "twelve" });
		const ana = desk.person();
		for (let n = 1; n <= 12; n += 1) {
			const media = [{ kind: "image" as const, mime: "image/jpeg", ref: `photo-${n}` }];
			await desk.channel.receive(ana.message({ kind: "media", media, text: "" }));
			await scene.pass(250);
		}
		await scene.rest();
		expect(await scene.said("ana")).toEqual(Array.from({ length: 12 }, (_, n) => `photo-${n + 1}`));
		expect(await turns(scene)).toBe(1);
		expect(scene.heard("ana")).toEqual(["twelve"]);
		await scene.end();
	}),

	scenario(
		"A17: an edit that comes before its message is what the call remembers, once; so is one that comes while it waits",
		async (scene) => {
			const desk = await scene.start({ agent: { settings: { arrivals: "debounce" } }, model: echo });
			const ana = desk.person();
			const [first, second] = [ana.message(words("helo")), ana.message(words("wrold"))];
			const edit = (message: string, text: string) =>
				desk.channel.receive({ type: "edit", address: ana.address, message, content: words(text), at: 0 });
			await edit(first.id, "hello");
			await scene.pass(5_000);
			await desk.channel.receive(first);
			await desk.channel.receive(second);
			await edit(second.id, "world");
			await scene.rest();
			expect(await scene.said("ana")).toEqual(["hello", "world"]);
			const late = ana.message(words("as it came"));
			await edit(late.id, "too old");
			await scene.pass(61_000);
			await desk.channel.receive(late);
			await scene.rest();
			expect((await scene.said("ana")).at(-1)).toBe("as it came");
			await scene.end();
		},
	),

	scenario("A17: an edit at one gateway waits for its message at another, and outlives the first", async (scene) => {
		const first = await scene.start({ roles: ["gateway"] });
		const ana = first.person();
		const message = ana.message(words("helo"));
		await first.channel.receive({
			type: "edit",
			address: ana.address,
			message: message.id,
			content: words("hello"),
			at: 0,
		});
		const second = await scene.start({ model: echo });
		scene.kill(first);
		await second.channel.receive(message);
		await scene.rest();
		expect(await scene.said("ana")).toEqual(["hello"]);
		expect(scene.heard("ana")).toEqual(["re: hello"]);
		await scene.end();
	}),

	scenario(
		"A17: an edit of a message that was answered is told, and nothing that is said later has its words",
		async (scene) => {
			const desk = await scene.start({ model: echo });
			const ana = desk.person();
			const [first, second] = [ana.message(words("first")), ana.message(words("second"))];
			await desk.channel.receive(first);
			await scene.rest();
			await desk.channel.receive({
				type: "edit",
				address: ana.address,
				message: first.id,
				content: words("edited"),
				at: 0,
			});
			expect(desk.told("inbound.edit")).toMatchObject([{ message: first.id, waiting: false }]);
			await desk.channel.receive(first);
			await desk.channel.receive(second);
			await scene.rest();
			expect(await scene.said("ana")).toEqual(["first", "second"]);
			await scene.end();
		},
	),

	scenario(
		"A17: a reaction that comes before its message is told when it comes, once, and is never a message",
		async (scene) => {
			const desk = await scene.start({ model: echo });
			const ana = desk.person();
			const { contact, ...message } = ana.message(words("hello"));
			const { address, id } = message;
			await desk.channel.receive({ type: "reaction", address, message: id, emoji: "👍", contact, at: 0 });
			await desk.channel.receive({ ...message, contact });
			await scene.rest();
			expect(desk.told("inbound.reaction")).toEqual([expect.objectContaining({ message: id, emoji: "👍" })]);
			expect(await scene.said("ana")).toEqual(["hello"]);
			await scene.end();
		},
	),

	scenario("A18: a forward and the words beside it, 80 ms apart, are one turn, whatever the policy", async (scene) => {
		const desk = await scene.start({ model: echo });
		const ana = desk.person();
		await desk.channel.receive({ ...ana.message(words("forwarded")), gathersMs: 500 });
		await scene.pass(80);
		await desk.channel.receive(ana.message(words("is this true?")));
		await scene.until("it is answered", () => scene.heard("ana").length > 0);
		expect(scene.heard("ana")).toEqual(["re: forwarded / is this true?"]);
		await scene.end();
	}),

	scenario(
		"A20: an album in three updates is one turn; a fourth part two seconds late is the next turn's",
		async (scene) => {
			const desk = await scene.start({ model: () => "nice" });
			const ana = desk.person();
			const photo = (n: number) => {
				const media = [{ kind: "image" as const, mime: "image/jpeg", ref: `photo-${n}` }];
				return { ...ana.message({ kind: "media", media, text: n === 1 ? "my trip" : "" }), gathersMs: 1_000 };
			};
			for (let n = 1; n <= 3; n += 1) await desk.channel.receive(photo(n));
			await scene.pass(2_000);
			await scene.until("it is answered", () => scene.heard("ana").length > 0);
			expect(await turns(scene)).toBe(1);
			await desk.channel.receive(photo(4));
			await scene.rest();
			expect(await scene.said("ana")).toEqual(["photo-1", "photo-2", "photo-3", "photo-4"]);
			expect(await turns(scene)).toBe(2);
			await scene.end();
		},
	),

	scenario(
		"under drop, what comes in mid-turn is not read, is said in the log, and the person is told once",
		async (scene) => {
			const gate = new Gate();
			const desk = await scene.start({
				agent: { settings: { arrivals: "drop" } },
				model: async (request) => {
					if (newestWords(request) === "1") await gate.pass();
					return echo(request);
				},
			});
			const ana = desk.person();
			await ana.says("1");
			await gate.reached;
			await ana.says("2");
			await ana.says("3");
			gate.open();
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["re: 1", "BUSY"]);
			expect(desk.told("message.dropped").map(({ message }) => message)).toEqual(["ana-2", "ana-3"]);
			expect(desk.log.lines.filter(({ event }) => event === "message.dropped")).toHaveLength(2);
			await ana.says("4");
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["re: 1", "BUSY", "re: 4"]);
			await scene.end({ accepted: new Map([[ana.address, ["ana-1", "ana-4"]]]) });
		},
	),

	scenario(
		"under drop, an event is never dropped, nor what stands behind it, nor what a human is to read",
		async (scene) => {
			const gate = new Gate();
			const desk = await scene.start({
				agent: {
					settings: { arrivals: "drop" },
					onEvent: { paid: (_, { acts }) => acts.push({ act: "say", part: { kind: "text", text: "paid" } }) },
					tools: { hand: { run: (_, { acts }) => void acts.push({ act: "forward", to: "desk" }) } },
				},
				model: async (request) => {
					const newest = newestWords(request);
					if (newest === "1" || newest === "human") await gate.pass();
					return newest === "human" ? { calls: [["hand"]] } : echo(request);
				},
			});
			const ana = desk.person();
			await ana.says("1");
			await gate.reached;
			await desk.runtime.event(ana.address, "paid", null);
			await ana.says("2");
			gate.open();
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["re: 1", "paid", "re: 2"]);
			await ana.says("human");
			await ana.says("please");
			await scene.rest();
			expect(await scene.said("ana")).toEqual(["1", "2", "human", "please"]);
			expect(desk.told("message.dropped")).toEqual([]);
			await scene.end();
		},
	),
];
