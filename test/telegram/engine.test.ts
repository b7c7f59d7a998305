import { afterEach, describe, expect, it } from "vitest";
import type { TelegramOptions } from "../../channels/telegram/channel.js";
import { inMemory } from "../../src/engine/embedded/embedded.js";
import type { Fact } from "../../src/engine/facts.js";
import { createRuntime } from "../../src/engine/runtime.js";
import type { Model, ModelRequest } from "../../src/model/model.js";
import { assertGlobalProperties } from "../../src/testing/global-properties.js";
import { RecordingLog } from "../../src/testing/recording-log.js";
import { telegramFaults } from "../../src/testing/telegram-faults.js";
import { startTelegramServer } from "../../src/testing/telegram-server.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import { fakeAgent } from "../turn/fake-agent.js";
import { responseOf } from "../turn/fake-model.js";
import { served } from "./stand.js";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const close of open.splice(0).reverse()) await close();
});

/** The words of the person since the agent spoke last. */
function newWords({ history }: ModelRequest): readonly string[] {
	const last = history.findLastIndex((message) => message.role === "assistant");
	return history.slice(last + 1).flatMap((message) => (message.role === "user" ? [message.text] : []));
}

interface Options extends Partial<TelegramOptions> {
	answer?(words: readonly string[], request: ModelRequest): string | Promise<string>;
}

/** An agent on the real engine in memory, behind a Telegram door at the stand-in. */
async function telegramEngine({ answer, ...options }: Options = {}) {
	const server = await startTelegramServer();
	open.push(() => server.stop());
	const { channel, gateway } = await served(server, options);
	if (gateway !== undefined) open.push(() => gateway.stop(0));
	const clock = new VirtualClock();
	const log = new RecordingLog();
	const turns: (readonly string[])[] = [];
	const model: Model = {
		name: "fake",
		async ask(request) {
			const words = newWords(request);
			turns.push(words);
			return responseOf((await answer?.(words, request)) ?? `re: ${words.join(" + ")}`, turns.length);
		},
	};
	const backend = inMemory({ clock, log });
	const runtime = createRuntime({
		backend,
		doors: [{ name: "telegram", channel, agent: fakeAgent({}), model }],
		clock,
		log,
	});
	const facts: Fact[] = [];
	runtime.on("*", (fact) => facts.push(fact));
	await runtime.start();
	open.push(() => runtime.stop(0));
	return {
		server,
		clock,
		runtime,
		turns,
		told: (event: string) => facts.filter((fact) => fact.event === event),
		people: [7001, 7002, 7003].map((id) => server.person({ id, name: `P${id}` })) as [Person, Person, Person],
		/** Moves the clock in small steps until something holds. */
		async pass(holds: () => boolean) {
			while (!holds()) await clock.advance(50);
		},
		/** When the first message that waits for a chat may go, if one does. */
		waits: async (chat: string) => (await backend.view(`telegram|${chat}`, { history: 0 })).outbox[0]?.notBefore,
		marks: async (chat: number) => (await backend.view(`telegram|${chat}`, { history: 0 })).marks,
		async end() {
			await runtime.idle();
			const delivered = facts.flatMap(({ event, address, data }) =>
				event === "delivery.sent" ? [{ address, key: String(data.row) }] : [],
			);
			await assertGlobalProperties(backend, { delivered, texts: [JSON.stringify(log.lines)] });
		},
	};
}

type Person = ReturnType<Awaited<ReturnType<typeof startTelegramServer>>["person"]>;

describe("several updates that are one thing said", () => {
	it("A18: a forward and the comment 80 ms behind it are one turn, the forward marked as quoted", async () => {
		const { server, clock, turns, people, pass, end } = await telegramEngine();
		const [ana] = people;
		ana.forwards("Visit moved to Friday", "Front desk");
		await server.until(() => server.updates.waiting.length === 0);
		await clock.advance(80);
		ana.says("is that true?");
		await pass(() => server.texts(7001).length > 0);
		expect(turns).toEqual([["> Visit moved to Friday", "is that true?"]]);
		await end();
	});

	it("A18: a forward nothing follows is answered by itself", async () => {
		const { server, turns, people, pass, end } = await telegramEngine();
		people[0].forwards("Visit moved to Friday", "Front desk");
		await pass(() => server.texts(7001).length > 0);
		expect(turns).toEqual([["> Visit moved to Friday"]]);
		await end();
	});

	it.each(["polling", "webhook"] as const)(
		"A20: three pictures and one caption are one turn by %s; a fourth 2 s late joins the next, and is not lost",
		async (mode) => {
			const { server, clock, turns, people, pass, end } = await telegramEngine({ mode });
			const [ana] = people;
			const [first] = ana.album([{ kind: "photo", caption: "my knee" }, { kind: "photo" }, { kind: "photo" }]);
			await server.until(() => server.updates.waiting.length === 0);
			await pass(() => server.texts(7001).length === 1);
			await clock.advance(2000);
			ana.continues(first!, { kind: "photo" });
			await pass(() => server.texts(7001).length === 2);
			expect(turns.map((words) => words.length)).toEqual([3, 1]);
			expect(turns[0]?.filter((words) => words.includes("my knee"))).toHaveLength(1);
			for (const words of turns.flat()) expect(words).toContain("sent a picture");
			await end();
		},
	);
});

describe("what Telegram sends again or in parallel", () => {
	it("B8: a turn of 15 s is not waited for, and the update posted again meanwhile is no second turn", async () => {
		let finish = (_: string) => {};
		const slow = new Promise<string>((resolve) => {
			finish = resolve;
		});
		const { server, turns, people, end, clock } = await telegramEngine({ mode: "webhook", answer: () => slow });
		const update = people[0].says("one");
		expect(await server.updates.handed(update)).toBe("acknowledged");
		await clock.advance(10_000);
		server.updates.redeliver(update);
		expect(await server.updates.handed(update)).toBe("acknowledged");
		await clock.advance(5_000);
		finish("done");
		await server.until(() => server.texts(7001).length === 1);
		await end();
		expect(turns).toHaveLength(1);
		expect(server.texts(7001)).toEqual(["done"]);
	});

	it("B9: the first update slow, the second fast: answered in order, and both are in the history", async () => {
		let finish = () => {};
		const slow = new Promise<void>((resolve) => {
			finish = resolve;
		});
		const { server, people, end, runtime } = await telegramEngine({
			mode: "webhook",
			answer: async (words) => {
				if (words.includes("slow")) await slow;
				return `re: ${words.join(" + ")}`;
			},
		});
		const [ana] = people;
		ana.says("slow");
		await server.updates.handed(ana.says("fast"));
		finish();
		await server.until(() => server.texts(7001).length === 2);
		await end();
		expect(server.texts(7001)).toEqual(["re: slow", "re: fast"]);
		const { history } = await runtime.backend.view("telegram|7001", { history: 100 });
		expect(history.flatMap((row) => (row.role === "user" ? [row.content.text] : []))).toEqual(["slow", "fast"]);
	});
});

describe("what goes out", () => {
	it("D6: a chat told to wait 13,938 s gets no request before, others are answered as ever", async () => {
		const { server, people, pass, clock, end } = await telegramEngine();
		const [ana, bea] = people;
		server.fail("sendMessage", 7001, telegramFaults.tooMany(13_938));
		ana.says("hola");
		await server.until(() => server.callsOf("sendMessage", 7001).length === 1);
		bea.says("hola");
		await server.until(() => server.texts(7002).length === 1);
		await clock.advance(60_000);
		expect(server.calls.filter((call) => call.chat === "7001" && call.method !== "sendChatAction")).toHaveLength(1);
		const began = clock.now();
		await clock.advance(13_938_000 - 61_000);
		expect(server.texts(7001)).toEqual([]);
		await pass(() => server.texts(7001).length === 1);
		expect(clock.now() - began).toBeLessThan(13_938_000);
		await end();
	});

	it("D8: of three who are written to the second has blocked the bot: the others get it, and the block is told", async () => {
		const { server, people, runtime, told, end } = await telegramEngine();
		for (const person of people) person.says("hola");
		await server.until(() => people.every(({ chat }) => server.texts(chat).length === 1));
		await runtime.idle();
		people[1].blocks();
		await server.until(() => server.updates.waiting.length === 0);
		expect(told("inbound.reachable").map(({ data }) => data.reachable)).toEqual([false]);
		const marked = async () => {
			const views = people.map(({ chat }) => runtime.backend.view(`telegram|${chat}`, { history: 0 }));
			return (await Promise.all(views)).map(({ unreachable }) => unreachable !== undefined);
		};
		expect(await marked()).toEqual([false, true, false]);
		for (const person of people) server.updates.push({ message: { ...messageOf(server, person) } });
		await server.until(() => server.texts(7001).length === 2 && server.texts(7003).length === 2);
		await runtime.idle();
		expect(told("contact.unreachable").map(({ address }) => address)).toEqual(["telegram|7002"]);
		people[1].unblocks();
		people[1].says("back");
		await server.until(() => server.texts(7002).length === 2);
		expect(told("inbound.reachable").map(({ data }) => data.reachable)).toEqual([false, true]);
		expect(await marked()).toEqual([false, false, false]);
		await end();
	});

	it("E1: delivered, then the connection resets: the person sees it once, and it is marked", async () => {
		const { server, people, runtime, marks, end, told } = await telegramEngine();
		server.fail("sendMessage", 7001, telegramFaults.acceptedThenReset());
		people[0].says("hola");
		await server.until(() => server.texts(7001).length === 1);
		await runtime.idle();
		expect(server.texts(7001)).toEqual(["re: hola"]);
		expect(await marks(7001)).toMatchObject([{ status: "ambiguous", reason: expect.stringContaining("broke") }]);
		expect(told("delivery.failed")).toHaveLength(1);
		await end();
	});

	const four = () => Array.from({ length: 4 }, (_, n) => `part ${n + 1} ${"x".repeat(3980)}\n\n`).join("");
	const names = (texts: readonly unknown[]) => texts.map((text) => String(text).slice(0, 6));
	const tried = (server: { callsOf(method: string): readonly { params: { [name: string]: unknown } }[] }) =>
		names(server.callsOf("sendMessage").map(({ params }) => params.text));

	it("E13: part 2 of 4 meets a broken server: tried 1, 2, 2, 3, 4, and each is seen once", async () => {
		const { server, people, pass, end } = await telegramEngine({ answer: four });
		server.fail("sendMessage", 7001, telegramFaults.slow(0), telegramFaults.brokenServer());
		people[0].says("go");
		await pass(() => server.texts(7001).length === 4);
		expect(tried(server)).toEqual(["part 1", "part 2", "part 2", "part 3", "part 4"]);
		expect(names(server.texts(7001))).toEqual(["part 1", "part 2", "part 3", "part 4"]);
		await end();
	});

	it("E13: part 2 of 4 has no known outcome: 1, 2, 3, 4, with 2 marked, and none twice", async () => {
		const { server, people, runtime, pass, marks, end } = await telegramEngine({ answer: four });
		server.fail("sendMessage", 7001, telegramFaults.slow(0), telegramFaults.lostThenReset());
		people[0].says("go");
		await pass(() => server.callsOf("sendMessage").length === 4);
		await runtime.idle();
		expect(names(server.texts(7001))).toEqual(["part 1", "part 3", "part 4"]);
		expect(await marks(7001)).toMatchObject([{ status: "ambiguous" }]);
		await end();
	});

	it("E13: part 2 of 4 is refused for good: 3 and 4 follow, and what is missing is marked", async () => {
		const { server, people, runtime, pass, marks, end } = await telegramEngine({ answer: four });
		const refused = [telegramFaults.unparsable(), telegramFaults.refused()];
		server.fail("sendMessage", 7001, telegramFaults.slow(0), ...refused);
		people[0].says("go");
		await pass(() => server.callsOf("sendMessage").length === 5);
		await runtime.idle();
		expect(tried(server)).toEqual(["part 1", "part 2", "part 2", "part 3", "part 4"]);
		expect(names(server.texts(7001))).toEqual(["part 1", "part 3", "part 4"]);
		expect(await marks(7001)).toMatchObject([{ status: "failed", reason: "400 Bad Request: message can't be sent" }]);
		await end();
	});

	it.each([
		["in a private chat three messages go at once, then one a second", 7001, undefined, 3, 1_000],
		["in a group two messages go at once, then eighteen a minute", -77, undefined, 2, 3_334],
		["in a topic of a forum it is the group that counts", -78, 7, 2, 3_334],
	])("E7: %s", async (_, chat, topic, atOnce, everyMs) => {
		const { server, people, clock, waits, end } = await telegramEngine({ answer: four });
		server.group({ id: -77 });
		server.group({ id: -78, topics: [7] });
		const place = chat > 0 ? {} : { in: chat, ...(topic !== undefined && { topic }) };
		people[0].says("@callboard_bot go", place);
		const address = topic === undefined ? `${chat}` : `${chat}|${topic}`;
		const began = clock.now();
		for (let sent = atOnce; sent < 4; sent += 1) {
			await server.until(() => server.texts(chat).length === sent);
			const at = began + (sent - atOnce + 1) * everyMs;
			while ((await waits(address)) !== at) await clock.settle();
			expect(server.texts(chat)).toHaveLength(sent);
			await clock.advance(at - clock.now());
		}
		await server.until(() => server.texts(chat).length === 4);
		expect(names(server.texts(chat))).toEqual(["part 1", "part 2", "part 3", "part 4"]);
		await end();
	});

	it("an edit that comes before the turn has read the message changes it, later it changes nothing", async () => {
		const { server, people, turns, pass, end } = await telegramEngine();
		const [ana] = people;
		ana.forwards("at ten", "Front desk");
		await server.until(() => server.updates.waiting.length === 0);
		ana.edits(1, "at eleven");
		await server.until(() => server.updates.waiting.length === 0);
		await pass(() => server.texts(7001).length === 1);
		ana.edits(1, "at twelve");
		await server.until(() => server.updates.waiting.length === 0);
		expect(turns).toEqual([["> at eleven"]]);
		await end();
	});
});

/** A further message of a person, also while the bot cannot write to them. */
function messageOf({ chats }: Awaited<ReturnType<typeof startTelegramServer>>, person: Person) {
	return chats.post(person.chat, person.user, { text: "more" }, undefined, false);
}
