import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ChatServer } from "./chat-server.js";
import { ChatDriver, launchChromium } from "./drive.js";
import { EventHost } from "./event-host.js";
import { WireCutter } from "./wire-cutter.js";

let browser: Browser;
let context: BrowserContext;
let host: EventHost;
let server: ChatServer;
let wire: WireCutter;

beforeAll(async () => {
	browser = await launchChromium();
});
afterAll(() => browser.close());
beforeEach(async () => {
	host = new EventHost(({ message, say }) => say({ kind: "text", text: `Heard ${message.content.text.length}` }));
	server = await ChatServer.start(host, { rate: { perSession: 200, perIp: 200 } });
	wire = await WireCutter.start(() => server.port);
	context = await browser.newContext();
});
afterEach(async () => {
	await context.close();
	await wire.stop();
	await server.stop();
});

async function visitor(): Promise<ChatDriver> {
	const person = await ChatDriver.open(context, wire.url);
	await person.hears("Heard 0");
	return person;
}

/** Leaves a line to be sent, as a page did whose server allowed more, and one behind it. */
async function leaveUnsent(person: ChatDriver, texts: string[]): Promise<void> {
	const kept = texts.map((text, n) => ({
		at: n,
		message: { type: "message", id: crypto.randomUUID(), content: { kind: "text", text } },
	}));
	const key = `callboard:${wire.url}/chat:unsent`;
	await person.page.evaluate(`sessionStorage.setItem(${JSON.stringify(key)}, ${JSON.stringify(JSON.stringify(kept))})`);
}

const heard = () => host.accepted.map(({ content }) => content.text.length);

for (const way of ["a socket", "posts"]) {
	describe(`over ${way}, in a browser`, () => {
		beforeEach(() => {
			if (way === "posts") wire.blocked.add("/chat/socket");
		});

		test("the longest text in the characters that JSON makes longest arrives, and the next one too", async () => {
			const person = await visitor();
			await person.say("\u0001".repeat(8_000));
			await person.hears("Heard 8000");
			await person.say("Next");
			await person.hears("Heard 4");
			expect(heard()).toEqual([0, 8_000, 4]);
			expect(host.accepted[1]?.content.text).toBe("\u0001".repeat(8_000));
		});

		test("what is too large for the server stays on the page with the reason, and what follows arrives", async () => {
			const person = await visitor();
			await leaveUnsent(person, ["Before", "x".repeat(100_000), "y".repeat(200_000), "And after"]);
			await person.page.reload();
			await person.hears("Heard 6");
			await person.hears("Heard 9");
			expect(await person.chat.getByText("Not sent: too long.").count()).toBe(2);
			await person.say("Next");
			await person.hears("Heard 4");
			await person.page.reload();
			await person.becomes("online");
			await person.say("One more");
			await person.hears("Heard 8");
			expect(heard()).toEqual([0, 6, 9, 4, 8]);
		});

		test("an event that is no frame is refused alone", async () => {
			const person = await visitor();
			const chat = 'document.querySelector("callboard-chat")';
			const deep = '"[".repeat(40) + "]".repeat(40)';
			const outcomes = await person.page.evaluate(
				`Promise.allSettled([${chat}.send("cart", JSON.parse(${deep})), ${chat}.send("cart", "\\u0001".repeat(1333)), ${chat}.send("cart", 2)])
				.then((all) => all.map(({ status, reason }) => [status, String(reason?.message)]))`,
			);
			expect(outcomes).toEqual([
				["rejected", expect.stringContaining("callboard: this is ")],
				["fulfilled", "undefined"],
				["fulfilled", "undefined"],
			]);
			expect(host.fired.map(({ data }) => data)).toEqual(["\u0001".repeat(1333), 2]);
		});

		test("more events than a socket may have unanswered, fired while away, all arrive once and in order", async () => {
			const slow = { get: () => new Promise<void>((resolve) => setTimeout(resolve, 2)) };
			Object.defineProperty(host, "stored", slow);
			const person = await visitor();
			wire.down();
			await person.becomes("offline");
			await person.page.evaluate(
				`void (window.all = Promise.all(Array.from({ length: 120 }, (_, n) => document.querySelector("callboard-chat").send("cart", n))))`,
			);
			const before = wire.opened.filter((line) => line.includes("/chat/socket")).length;
			wire.up();
			await person.page.evaluate("window.all");
			if (way === "a socket") {
				expect(wire.opened.filter((line) => line.includes("/chat/socket"))).toHaveLength(before + 1);
			}
			expect(host.fired.map(({ data }) => data)).toEqual(Array.from({ length: 120 }, (_, n) => n));
		});
	});
}

test("a proxy that lets less through, and says so in its own words, holds nothing up either", async () => {
	wire.blocked.add("/chat/socket");
	await context.route("**/chat/messages", (route) =>
		(route.request().postData() ?? "").length > 1_000
			? route.fulfill({ status: 413, contentType: "text/html", body: "<h1>Request Entity Too Large</h1>" })
			: route.continue(),
	);
	const person = await visitor();
	await person.say("x".repeat(2_000));
	await person.say("Next");
	await person.hears("Heard 4");
	await person.chat.getByText("Not sent: too long.").waitFor();
	expect(heard()).toEqual([0, 4]);
});
