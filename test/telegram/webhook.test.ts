import { afterEach, describe, expect, it } from "vitest";
import { telegram } from "../../channels/telegram/channel.js";
import { CallboardError } from "../../src/errors.js";
import { telegramFaults } from "../../src/testing/telegram-faults.js";
import { SECRET, Stands, soon } from "./stand.js";

const stands = new Stands();
afterEach(() => stands.close());

const open = () => stands.open({ mode: "webhook" });

describe("the webhook", () => {
	it("is set at the start with its secret, and brings what people write", async () => {
		const { server, host } = await open();
		expect(server.callsOf("setWebhook")[0]?.params).toMatchObject({
			url: expect.stringMatching(/\/telegram\/telegram$/),
			secret_token: SECRET,
			allowed_updates: expect.arrayContaining(["message", "callback_query", "message_reaction"]),
		});
		const update = server.person({ id: 7001, name: "Ana" }).says("hola");
		expect(await server.updates.handed(update)).toBe("acknowledged");
		expect(host.messages.map(({ content }) => content.text)).toEqual(["hola"]);
		expect(server.callsOf("getUpdates")).toEqual([]);
	});

	it("hands on the trace that the request belongs to, as a proxy in front names it", async () => {
		const { server, host, url } = await open();
		const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
		const message = { message_id: 9, chat: { id: 7001, type: "private" }, from: { id: 7001 }, date: 1, text: "hola" };
		const headers = { "x-telegram-bot-api-secret-token": SECRET, traceparent };
		const body = JSON.stringify({ update_id: 1, message });
		expect((await fetch(`${url}/telegram/telegram`, { method: "POST", headers, body })).status).toBe(200);
		expect(host.messages[0]).toMatchObject({ content: { text: "hola" }, traceparent });
		await server.updates.handed(server.person({ id: 7002, name: "Bea" }).says("hola"));
		expect(host.messages[1]).not.toHaveProperty("traceparent");
	});

	it("D12: a post without the secret, or with another, gets 401 and leaves nothing", async () => {
		const { server, host, url, log } = await open();
		const update = JSON.stringify({
			update_id: 1,
			message: { message_id: 1, chat: { id: 1, type: "private" }, date: 1, text: "x" },
		});
		const post = (headers: Record<string, string>, body = update) =>
			fetch(`${url}/telegram/telegram`, {
				method: "POST",
				headers: { "content-type": "application/json", ...headers },
				body,
			});
		for (const given of [undefined, "", "wrong", `${SECRET}x`, SECRET.toUpperCase()]) {
			const response = await post(given === undefined ? {} : { "x-telegram-bot-api-secret-token": given });
			expect([response.status, await response.text()]).toEqual([401, ""]);
		}
		expect(host.received).toEqual([]);
		expect(JSON.stringify(log.lines)).not.toContain(SECRET);
		const known = { "x-telegram-bot-api-secret-token": SECRET };
		expect((await post(known, "{")).status).toBe(400);
		expect((await post(known, "[]")).status).toBe(400);
		expect((await fetch(`${url}/telegram/telegram`)).status).toBe(405);
		expect((await post(known)).status).toBe(200);
		expect(server.updates.waiting).toEqual([]);
	});

	it.each([
		["none", undefined],
		["too short", "short"],
		["a sign Telegram does not take", "a secret with spaces in it"],
	])("D12: with no fit secret (%s) there is no start", (_, secret) => {
		const webhook = { url: "https://bots.example.com", ...(secret !== undefined && { secret }) } as {
			url: string;
			secret: string;
		};
		const make = () => telegram({ token: "42:TEST", mode: "webhook", webhook });
		expect(make).toThrow(CallboardError);
		expect(make).toThrow(/option webhook\.secret .* anyone could post updates/);
	});

	it("refuses an address that Telegram would not call, and a token that is none, without repeating it", () => {
		const make =
			(url: string, token = "42:TEST") =>
			() =>
				telegram({ token, mode: "webhook", webhook: { url, secret: SECRET } });
		expect(make("http://bots.example.com")).toThrow(/does not begin with https/);
		expect(make("https://bots.example.com:3000")).toThrow(/has port 3000/);
		expect(make("bots.example.com")).toThrow(/is not a URL/);
		expect(make("https://a.es", "my-secret-token")).toThrow(/^option token of telegram\(\) is not a bot's token$/);
	});

	it("B8: an update posted again, before or after its answer, is one message", async () => {
		const { server, host } = await open();
		const ana = server.person({ id: 7001, name: "Ana" });
		const update = ana.says("once");
		await server.updates.handed(update);
		for (let n = 0; n < 3; n += 1) {
			server.updates.redeliver(update);
			expect(await server.updates.handed(update)).toBe("acknowledged");
		}
		expect(host.messages).toHaveLength(1);
		expect(host.received).toHaveLength(4);
	});

	it("B9: what is handed over waits for no turn, so one chat's updates arrive in order", async () => {
		const { server, host } = await open();
		const ana = server.person({ id: 7001, name: "Ana" });
		const updates = Array.from({ length: 20 }, (_, n) => ana.says(`number ${n}`));
		await server.updates.handed(updates.at(-1)!);
		expect(host.messages.map(({ content }) => content.text)).toEqual(updates.map((_, n) => `number ${n}`));
	});

	it("answers 503 while nothing can be stored, and what comes again is taken once", async () => {
		const { server, host } = await open();
		host.down = true;
		const update = server.person({ id: 7001, name: "Ana" }).says("again");
		expect(await server.updates.handed(update)).toBe("refused");
		expect(server.updates.info).toMatchObject({
			pending_update_count: 1,
			last_error_message: expect.stringContaining("503"),
		});
		host.down = false;
		server.updates.redeliver(update);
		expect(await server.updates.handed(update)).toBe("acknowledged");
		expect(host.messages).toHaveLength(1);
	});

	it("answers 503 while the inbox of that chat is full, so that nothing is lost", async () => {
		const { server, host } = await open();
		host.accept = async () => ({ outcome: "full" });
		expect(await server.updates.handed(server.person({ id: 7001, name: "Ana" }).says("x"))).toBe("refused");
	});

	it("answers 503 until Telegram has said who the bot is", async () => {
		const stand = await stands.open({ mode: "webhook", start: false });
		const { server, channel, host, clock, log } = stand;
		server.fail("getMe", undefined, telegramFaults.brokenServer());
		await channel.start(host);
		const post = () =>
			fetch(`${stand.url}/telegram/telegram`, {
				method: "POST",
				headers: { "x-telegram-bot-api-secret-token": SECRET },
				body: JSON.stringify({ update_id: 1 }),
			});
		expect((await post()).status).toBe(503);
		await clock.advance(1000);
		await soon(() => log.lines.some((line) => line.event === "telegram.connected"));
		expect((await post()).status).toBe(200);
	});

	it("answers a tap at once, and does not wait for the answer to be taken", async () => {
		const { server, send } = await open();
		const ana = server.person({ id: 7001, name: "Ana" });
		await send(7001, { kind: "choices", text: "?", choices: [{ id: "a", label: "A" }] });
		server.fail("answerCallbackQuery", undefined, telegramFaults.slow(60_000));
		expect(await server.updates.handed(ana.taps("A"))).toBe("acknowledged");
	});

	it("is not there once the door is closed", async () => {
		const { channel, url } = await open();
		await channel.stop();
		const response = await fetch(`${url}/telegram/telegram`, { method: "POST" });
		expect(response.status).toBe(404);
	});
});
