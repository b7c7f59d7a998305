import { afterEach, describe, expect, it } from "vitest";
import { telegramFaults } from "../../src/testing/telegram-faults.js";
import { during, type Stand, Stands } from "./stand.js";

const stands = new Stands();
afterEach(() => stands.close());

const GROUP = -1007001;

async function open() {
	const stand = await stands.open({ streaming: true });
	stand.server.person({ id: 7001, name: "Ana" });
	stand.server.group({ id: GROUP });
	const show = (chat: number, text: string) =>
		stand.channel.show?.(stand.at(chat), { kind: "draft", turn: "call.1", text });
	const writes = () =>
		stand.server.calls.filter(({ method }) => ["sendMessage", "editMessageText", "deleteMessage"].includes(method));
	return { ...stand, show, writes };
}

/** An answer that grows by a word every 100 ms. */
async function grow({ clock }: Stand, show: (text: string) => void, words: number): Promise<string> {
	let text = "";
	for (let n = 0; n < words; n += 1) {
		text += `w${n} `;
		show(text);
		await clock.advance(100);
		for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
	}
	return text.trim();
}

describe("an answer shown while it grows", () => {
	it("is one message, edited, and becomes what is said; the part after it is a message of its own", async () => {
		const stand = await open();
		const { server, show, send, clock } = stand;
		show(7001, "Hel");
		await server.until(() => server.texts(7001).length === 1);
		show(7001, "Hello **th");
		show(7001, "Hello **there**");
		await during(clock, () => server.texts(7001)[0] === "Hello there");
		expect(await send(7001, "Hello **there**, Ana", { id: "call.1.0" })).toEqual([
			{ outcome: "sent", id: "42.7001.1" },
		]);
		expect(await send(7001, "Bye", { id: "call.1.1" })).toMatchObject([{ outcome: "sent" }]);
		expect(server.texts(7001)).toEqual(["Hello there, Ana", "Bye"]);
	});

	it("D5: edits keep the pace of the platform: at most 20 a minute in a group, and thin out under 429", async () => {
		const stand = await open();
		const { server, show, writes, send, clock } = stand;
		const text = await grow(stand, (draft) => show(GROUP, draft), 600);
		expect(writes().length).toBeGreaterThan(10);
		expect(writes().length).toBeLessThanOrEqual(20);
		server.fail("editMessageText", GROUP, telegramFaults.tooMany(5));
		show(GROUP, `${text} more`);
		const before = server.callsOf("editMessageText").length;
		await during(clock, () => server.callsOf("editMessageText").length > before);
		const [result] = await send(GROUP, `${text} and the end`, { id: "call.1.0" });
		if (result?.outcome === "retry") await clock.advance(result.afterMs);
		await send(GROUP, `${text} and the end`, { id: "call.1.0" });
		expect(server.texts(GROUP)).toEqual([`${text} and the end`]);
	});

	it("D5: when every third edit is refused for 5 s, the final text is shown all the same, once", async () => {
		const stand = await open();
		const { server, show, send, clock } = stand;
		const passes = telegramFaults.slow(0);
		const every = Array.from({ length: 5 }, () => [passes, passes, telegramFaults.tooMany(5)]).flat();
		server.fail("editMessageText", 7001, ...every);
		const text = await grow(stand, (draft) => show(7001, draft), 120);
		for (let tries = 0; tries < 5; tries += 1) {
			const [result] = await send(7001, text, { id: "call.1.0" });
			if (result?.outcome !== "retry") break;
			await clock.advance(result.afterMs);
		}
		expect(server.texts(7001)).toEqual([text]);
	});

	it("E1: an edit whose outcome is unknown is tried again: it never makes two messages", async () => {
		const { server, show, send } = await open();
		show(7001, "Hel");
		await server.until(() => server.texts(7001).length === 1);
		server.fail("editMessageText", 7001, telegramFaults.acceptedThenReset());
		expect(await send(7001, "Hello", { id: "call.1.0" })).toMatchObject([{ outcome: "retry", afterMs: 0 }]);
		expect(await send(7001, "Hello", { id: "call.1.0" })).toMatchObject([{ outcome: "sent" }]);
		expect(server.texts(7001)).toEqual(["Hello"]);
	});

	it("that will not be said is taken away", async () => {
		const { server, show, channel, at, clock } = await open();
		show(7001, "I think");
		await server.until(() => server.texts(7001).length === 1);
		channel.show?.(at(7001), { kind: "withdrawn", turn: "call.1" });
		await during(clock, () => server.texts(7001).length === 0);
	});

	it("that another process said is taken away after the turn", async () => {
		const { server, show, channel, at, clock } = await open();
		show(7001, "Hello");
		await server.until(() => server.texts(7001).length === 1);
		channel.show?.(at(7001), { kind: "typing", on: false });
		await during(clock, () => server.texts(7001).length === 0);
	});

	it("whose message somebody deleted is said anew", async () => {
		const { server, show, send } = await open();
		show(7001, "Hel");
		await server.until(() => server.texts(7001).length === 1);
		server.chats.remove(7001, 1);
		expect(await send(7001, "Hello", { id: "call.1.0" })).toMatchObject([{ outcome: "sent" }]);
		expect(server.texts(7001)).toEqual(["Hello"]);
	});

	it("is not shown unless it is asked for", async () => {
		const { server, channel, at, clock } = await stands.open();
		server.person({ id: 7001, name: "Ana" });
		channel.show?.(at(7001), { kind: "draft", turn: "call.1", text: "Hel" });
		await clock.advance(5000);
		expect(server.callsOf("sendMessage")).toEqual([]);
		expect(channel.capabilities.streaming).toBe("none");
	});
});
