import { once } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startTelegramServer, type TelegramServer } from "../../src/testing/telegram-server.js";
import { bakery, bakeryDemo, callboard, type Project, project, type Running } from "../cli/command.js";

let shop: Project;
let server: TelegramServer;
let bots = 0;
beforeAll(() => {
	shop = project({ "agents/bakery/agent.tsx": bakery, "agents/bakery/demo.yaml": bakeryDemo });
});
const children: Running[] = [];
afterEach(async () => {
	for (const { process, ended } of children.splice(0)) {
		process.kill("SIGKILL");
		await ended;
	}
	await server.stop();
});
afterAll(() => shop.remove());

async function telegramEnv(over: Record<string, string> = {}): Promise<Record<string, string>> {
	server = await startTelegramServer();
	// Every stand-in counts its updates from one, so each bot keeps its calls in a folder of its own.
	return {
		PORT: "0",
		CALLBOARD_DATA: `.callboard-${++bots}`,
		TELEGRAM_TOKEN: server.token,
		TELEGRAM_API_ROOT: server.apiRoot,
		...over,
	};
}

describe("callboard dev --door telegram", () => {
	it("needs only a token: a message is answered, and the process ends when it is asked to", async () => {
		const running = callboard(["dev", "--door", "telegram"], { cwd: shop.folder, env: await telegramEnv() });
		children.push(running);
		const ana = server.person({ id: 7001, name: "Ana" });
		ana.says("hello");
		await server.until(() => server.texts(7001).length > 0);
		running.process.kill("SIGTERM");
		const { code, out, err } = await running.ended;
		expect({ code, err }).toEqual({ code: 0, err: "" });
		expect(out).toContain("bakery answers on telegram");
		expect(out).not.toContain(server.token);
	});

	it("ends in order also when nobody reads its log any more", async () => {
		const running = callboard(["dev", "--door", "telegram"], { cwd: shop.folder, env: await telegramEnv() });
		children.push(running);
		server.person({ id: 7001, name: "Ana" }).says("hello");
		await server.until(() => server.texts(7001).length > 0);
		running.process.stdout?.destroy();
		running.process.stderr?.destroy();
		const [code] = await Promise.all([once(running.process, "exit"), running.process.kill("SIGTERM")]);
		expect(code).toEqual([0, null]);
	});

	it("without a token says where to get one, and an unknown door which there are", async () => {
		await telegramEnv();
		const ask = async (door: string) =>
			(await callboard(["dev", "--door", door], { cwd: shop.folder, env: { PORT: "0" } }).ended).err;
		expect(await ask("telegram")).toMatch(
			/needs a bot's token; talk to @BotFather, send \/newbot, and put TELEGRAM_TOKEN=…/,
		);
		expect(await ask("telegramm")).toMatch(/there is no door "telegramm"; the doors are web and telegram/);
	});

	it("with a token Telegram does not know says so in one line, without the token", async () => {
		const env = await telegramEnv({ TELEGRAM_TOKEN: "42:WRONG-TOKEN" });
		const { code, err, out } = await callboard(["dev"], { cwd: shop.folder, env }).ended;
		expect(code).toBe(2);
		expect(err).toContain("TELEGRAM_TOKEN: Telegram does not know the bot's token; copy it from @BotFather again");
		expect(err + out).not.toContain("WRONG-TOKEN");
	});

	it("needs a secret for a webhook", async () => {
		const env = await telegramEnv({ TELEGRAM_WEBHOOK_URL: "https://bots.example.com" });
		const { code, err } = await callboard(["dev"], { cwd: shop.folder, env }).ended;
		expect(code).toBe(2);
		expect(err).toContain("TELEGRAM_WEBHOOK_SECRET must be set");
	});
});

describe("callboard doctor", () => {
	it("asks Telegram who the bot is and where its updates go", async () => {
		const { out } = await callboard(["doctor"], { cwd: shop.folder, env: await telegramEnv() }).ended;
		expect(out).toContain("ok    telegram  the bot is @callboard_bot\nok    telegram  updates are polled\n");
	});
});
