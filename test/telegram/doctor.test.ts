import { afterEach, expect, it } from "vitest";
import { checkTelegram } from "../../src/cli/check-telegram.js";
import { readConfig } from "../../src/config.js";
import { telegramFaults } from "../../src/testing/telegram-faults.js";
import { startTelegramServer, type TelegramServer } from "../../src/testing/telegram-server.js";

let server: TelegramServer;
afterEach(() => server.stop());

async function look(over: Record<string, string> = {}, apiRoot = server.apiRoot) {
	const environment = { TELEGRAM_TOKEN: server.token, TELEGRAM_API_ROOT: apiRoot, ...over };
	return checkTelegram(readConfig({ root: import.meta.dirname, environment }));
}

const WEBHOOK = {
	TELEGRAM_WEBHOOK_URL: "https://bots.example.com/",
	TELEGRAM_WEBHOOK_SECRET: "a-secret-of-the-webhook",
};

it("says who the bot is, and that its updates are polled", async () => {
	server = await startTelegramServer();
	expect(await look()).toMatchObject([
		{ verdict: "ok", says: "the bot is @callboard_bot" },
		{ verdict: "ok", says: "updates are polled" },
	]);
	expect(await look({ TELEGRAM_TOKEN: "" })).toEqual([]);
});

it("warns of a webhook that polling takes away, one set elsewhere, none set, and one that fails", async () => {
	server = await startTelegramServer();
	const set = (url: string) => server.updates.setWebhook({ url, secret: undefined }, undefined);
	expect((await look(WEBHOOK))[1]).toMatchObject({ verdict: "warn", says: "the webhook is not set yet" });
	set("http://127.0.0.1:1/x");
	expect((await look())[1]?.says).toBe("the bot has a webhook, which polling takes away");
	expect((await look(WEBHOOK))[1]?.says).toBe("the webhook is set to another address");
	const own = { ...WEBHOOK, TELEGRAM_WEBHOOK_URL: "http://127.0.0.1:1/" };
	expect((await look(own))[1]).toMatchObject({ verdict: "ok", says: "updates are posted, 0 wait" });
	await server.updates.handed(server.person({ id: 7001, name: "Ana" }).says("hi"));
	expect((await look(own))[1]?.says).toMatch(/^1 updates wait; Telegram's last try: Wrong response/);
});

it("fails on a token Telegram does not know, and when nobody answers, without showing the token", async () => {
	server = await startTelegramServer();
	const wrong = await look({ TELEGRAM_TOKEN: "42:WRONG" });
	expect(wrong).toMatchObject([{ verdict: "fail", says: "Telegram does not know the token" }]);
	expect(JSON.stringify(wrong)).not.toContain("WRONG");
	server.fail("getMe", undefined, telegramFaults.lostThenReset());
	expect(await look()).toMatchObject([{ verdict: "fail", says: expect.stringMatching(/^Telegram cannot be reached/) }]);
	const { apiRoot } = server;
	await server.stop();
	expect(await look({}, apiRoot)).toMatchObject([
		{ verdict: "fail", says: expect.stringMatching(/^Telegram cannot be reached \(/) },
	]);
});
