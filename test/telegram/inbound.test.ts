import { afterEach, describe, expect, it } from "vitest";
import type { HistoryEntry } from "../../src/call/history.js";
import { type Stand, Stands } from "./stand.js";

const stands = new Stands();
afterEach(() => stands.close());

const GROUP = -1007001;
const FORUM = -1007002;

async function open(options = {}) {
	const stand = await stands.open(options);
	const ana = stand.server.person({ id: 7001, name: "Ana", family: "Ruiz", language: "es" });
	stand.server.group({ id: GROUP, title: "Familia" });
	stand.server.group({ id: FORUM, title: "Clinic", topics: [7, 9] });
	return { ...stand, ana };
}

const contentsOf = ({ host }: Stand) => host.messages.map((message) => message.content);
const addressesOf = ({ host }: Stand) => host.messages.map((message) => message.address);

/** Resolves when everything done so far has been taken. */
async function taken({ server }: Stand): Promise<void> {
	await server.until(() => server.updates.waiting.length === 0);
}

describe("a private chat", () => {
	it("hands over who said what, where and when", async () => {
		const stand = await open();
		stand.ana.says("hola");
		await stand.host.contents(1);
		expect(stand.host.messages[0]).toEqual({
			type: "message",
			id: "42.7001.1",
			keys: ["42.u1001"],
			address: stand.at(7001),
			contact: { id: "tg:7001", name: "Ana Ruiz", locale: "es" },
			content: { kind: "text", text: "hola" },
			sentAt: expect.any(Number),
			platform: { message: 1 },
		});
	});

	it("D13: an account whose number is also a phone number is another person", async () => {
		const stand = await open();
		stand.server.person({ id: 34600111222, name: "Eva" }).says("hola");
		await stand.host.contents(1);
		expect(stand.host.messages[0]?.contact.id).toBe("tg:34600111222");
	});

	it("knows commands, an opening, a place, a contact and every kind of file", async () => {
		const stand = await open();
		const { ana } = stand;
		ana.says("/start ref-7");
		ana.says("/help me");
		ana.locates(40.4, -3.7);
		ana.posts({ contact: { first_name: "Eva", phone_number: "+34600111222" } });
		ana.sends({ kind: "photo", caption: "my knee", bytes: Buffer.from("pixels") });
		ana.sends({ kind: "document", name: "plan.pdf", mime: "application/pdf" });
		ana.sends({ kind: "voice" });
		ana.sends({ kind: "sticker" });
		ana.posts({ dice: { emoji: "🎲", value: 3 } });
		ana.posts({ pinned_message: { message_id: 1 } });
		await taken(stand);
		expect(contentsOf(stand)).toEqual([
			{ kind: "open", text: "ref-7" },
			{ kind: "command", name: "help", text: "/help me" },
			{ kind: "location", latitude: 40.4, longitude: -3.7, text: "" },
			{ kind: "text", text: "Eva, +34600111222" },
			{
				kind: "media",
				media: [{ kind: "image", mime: "image/jpeg", ref: "telegram:file-1", size: 6 }],
				text: "my knee",
			},
			expect.objectContaining({
				media: [{ kind: "document", mime: "application/pdf", ref: "telegram:file-2", name: "plan.pdf", size: 5 }],
			}),
			expect.objectContaining({ media: [expect.objectContaining({ kind: "audio", mime: "audio/ogg" })] }),
			expect.objectContaining({ media: [expect.objectContaining({ kind: "sticker" })] }),
			{ kind: "unknown", what: "dice", text: "" },
		]);
	});

	it("edits, reactions, a block and its end go their own way", async () => {
		const stand = await open();
		const { ana, host, server } = stand;
		ana.says("at ten");
		await host.contents(1);
		ana.edits(1, "at eleven");
		ana.reacts(1, "👍");
		ana.blocks();
		ana.unblocks();
		await taken(stand);
		expect(host.accepted.slice(1)).toMatchObject([
			{ type: "edit", message: "42.7001.1", content: { kind: "text", text: "at eleven" }, address: stand.at(7001) },
			{ type: "reaction", message: "42.7001.1", emoji: "👍", contact: { id: "tg:7001" } },
			{ type: "reachable", reachable: false, reason: "the person blocked the bot" },
			{ type: "reachable", reachable: true },
		]);
		expect(server.updates.waiting).toEqual([]);
	});

	it("A18: a forwarded message stands as a quote, and waits for the words that follow it", async () => {
		const stand = await open();
		stand.ana.forwards("Bring your card.\nAnd be early.", "Front desk");
		stand.ana.says("what does this mean?");
		await stand.host.contents(2);
		expect(stand.host.messages.map(({ content, gathersMs }) => [content.text, gathersMs])).toEqual([
			["> Bring your card.\n> And be early.", 700],
			["what does this mean?", undefined],
		]);
	});

	it("A20: every picture of an album is taken at once, says that more may follow, and the caption comes once", async () => {
		const stand = await open();
		const album = stand.ana.album([{ kind: "photo", caption: "these three" }, { kind: "photo" }, { kind: "photo" }]);
		await stand.host.contents(3);
		expect(stand.host.messages.map(({ content, gathersMs }) => [content.kind, content.text, gathersMs])).toEqual([
			["media", "these three", 1000],
			["media", "", 1000],
			["media", "", 1000],
		]);
		stand.ana.continues(album[0]!, { kind: "photo" });
		await stand.host.contents(4);
	});

	it("a reply names what it answers", async () => {
		const stand = await open();
		const [sent] = await stand.send(7001, "Which day?");
		stand.ana.says("this one", { answers: 1 });
		await stand.host.contents(1);
		expect(sent).toEqual({ outcome: "sent", id: "42.7001.1" });
		expect(stand.host.messages[0]?.replyTo).toBe("42.7001.1");
	});

	it("other bots, and what it cannot read, are passed over and hold nothing up", async () => {
		const stand = await open();
		const { server, ana, log } = stand;
		const from = { id: 43, is_bot: true, first_name: "Other" };
		server.updates.push({ message: server.chats.post(7001, from, { text: "beep" }, undefined, false) });
		server.updates.push({ message: { message_id: 99 } });
		ana.says("hola");
		await stand.host.contents(1);
		expect(contentsOf(stand)).toEqual([{ kind: "text", text: "hola" }]);
		expect(log.lines.filter((line) => line.event === "telegram.unreadable")).toHaveLength(1);
	});
});

describe("a group", () => {
	it("hears only what is meant for it: its name, an answer to it, a command", async () => {
		const stand = await open();
		const { ana } = stand;
		await stand.send(GROUP, "Hello all");
		ana.says("what a day", { in: GROUP });
		ana.says("@callboard_bot, is Monday free?", { in: GROUP });
		ana.says("and you @Callboard_Bot?", { in: GROUP });
		ana.says("to you", { in: GROUP, answers: 1 });
		ana.says("/book", { in: GROUP });
		ana.says("/book@callboard_bot now", { in: GROUP });
		ana.says("/book@other_bot", { in: GROUP });
		ana.says("@callboard_bot_two hi", { in: GROUP });
		await taken(stand);
		expect(contentsOf(stand).map(({ text }) => text)).toEqual([
			"is Monday free?",
			"and you @Callboard_Bot?",
			"to you",
			"/book",
			"/book@callboard_bot now",
		]);
		expect(new Set(addressesOf(stand))).toEqual(new Set([stand.at(GROUP)]));
	});

	it("an album called for with the first picture is heard whole", async () => {
		const stand = await open();
		stand.ana.album([{ kind: "photo", caption: "@callboard_bot look" }, { kind: "photo" }], { in: GROUP });
		stand.ana.album([{ kind: "photo", caption: "look, all" }, { kind: "photo" }], { in: GROUP });
		await taken(stand);
		expect(contentsOf(stand).map(({ text }) => text)).toEqual(["look", ""]);
	});

	it("hears all, or nothing, where it is told to", async () => {
		for (const [groups, heard] of [
			["all", 1],
			["none", 0],
		] as const) {
			const stand = await open({ groups });
			stand.ana.says("what a day", { in: GROUP });
			await taken(stand);
			expect(stand.host.messages).toHaveLength(heard);
		}
	});

	it("D10: a topic of a forum is a conversation of its own, General is the chat, and a thread of replies is no topic", async () => {
		const stand = await open({ groups: "all" });
		const { ana } = stand;
		ana.says("in topic", { in: FORUM, topic: 7 });
		ana.says("in General", { in: FORUM });
		ana.says("in a thread of replies", { in: GROUP, topic: 55 });
		await stand.host.contents(3);
		expect(stand.host.messages.map(({ content, address }) => [content.text, address])).toEqual(
			expect.arrayContaining([
				["in topic", stand.at(FORUM, 7)],
				["in General", stand.at(FORUM)],
				["in a thread of replies", stand.at(GROUP)],
			]),
		);
	});
});

describe("a tap", () => {
	const offer = {
		kind: "choices",
		text: "Which?",
		choices: [
			{ id: "s1", label: "09:00" },
			{ id: `slot-${"é".repeat(40)}`, label: "10:30" },
		],
	} as const;

	it("is answered before anything else, and brings the id it was offered with", async () => {
		const stand = await open();
		await stand.send(7001, offer);
		stand.ana.taps("09:00");
		await stand.server.until(() => stand.server.callsOf("answerCallbackQuery").length === 1);
		await stand.host.contents(1);
		expect(stand.host.messages[0]).toMatchObject({
			content: { kind: "choice", choice: "s1", text: "09:00" },
			replyTo: "42.7001.1",
			contact: { id: "tg:7001" },
			address: stand.at(7001),
		});
	});

	it("with an id too long for a button is found again among what was said, also by another process", async () => {
		const stand = await open();
		await stand.send(7001, offer);
		const said: HistoryEntry = { role: "said", id: "call.1.0", part: offer, by: "code", at: 0 };
		stand.host.tell(stand.at(7001), { entries: [said] });
		stand.ana.taps("10:30");
		await stand.host.contents(1);
		expect(contentsOf(stand)).toEqual([{ kind: "choice", choice: offer.choices[1].id, text: "10:30", of: "call.1.0" }]);
	});

	it("whose offer is long forgotten is still what the person said: the words on the button", async () => {
		const stand = await open();
		await stand.send(7001, offer);
		stand.ana.taps("10:30");
		await stand.host.contents(1);
		expect(contentsOf(stand)).toEqual([{ kind: "text", text: "10:30" }]);
	});

	it("that came too late to be answered is taken all the same", async () => {
		const stand = await open();
		await stand.send(7001, offer);
		stand.server.fail("answerCallbackQuery", undefined, {
			answer: { code: 400, description: "Bad Request: query is too old and response timeout expired" },
		});
		stand.ana.taps("09:00");
		await stand.host.contents(1);
		expect(contentsOf(stand)[0]).toMatchObject({ choice: "s1" });
	});

	it("may be typed: the number or the words of what was offered last", async () => {
		const stand = await open();
		const said: HistoryEntry = { role: "said", id: "call.1.0", part: offer, by: "code", at: 0 };
		stand.host.tell(stand.at(7001), { entries: [said] });
		stand.ana.says("2");
		stand.ana.says("09:00");
		stand.ana.says("neither");
		await stand.host.contents(3);
		expect(contentsOf(stand)).toEqual([
			{ kind: "choice", choice: offer.choices[1].id, text: "10:30", of: "call.1.0" },
			{ kind: "choice", choice: "s1", text: "09:00", of: "call.1.0" },
			{ kind: "text", text: "neither" },
		]);
	});
});
