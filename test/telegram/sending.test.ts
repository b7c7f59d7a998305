import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { telegramFaults } from "../../src/testing/telegram-faults.js";
import { Stands } from "./stand.js";

const stands = new Stands();
afterEach(() => stands.close());

const GROUP = -1007001;
const FORUM = -1007002;

async function open(options = {}) {
	const stand = await stands.open(options);
	const ana = stand.server.person({ id: 7001, name: "Ana" });
	const bea = stand.server.person({ id: 7002, name: "Bea" });
	const eva = stand.server.person({ id: 7003, name: "Eva" });
	stand.server.group({ id: GROUP });
	stand.server.group({ id: FORUM, topics: [7] });
	return { ...stand, ana, bea, eva };
}

describe("what a person sees", () => {
	it("is formatted, and buttons stand below the last message", async () => {
		const { server, send } = await open();
		const choices = [{ id: "s1", label: "09:00" }];
		await send(7001, { kind: "choices", text: "**Tuesday**: which hour?", choices });
		expect(server.sees(7001)).toMatchObject([
			{
				text: "Tuesday: which hour?",
				entities: [{ type: "bold", offset: 0, length: 7 }],
				buttons: [["09:00"]],
				own: true,
			},
		]);
	});

	it("is a picture by address, a file of the platform's own, bytes with a name, or a file of this machine", async () => {
		const { server, send } = await open();
		const data = `data:application/pdf;base64,${Buffer.from("pdf bytes").toString("base64")}`;
		server.files.set("known", Buffer.from("x"));
		const results = [
			...(await send(7001, {
				kind: "media",
				media: { kind: "image", mime: "image/png", ref: "https://a.es/a.png" },
				text: "*Map*",
			})),
			...(await send(7001, { kind: "media", media: { kind: "audio", mime: "audio/ogg", ref: "telegram:known" } })),
			...(await send(7001, {
				kind: "media",
				media: { kind: "document", mime: "application/pdf", ref: data, name: "plan.pdf" },
			})),
			...(await send(7001, {
				kind: "media",
				media: { kind: "document", mime: "text/plain", ref: import.meta.url, name: "me.ts" },
			})),
		];
		expect(results.map(({ outcome }) => outcome)).toEqual(["sent", "sent", "sent", "sent"]);
		expect(server.sees(7001).map(({ media, text }) => [media, text])).toEqual([
			["photo", "Map"],
			["voice", ""],
			["document", ""],
			["document", ""],
		]);
		const [upload, fromDisk] = server.callsOf("sendDocument");
		expect(upload?.params.document).toMatchObject({ name: "plan.pdf", data: Buffer.from("pdf bytes") });
		expect(fromDisk?.params.document).toMatchObject({ name: "me.ts", data: readFileSync(import.meta.filename) });
	});

	it("a file of this machine that is not there fails: nothing was sent, and the words behind it follow", async () => {
		const { server, send } = await open();
		const media = { kind: "document", mime: "text/plain", ref: "file:///nowhere/at/all.txt" } as const;
		expect(await send(7001, { kind: "media", media })).toEqual([
			{ outcome: "failed", reason: "the file cannot be read: ENOENT" },
		]);
		expect(server.callsOf("sendDocument")).toEqual([]);
	});

	it("D10: an answer goes into the topic it belongs to; to General no topic is named", async () => {
		const { server, send } = await open();
		await send(FORUM, "in seven", { thread: 7 });
		await send(FORUM, "in General");
		expect(server.sees(FORUM).map(({ text, topic }) => [text, topic])).toEqual([
			["in seven", 7],
			["in General", undefined],
		]);
		expect(server.callsOf("sendMessage")[1]?.params).not.toHaveProperty("message_thread_id");
	});

	it("in a group the first message quotes what it answers; the next ones, and private chats, do not", async () => {
		const { server, send, ana } = await open();
		ana.says("/book", { in: GROUP });
		await send(GROUP, "First", { id: "t.1", answers: 1 });
		await send(GROUP, "Second", { id: "t.2", answers: 1 });
		await send(7001, "Alone", { id: "t.1", answers: 1 });
		expect(server.sees(GROUP).map(({ answers }) => answers)).toEqual([undefined, 1, undefined]);
		expect(server.sees(7001)[0]?.answers).toBeUndefined();
		const quiet = await open({ quotes: false });
		quiet.ana.says("/book", { in: GROUP });
		await quiet.send(GROUP, "First", { answers: 1 });
		expect(quiet.server.sees(GROUP)[1]?.answers).toBeUndefined();
	});

	it("still comes when the message it answers is gone", async () => {
		const { server, send } = await open();
		expect(await send(GROUP, "Here", { answers: 999 })).toMatchObject([{ outcome: "sent" }]);
		expect(server.texts(GROUP)).toEqual(["Here"]);
	});
});

describe("what becomes of a send", () => {
	it("D6: a chat told to wait 13,938 s is left alone for so long, others go on", async () => {
		const { server, send, clock, channel, at } = await open();
		server.fail("sendMessage", 7001, telegramFaults.tooMany(13_938));
		expect(await send(7001, "one")).toEqual([
			{ outcome: "retry", afterMs: 13_938_000, scope: "chat", reason: "429 Too Many Requests: retry after 13938" },
		]);
		await clock.advance(13_937_000);
		expect(await send(7001, "one")).toMatchObject([{ outcome: "retry", afterMs: 1000 }]);
		channel.show?.(at(7001), { kind: "typing", on: true });
		expect(await send(7002, "two")).toMatchObject([{ outcome: "sent" }]);
		expect(server.calls.filter((call) => call.chat === "7001")).toHaveLength(1);
		await clock.advance(1000);
		expect(await send(7001, "one")).toMatchObject([{ outcome: "sent" }]);
		expect(server.texts(7001)).toEqual(["one"]);
	});

	it("many chats told to wait at once means that the whole bot is too fast", async () => {
		const { server, send } = await open();
		for (const chat of [7001, 7002, 7003]) server.fail("sendMessage", chat, telegramFaults.tooMany(3));
		const results = [...(await send(7001, "x")), ...(await send(7002, "x")), ...(await send(7003, "x"))];
		expect(results).toMatchObject([{ scope: "chat" }, { scope: "chat" }, { scope: "door", afterMs: 3000 }]);
	});

	it.each([
		["blocked", telegramFaults.blocked()],
		["deactivated", telegramFaults.deactivated()],
		["kicked", telegramFaults.kicked()],
		["not found", telegramFaults.chatNotFound()],
	])("D8: %s ends nothing but this send, and the chat is unreachable", async (_, fault) => {
		const { server, send } = await open();
		server.fail("sendMessage", 7002, fault);
		expect(await send(7001, "x")).toMatchObject([{ outcome: "sent" }]);
		expect(await send(7002, "x")).toMatchObject([{ outcome: "failed", unreachable: true }]);
		expect(await send(7003, "x")).toMatchObject([{ outcome: "sent" }]);
	});

	it("D3: markup that is refused is sent once more without it, whole", async () => {
		const { server, send } = await open();
		server.fail("sendMessage", 7001, telegramFaults.unparsable());
		expect(await send(7001, "**Hi** [page](https://a.es) 1 < 2")).toMatchObject([{ outcome: "sent" }]);
		expect(server.sees(7001)).toMatchObject([{ text: "Hi page (https://a.es) 1 < 2", entities: [] }]);
		server.fail("sendMessage", 7001, telegramFaults.unparsable(), telegramFaults.unparsable());
		expect(await send(7001, "**Hi**")).toMatchObject([{ outcome: "failed" }]);
		expect(server.callsOf("sendMessage")).toHaveLength(4);
	});

	it("any other refusal fails, a broken server is tried again, a revoked token closes the door for a while", async () => {
		const { server, send } = await open();
		server.fail(
			"sendMessage",
			7001,
			telegramFaults.refused(),
			telegramFaults.brokenServer(),
			telegramFaults.unauthorized(),
		);
		expect(await send(7001, "x")).toEqual([{ outcome: "failed", reason: "400 Bad Request: message can't be sent" }]);
		expect(await send(7001, "x")).toMatchObject([{ outcome: "retry", scope: "chat" }]);
		expect(await send(7001, "x")).toMatchObject([{ outcome: "retry", scope: "door", afterMs: 60_000 }]);
	});

	it("E1: delivered, then the connection resets: nobody knows, and the client does not send again by itself", async () => {
		const { server, send } = await open();
		server.fail("sendMessage", 7001, telegramFaults.acceptedThenReset());
		expect(await send(7001, "once")).toMatchObject([{ outcome: "ambiguous" }]);
		expect(server.texts(7001)).toEqual(["once"]);
		server.fail("sendMessage", 7001, telegramFaults.lostThenReset(), telegramFaults.badGateway());
		expect(await send(7001, "lost")).toMatchObject([{ outcome: "ambiguous" }]);
		expect(await send(7001, "page")).toMatchObject([{ outcome: "ambiguous" }]);
		expect(server.texts(7001)).toEqual(["once"]);
	});

	it("E1: a door that is told to sends again what may not have arrived", async () => {
		const { server, send, channel } = await open({ onAmbiguous: "resend" });
		server.fail("sendMessage", 7001, telegramFaults.acceptedThenReset());
		expect(await send(7001, "twice")).toMatchObject([{ outcome: "retry", afterMs: 0 }]);
		expect(channel.capabilities.ambiguous).toBe("reconcile");
		const delivery = { address: "telegram|7001", key: "t.0.0", signal: new AbortController().signal };
		expect(await channel.reconcile?.({}, delivery)).toMatchObject({ outcome: "retry" });
	});

	it("no connection at all means certainly not delivered", async () => {
		const { server, send } = await open();
		await server.stop();
		expect(await send(7001, "x")).toEqual([
			{ outcome: "retry", afterMs: 1000, scope: "door", reason: "no connection: ECONNREFUSED" },
		]);
	});

	it("a send given up is ambiguous, and its request ends", async () => {
		const { server, channel, at } = await open();
		server.fail("sendMessage", 7001, telegramFaults.slow(60_000));
		const giveUp = new AbortController();
		const [payload] = channel.render({ kind: "text", text: "late" });
		const sending = channel.send(payload ?? {}, { address: at(7001), key: "t.0.0", signal: giveUp.signal });
		await server.until(() => server.texts(7001).length === 1);
		giveUp.abort();
		expect(await sending).toMatchObject({ outcome: "ambiguous" });
	});

	it("a group that became a supergroup is written to under its new id, from then on at once", async () => {
		const { server, send } = await open();
		server.group({ id: -55, basic: true });
		server.group({ id: -10055 });
		server.fail("sendMessage", -55, telegramFaults.migrated(-10055));
		expect(await send(-55, "one")).toMatchObject([{ outcome: "sent" }]);
		expect(await send(-55, "two")).toMatchObject([{ outcome: "sent" }]);
		expect(server.texts(-10055)).toEqual(["one", "two"]);
		expect(server.callsOf("sendMessage")).toHaveLength(3);
	});

	it("E13: each part has an outcome of its own: 2 of 4 is refused its markup and comes plain, 3 and 4 follow", async () => {
		const { server, send } = await open();
		const part = `${"a".repeat(3990)}\n\n`;
		server.fail("sendMessage", 7001, telegramFaults.slow(0), telegramFaults.unparsable());
		const results = await send(7001, part.repeat(4));
		expect(results.map(({ outcome }) => outcome)).toEqual(["sent", "sent", "sent", "sent"]);
		expect(server.texts(7001)).toHaveLength(4);
	});
});

describe("the token", () => {
	it("is in no log, no result and no error", async () => {
		const { server, send, log, host, clock } = await open();
		server.fail("sendMessage", 7001, telegramFaults.acceptedThenReset(), telegramFaults.badGateway());
		const results = [...(await send(7001, "x")), ...(await send(7001, "x"))];
		await server.stop();
		await host.until(() => true);
		await clock.advance(5000);
		results.push(...(await send(7001, "x")));
		const said = JSON.stringify([results, log.lines.map((line) => [line, String(line.fields.error ?? "")])]);
		expect(said).not.toContain("TEST");
		expect(said).toContain("ECONNREFUSED");
	});
});

describe("typing", () => {
	it("is shown every 4 s while a turn runs, in its topic, and stops with it", async () => {
		const { server, channel, clock, at } = await open();
		const signs = () => server.callsOf("sendChatAction").length;
		channel.show?.(at(FORUM, 7), { kind: "typing", on: true });
		await server.until(() => signs() === 1);
		await clock.advance(4000);
		await server.until(() => signs() === 2);
		expect(server.callsOf("sendChatAction")[0]?.params).toMatchObject({
			chat_id: String(FORUM),
			message_thread_id: 7,
			action: "typing",
		});
		channel.show?.(at(FORUM, 7), { kind: "typing", on: false });
		await clock.advance(60_000);
		expect(signs()).toBe(2);
	});

	it("that is refused harms nothing, and what it says of waiting is kept", async () => {
		const { server, channel, clock, at, send } = await open();
		server.fail("sendChatAction", 7001, telegramFaults.tooMany(9));
		channel.show?.(at(7001), { kind: "typing", on: true });
		await server.until(() => server.callsOf("sendChatAction").length === 1);
		let [result] = await send(7001, "x");
		while (result?.outcome === "sent") [result] = await send(7001, "x");
		expect(result).toMatchObject({ outcome: "retry", scope: "chat" });
		channel.show?.(at(7001), { kind: "typing", on: false });
		await clock.advance(9000);
		expect(await send(7001, "x")).toMatchObject([{ outcome: "sent" }]);
	});
});
