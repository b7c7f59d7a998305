import { Api, GrammyError, HttpError, InputFile } from "grammy";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { telegramFaults } from "../../src/testing/telegram-faults.js";
import { parseTelegramHtml } from "../../src/testing/telegram-html.js";
import type { TelegramPerson } from "../../src/testing/telegram-person.js";
import { startTelegramServer, type TelegramServer } from "../../src/testing/telegram-server.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

let clock: VirtualClock;
let server: TelegramServer;
let api: Api;
let ana: TelegramPerson;
beforeEach(async () => {
	clock = new VirtualClock();
	server = await startTelegramServer({ clock });
	api = new Api(server.token, { apiRoot: server.apiRoot });
	ana = server.person({ id: 7001, name: "Ana" });
});
afterEach(() => server.stop());

/** In what words a request is refused. */
async function refusal(request: Promise<unknown>): Promise<string> {
	try {
		await request;
	} catch (error) {
		if (error instanceof GrammyError) return `${error.error_code} ${error.description}`;
		throw error;
	}
	return "accepted";
}

const html = { parse_mode: "HTML" } as const;

describe("the stand-in of the Bot API refuses", () => {
	it("a token it does not know, a method that is none", async () => {
		const stranger = new Api("1:BAD", { apiRoot: server.apiRoot });
		expect(await refusal(stranger.getMe())).toBe("401 Unauthorized");
		expect(await refusal((api.raw as unknown as Record<string, () => Promise<unknown>>).fooBar!())).toMatch(/^404/);
	});

	it("texts by what is seen: 4,096 units of UTF-16 after the markup is taken away, and not none", async () => {
		expect(await refusal(api.sendMessage(7001, "x".repeat(4096)))).toBe("accepted");
		expect(await refusal(api.sendMessage(7001, "x".repeat(4097)))).toBe("400 Bad Request: message is too long");
		expect(await refusal(api.sendMessage(7001, "😀".repeat(2049)))).toBe("400 Bad Request: message is too long");
		expect(await refusal(api.sendMessage(7001, `<b>${"x".repeat(4096)}</b>`, html))).toBe("accepted");
		expect(await refusal(api.sendMessage(7001, "&amp;".repeat(2000), html))).toBe(
			"400 Bad Request: message is too long",
		);
		expect(await refusal(api.sendMessage(7001, "<b> </b>", html))).toBe("400 Bad Request: message text is empty");
	});

	it.each([
		["<b>x", /can't parse entities: Can't find end tag/],
		["x</b>", /can't parse entities: Unexpected end tag at byte offset 1/],
		["<b><i>x</b></i>", /can't parse entities: Unmatched end tag/],
		["a < b", /can't parse entities: Unsupported start tag ""/],
		["é<div>x</div>", /can't parse entities: Unsupported start tag "div" at byte offset 2/],
		["<blockquote>a<blockquote>b</blockquote></blockquote>", /Nested blockquotes/],
	])("the markup %s", async (text, words) => {
		expect(await refusal(api.sendMessage(7001, text, html))).toMatch(words);
	});

	it("buttons whose data is empty or above 64 bytes, more than 8 in a row, more than 100", async () => {
		const send = (rows: { text: string; callback_data: string }[][]) =>
			refusal(api.sendMessage(7001, "?", { reply_markup: { inline_keyboard: rows } }));
		const button = (callback_data: string) => ({ text: "A", callback_data });
		expect(await send([[button("é".repeat(32))]])).toBe("accepted");
		expect(await send([[button("é".repeat(33))]])).toMatch(/BUTTON_DATA_INVALID/);
		expect(await send([[button("")]])).toMatch(/BUTTON_DATA_INVALID/);
		expect(await send([Array.from({ length: 9 }, () => button("a"))])).toMatch(/too long/);
		expect(await send(Array.from({ length: 101 }, () => [button("a")]))).toMatch(/too long/);
	});

	it("chats and threads that are not there, edits that change nothing, taps too old", async () => {
		server.group({ id: -1, topics: [7] });
		server.group({ id: -2 });
		expect(await refusal(api.sendMessage(9, "x"))).toBe("400 Bad Request: chat not found");
		const inThread = (chat: number, message_thread_id: number) =>
			refusal(api.sendMessage(chat, "x", { message_thread_id }));
		expect(await inThread(-1, 7)).toBe("accepted");
		expect([await inThread(-1, 1), await inThread(-1, 8), await inThread(-2, 7)]).toEqual(
			Array(3).fill("400 Bad Request: message thread not found"),
		);
		const { message_id } = await api.sendMessage(7001, "same");
		expect(await refusal(api.editMessageText(7001, message_id, "same"))).toMatch(/message is not modified/);
		expect(await refusal(api.editMessageText(7001, message_id, "other"))).toBe("accepted");
		expect(await refusal(api.deleteMessage(7001, message_id))).toBe("accepted");
		expect(await refusal(api.deleteMessage(7001, message_id))).toMatch(/message to delete not found/);
		await api.sendMessage(7001, "?", { reply_markup: { inline_keyboard: [[{ text: "A", callback_data: "a" }]] } });
		const tap = ana.taps("A").callback_query as { id: string };
		await clock.advance(16 * 60_000);
		expect(await refusal(api.answerCallbackQuery(tap.id))).toMatch(/query is too old/);
		expect(() => ana.taps("B")).toThrow('no button "B" is visible');
	});

	it("captions above 1,024, albums of one, files it does not have, a person who blocked it", async () => {
		const file = () => new InputFile(Buffer.from("pixels"), "a.png");
		expect(await refusal(api.sendPhoto(7001, file(), { caption: "x".repeat(1025) }))).toMatch(/caption is too long/);
		expect(await refusal(api.sendMediaGroup(7001, [{ type: "photo", media: file() }]))).toMatch(/expected 2-10/);
		expect(await refusal(api.sendPhoto(7001, "unknown-id"))).toMatch(/wrong file identifier/);
		ana.blocks();
		expect(await refusal(api.sendMessage(7001, "x"))).toBe("403 Forbidden: bot was blocked by the user");
	});
});

describe("the stand-in of the Bot API", () => {
	it("shows what a person sees, also of files sent with the client's own forms", async () => {
		const file = () => new InputFile(Buffer.from("pixels"), "a.png");
		await api.sendMediaGroup(7001, [
			{ type: "photo", media: file(), caption: "one" },
			{ type: "photo", media: file() },
		]);
		const { message_id } = await api.sendMessage(7001, "<b>hi</b>", html);
		await api.setMessageReaction(7001, message_id, [{ type: "emoji", emoji: "👍" }]);
		expect(server.sees(7001)).toMatchObject([
			{ media: "photo", text: "one" },
			{ media: "photo", text: "" },
			{ text: "hi", entities: [{ type: "bold", offset: 0, length: 2 }], own: true, edited: false },
		]);
		await api.setMyCommands([{ command: "book", description: "Book a visit" }]);
		expect(server.commands).toEqual([{ command: "book", description: "Book a visit" }]);
	});

	it("gives the bytes of what a person sent, up to 20 MB", async () => {
		const small = ana.sends({ kind: "document", bytes: Buffer.from("hello") });
		const large = ana.sends({ kind: "document", bytes: Buffer.alloc(20 * 1024 * 1024 + 1) });
		const id = (update: typeof small) => (update.message as { document: { file_id: string } }).document.file_id;
		const { file_path } = await api.getFile(id(small));
		const response = await fetch(`${server.apiRoot}/file/bot${server.token}/${file_path}`);
		expect(await response.text()).toBe("hello");
		expect(await refusal(api.getFile(id(large)))).toBe("400 Bad Request: file is too big");
	});

	it("polls: waits for the next update, confirms by offset, gives again what was not confirmed", async () => {
		const waiting = api.getUpdates({ timeout: 30 });
		await server.until(() => server.calls.length === 1);
		ana.says("one");
		const [first] = await waiting;
		expect(first).toMatchObject({ update_id: 1001, message: { text: "one" } });
		expect(await api.getUpdates()).toHaveLength(1);
		const empty = api.getUpdates({ offset: 1002, timeout: 30 });
		await server.until(() => server.updates.waiting.length === 0);
		await clock.advance(30_000);
		expect(await empty).toEqual([]);
	});

	it("lets the newer of two polls win, and none beside a webhook", async () => {
		const older = refusal(api.getUpdates({ timeout: 30 }));
		await server.until(() => server.calls.length === 1);
		const newer = api.getUpdates({ timeout: 30 });
		expect(await older).toMatch(/^409 Conflict: terminated by other getUpdates request/);
		ana.says("hi");
		expect(await newer).toHaveLength(1);
		await api.setWebhook("https://bots.example.com/x");
		expect(await refusal(api.getUpdates())).toMatch(
			/^409 Conflict: can't use getUpdates method while webhook is active/,
		);
		expect(await refusal(api.setWebhook("http://bots.example.com/"))).toMatch(/An HTTPS URL must be provided/);
		await api.deleteWebhook();
		expect(await api.getWebhookInfo()).toMatchObject({ url: "" });
	});

	it("a poll hung up by the asker leaves no trace", async () => {
		const giveUp = new AbortController();
		const gone = api.getUpdates({ timeout: 30 }, giveUp.signal as never).catch((error) => error);
		await server.until(() => server.calls.length === 1);
		giveUp.abort();
		expect(await gone).toBeInstanceOf(HttpError);
		const next = api.getUpdates({ timeout: 30 });
		await server.until(() => server.calls.length === 2);
		ana.says("hi");
		expect(await next).toHaveLength(1);
	});

	it("tells of reactions only those who asked", async () => {
		const { message_id } = await api.sendMessage(7001, "hi");
		ana.reacts(message_id, "👍");
		expect(await api.getUpdates({ allowed_updates: ["message_reaction"] })).toEqual([]);
		ana.reacts(message_id, "👍");
		ana.says("not asked for");
		expect(await api.getUpdates()).toHaveLength(1);
	});

	it("fails as it is told, once each, for one chat or any", async () => {
		server.person({ id: 7002, name: "Bea" });
		server.fail("sendMessage", 7001, telegramFaults.tooMany(7), telegramFaults.acceptedThenReset());
		expect(await refusal(api.sendMessage(7002, "x"))).toBe("accepted");
		await expect(api.sendMessage(7001, "x")).rejects.toMatchObject({ error_code: 429, parameters: { retry_after: 7 } });
		await expect(api.sendMessage(7001, "y")).rejects.toBeInstanceOf(HttpError);
		expect(server.texts(7001)).toEqual(["y"]);
		expect(await refusal(api.sendMessage(7001, "z"))).toBe("accepted");
	});
});

describe("the strict parser", () => {
	it("reads what the Bot API reads", () => {
		const { text, entities } = parseTelegramHtml(
			'<b>a</b> &lt;&#x1F600;&gt; <a href="https://a.es/?x=1&amp;y=2">l</a> <pre><code class="language-ts">c</code></pre> <span class="tg-spoiler">s</span> &nbsp; & >',
		);
		expect(text).toBe("a <😀> l c s &nbsp; & >");
		expect(entities).toEqual([
			{ type: "bold", offset: 0, length: 1 },
			{ type: "text_link", offset: 7, length: 1, url: "https://a.es/?x=1&y=2" },
			{ type: "pre", offset: 9, length: 1, language: "ts" },
			{ type: "spoiler", offset: 11, length: 1 },
		]);
	});
});
