import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ChatServer } from "./chat-server.js";
import { ChatDriver, launchChromium } from "./drive.js";
import { EventHost } from "./event-host.js";
import { Gate } from "./gate.js";
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
	host = new EventHost(({ message, say }) => say({ kind: "text", text: `You said: ${message.content.text}` }));
	server = await ChatServer.start(host);
	wire = await WireCutter.start(() => server.port);
	context = await browser.newContext();
});
afterEach(async () => {
	await context.close();
	await wire.stop();
	await server.stop();
});

/** Fires an event by the element's own method. What became of it is asked by `name`. */
async function fire({ page }: ChatDriver, name: string, call: string): Promise<void> {
	await page.evaluate(`void (window.of_${name} = (${call}).then(() => "stored", (error) => String(error)))`);
}

const chat = 'document.querySelector("callboard-chat")';
const outcome = ({ page }: ChatDriver, name: string) => page.evaluate(`window.of_${name}`);
const undecided = ({ page }: ChatDriver, name: string) =>
	page.evaluate(`Promise.race([window.of_${name}, "undecided"])`);
const fired = () => host.fired.map(({ name, data }) => [name, data]);

describe("send() of <callboard-chat> in a browser", () => {
	test("what is fired before the chat is connected is stored once it is, in order, and once", async () => {
		const gate = new Gate();
		await context.route("**/chat/session", async (route) => {
			await gate.passed;
			await route.continue();
		});
		const person = await ChatDriver.open(context, wire.url);
		await fire(person, "first", `${chat}.send("cart", { items: 3 })`);
		await fire(person, "second", `${chat}.send("cart")`);
		expect(await undecided(person, "first")).toBe("undecided");
		expect(host.fired).toEqual([]);
		gate.open();
		expect([await outcome(person, "first"), await outcome(person, "second")]).toEqual(["stored", "stored"]);
		expect(fired()).toEqual([
			["cart", { items: 3 }],
			["cart", null],
		]);
		expect(person.errors).toEqual([]);
	});

	test("what is fired while the socket is down goes out when it is back", async () => {
		const person = await ChatDriver.open(context, wire.url);
		await person.becomes("online");
		wire.down();
		await person.becomes("offline");
		await fire(person, "sent", `${chat}.send("cart", "while away")`);
		expect(await undecided(person, "sent")).toBe("undecided");
		wire.up();
		expect(await outcome(person, "sent")).toBe("stored");
		expect(fired()).toEqual([["cart", "while away"]]);
	});

	test("one whose acknowledgement was lost goes again under its id, which makes it one event", async () => {
		const gate = new Gate();
		const person = await ChatDriver.open(context, wire.url);
		await person.becomes("online");
		host.stored = gate.passed;
		await fire(person, "sent", `${chat}.send("cart", 1)`);
		while (host.fired.length === 0) await new Promise((resolve) => setImmediate(resolve));
		wire.cut();
		await person.becomes("offline");
		gate.open();
		expect(await outcome(person, "sent")).toBe("stored");
		expect(host.fired).toHaveLength(2);
		expect(new Set(host.fired.map(({ id }) => id)).size).toBe(1);
	});

	test("an event waits in a chat that is closed or out of the page, and is stored with what was fired later", async () => {
		const person = await ChatDriver.open(context, wire.url);
		await person.becomes("online");
		await person.page.evaluate(`window.inline = ${chat}; window.inline.remove()`);
		await fire(person, "away", `window.inline.send("cart", "away")`);
		await person.page.evaluate(`document.body.append(document.createElement("callboard-chat"))`);
		await fire(person, "closed", `${chat}.send("cart", "closed")`);
		expect([await undecided(person, "away"), await undecided(person, "closed")]).toEqual(["undecided", "undecided"]);
		await person.page.evaluate(`${chat}.open()`);
		expect(await outcome(person, "closed")).toBe("stored");
		await person.page.evaluate("document.body.append(window.inline)");
		expect(await outcome(person, "away")).toBe("stored");
		expect(fired()).toEqual([
			["cart", "closed"],
			["cart", "away"],
		]);
	});

	test("whoever fires hears why it was refused, and a conversation goes on beside it", async () => {
		const person = await ChatDriver.open(context, wire.url);
		await person.becomes("online");
		await fire(person, "lost", `document.createElement("callboard-chat").send("cart")`);
		await fire(person, "undeclared", `${chat}.send("root", {})`);
		await fire(person, "odd", `${chat}.send("cart", () => 0)`);
		await fire(person, "long", `${chat}.send("cart", "x".repeat(9000))`);
		expect(await outcome(person, "lost")).toBe("Error: callboard: the chat is not in the page");
		expect(await outcome(person, "undeclared")).toBe("Error: callboard: no event of that name; declare it");
		expect(await outcome(person, "odd")).toBe("TypeError: callboard: the data of an event must be plain data");
		expect(await outcome(person, "long")).toContain("at most 8000 characters");
		await fire(person, "sent", `${chat}.send("cart", 2)`);
		await person.say("hello");
		await person.hears("You said: hello");
		expect(await outcome(person, "sent")).toBe("stored");
		expect(fired()).toEqual([["cart", 2]]);
		expect(person.errors).toEqual([]);
	});
});
