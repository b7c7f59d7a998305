import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callboard, project } from "../cli/command.js";
import { shopFiles } from "../operations/shop.js";
import { ChatServer } from "./chat-server.js";
import { ChatDriver, launchChromium } from "./drive.js";
import { FakeHost } from "./fake-host.js";

let browser: Browser;
beforeAll(async () => {
	browser = await launchChromium();
});
afterAll(() => browser.close());

const header = ({ chat }: ChatDriver, words: string) => chat.locator(".state", { hasText: words }).waitFor();

describe("the header of the chat says who answers", () => {
	test.each([
		["en-GB", "Online", "A person of the team answers"],
		["es-ES", "En línea", "Responde una persona del equipo"],
	])(
		"in the visitor's language, %s, at once, after a reload and in a call that is new",
		async (locale, agent, human) => {
			const host = new FakeHost(({ say }) => say({ kind: "text", text: "Hello" }));
			const server = await ChatServer.start(host);
			const context = await browser.newContext({ locale });
			const person = await ChatDriver.open(context, server.url);
			await person.hears("Hello");
			await header(person, agent);
			const [address = ""] = [...host.calls.keys()];
			host.own(address, "human");
			await header(person, human);
			await person.page.reload();
			await header(person, human);
			host.own(address, "agent");
			await header(person, agent);
			host.own(address, "human");
			await header(person, human);
			host.end(address, "resolved");
			await header(person, agent);
			expect(person.errors).toEqual([]);
			await context.close();
			await server.stop();
		},
	);

	test("decision 17: a hand-over, a reply and a release are seen by the visitor of a running project", {
		timeout: 60_000,
	}, async () => {
		const shop = project(shopFiles);
		const running = callboard(["dev"], { cwd: shop.folder, env: { PORT: "0" } });
		const out = await running.says("in a terminal");
		const order = (...args: readonly string[]) => callboard(["calls", ...args], { cwd: shop.folder }).ended;
		const context = await browser.newContext({ locale: "en-GB" });
		const person = await ChatDriver.open(context, /shop answers at (http:\/\/127\.0\.0\.1:\d+)/.exec(out)?.[1] ?? "");
		await person.becomes("online");
		await header(person, "Online");
		await person.say("a human please");
		await person.hears("I am passing you to a colleague");
		await header(person, "A person of the team answers");
		const [call] = JSON.parse((await order("list", "--json")).out) as [{ call: string }];
		await order("reply", call.call, "Marta here");
		await person.hears("Marta here");
		await order("release", call.call);
		await header(person, "Online");
		await order("reply", call.call, "Marta again", "--take");
		await header(person, "A person of the team answers");
		await context.close();
		running.process.kill("SIGTERM");
		await running.ended;
		shop.remove();
	});
});
