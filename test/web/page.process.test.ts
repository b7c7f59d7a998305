import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContextOptions, Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ChatServer } from "./chat-server.js";
import { ChatDriver, launchChromium } from "./drive.js";
import { FakeHost, type FakeTurn } from "./fake-host.js";

const GREETING = "Hello, what can I do for you?";
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

let browser: Browser;
let host: FakeHost;
let server: ChatServer;
let shop: Server;

beforeAll(async () => {
	browser = await launchChromium();
});
afterAll(async () => {
	await browser.close();
});
beforeEach(async () => {
	host = new FakeHost(answer);
	shop = createServer((_request, response) => {
		response.setHeader("content-type", "text/html; charset=utf-8");
		response.setHeader("content-security-policy", `script-src ${server.url}; style-src 'none'`);
		response.end(shopPage());
	});
	await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
	server = await ChatServer.start(host, { allowedOrigins: [shopUrl()] });
});
afterEach(async () => {
	await new Promise((resolve) => {
		shop.close(resolve);
		shop.closeAllConnections();
	});
	await server.stop();
});

function answer({ message, say }: FakeTurn): void {
	const { kind, text } = message.content;
	if (kind === "open") say({ kind: "choices", text: GREETING, choices: [{ id: "hours", label: "Opening hours" }] });
	else say({ kind: "text", text: `You said: ${text}` });
}

function shopUrl(): string {
	return `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
}

function shopPage(attributes = ""): string {
	return `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width, initial-scale=1"><title>A shop</title><link rel="icon" href="data:,"><h1>A shop</h1>
<script src="${server.url}/chat/widget.js" async></script><callboard-chat ${attributes}></callboard-chat>`;
}

async function open(url: string, options: BrowserContextOptions = {}): Promise<ChatDriver> {
	return ChatDriver.open(await browser.newContext(options), url);
}

/** Resolves when nothing moves any more. */
async function settled({ chat }: ChatDriver): Promise<void> {
	await chat.evaluate((each) => {
		const moving: { finished: Promise<unknown> }[] = each.shadowRoot.getAnimations();
		return Promise.allSettled(moving.map(({ finished }) => finished));
	});
}

/** WCAG contrast of an element's text on the background behind it. */
function contrast(element: Locator): Promise<number> {
	return element.evaluate((inner) => {
		const page = inner.ownerDocument;
		const styleOf = (each: typeof inner) => page.defaultView.getComputedStyle(each);
		const canvas = page.createElement("canvas").getContext("2d");
		const bytes = (colour: string): number[] => {
			canvas.clearRect(0, 0, 1, 1);
			canvas.fillStyle = colour;
			canvas.fillRect(0, 0, 1, 1);
			return [...canvas.getImageData(0, 0, 1, 1).data];
		};
		const light = (colour: string): number => {
			const [r = 0, g = 0, b = 0] = bytes(colour).map((each) => {
				const part = each / 255;
				return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
			});
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		let behind = inner;
		while (behind && (bytes(styleOf(behind).backgroundColor)[3] ?? 0) < 255) behind = behind.parentElement;
		const text = light(styleOf(inner).color);
		const ground = behind ? light(styleOf(behind).backgroundColor) : 1;
		return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
	});
}

describe("the page", () => {
	test("has a title and the chat, and no error in the console", async () => {
		const person = await open(server.url);
		await person.hears(GREETING);
		expect(await person.page.title()).toBe("Test Clinic");
		expect(await person.page.locator("main").textContent()).not.toContain("Put it on your site");
		expect(person.errors).toEqual([]);
	});

	test("shows a developer a snippet with its own address, which does not run out of its box", async () => {
		await server.stop();
		server = await ChatServer.start(host, { embed: true });
		const person = await open(server.url);
		await person.hears(GREETING);
		expect(await person.page.locator("pre").evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
		expect(await person.page.locator("#snippet").textContent()).toContain(`src="${server.url}/chat/widget.js"`);
		expect(person.errors).toEqual([]);
	});

	test("a script in anybody's words stays text", async () => {
		const evil = '<img src=x onerror="window.hurt=1"> <script>window.hurt=1</script> [tap](javascript:window.hurt=1)';
		const person = await open(server.url);
		await person.hears(GREETING);
		await person.say(evil);
		await person.hears("You said:");
		expect(await person.lines()).toEqual([
			{ from: "agent", text: GREETING },
			{ from: "visitor", text: evil },
			{ from: "agent", text: `You said: ${evil}` },
		]);
		expect(await person.log.locator("img, script, a").count()).toBe(0);
		expect(await person.page.evaluate("window.hurt")).toBeUndefined();
		expect(person.errors).toEqual([]);
	});

	test("Markdown of the agent becomes elements, and links open apart from the page", async () => {
		host.script = ({ say }) =>
			say({
				kind: "text",
				text: "**Bring**\n\n1. your *card*\n2. `form 7`\n\nMore at [our site](https://example.com/x).",
			});
		const person = await open(server.url);
		await person.hears("your card");
		const bubble = person.log.locator(".bubble").first();
		expect(await bubble.locator("strong").textContent()).toBe("Bring");
		expect(await bubble.locator("ol > li").allTextContents()).toEqual(["your card", "form 7"]);
		const link = bubble.getByRole("link", { name: "our site" });
		expect(await link.getAttribute("href")).toBe("https://example.com/x");
		expect(await link.getAttribute("rel")).toContain("noopener");
	});

	test.each([
		["light", {}, {}],
		["dark", { colorScheme: "dark" as const }, {}],
		["light with a yellow accent", {}, { accent: "#ffd400" }],
		["dark with a navy accent", { colorScheme: "dark" as const }, { accent: "#1e3a8a" }],
	])("words can be read on their background in %s", async (_name, options, theme) => {
		await server.stop();
		server = await ChatServer.start(host, { theme });
		const person = await open(server.url, options);
		await person.hears(GREETING);
		const { chat } = person;
		expect(await contrast(chat.locator("button.choice span").first())).toBeGreaterThanOrEqual(4.5);
		await person.say("Hello");
		await person.hears("You said: Hello");
		await settled(person);
		for (const place of [
			".agent .bubble",
			".visitor .bubble",
			".state",
			".title",
			".day",
			".foot:not(:empty)",
			"textarea",
		]) {
			expect(await contrast(chat.locator(place).first()), place).toBeGreaterThanOrEqual(4.5);
		}
	});
});

describe("what every visitor must know", () => {
	test.each([
		["a desktop", { viewport: { width: 1280, height: 800 } }],
		["a phone", PHONE],
		["a small phone", { ...PHONE, viewport: { width: 320, height: 640 } }],
	])("stands once and whole above the conversation on %s", async (_name, options) => {
		const notice = "A scripted demo answers here, and not a model of anybody.";
		await server.stop();
		server = await ChatServer.start(host, { notice });
		const person = await open(server.url, options);
		await person.hears(GREETING);
		const shown = person.page.getByText(notice);
		expect(await shown.count()).toBe(1);
		expect(await shown.isVisible()).toBe(true);
		expect(await shown.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
		expect(await contrast(shown)).toBeGreaterThanOrEqual(4.5);
	});
});

describe("a person of the business who speaks up", () => {
	test("is told from the agent at once and after a reload, once for lines that stand together", async () => {
		const person = await open(server.url);
		await person.hears(GREETING);
		const [address] = [...host.calls.keys()];
		if (address === undefined) throw new Error("nobody has called");
		await host.reply(address, "Marta here.");
		await host.reply(address, "Which day suits you?");
		const labels = person.log.getByText("A person of the team");
		for (const reload of [false, true]) {
			if (reload) await person.page.reload();
			await person.hears("Which day suits you?");
			expect(await labels.count()).toBe(2);
			const sizes = await Promise.all((await labels.all()).map((each) => each.boundingBox()));
			expect(sizes.map((size) => (size?.height ?? 0) > 1)).toEqual([true, false]);
			expect(await contrast(labels.first())).toBeGreaterThanOrEqual(4.5);
		}
	});
});

describe("on a phone", () => {
	test("nothing is wider than the screen, the chat fills it, and the field does not make it zoom", async () => {
		host.script = ({ message, say }) =>
			say({
				kind: "text",
				text: `${"endless".repeat(60)}\n\n\`\`\`\n${"code ".repeat(60)}\n\`\`\`\n${message.content.text}`,
			});
		const person = await open(server.url, PHONE);
		await person.say(`https://example.com/${"path".repeat(80)}`);
		await person.hears("https://example.com/");
		expect(await person.sideways()).toBe(0);
		expect(await person.chat.locator(".scroll").evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
		expect(await person.input.evaluate((each) => each.ownerDocument.defaultView.getComputedStyle(each).fontSize)).toBe(
			"16px",
		);
		expect(await person.chat.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 });
	});

	test("an embedded chat opens over the whole screen and closes again", async () => {
		const person = await open(shopUrl(), PHONE);
		await person.tap("Open chat");
		await person.hears(GREETING);
		await settled(person);
		expect(await person.chat.getByRole("dialog").boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 });
		await person.tap("Close chat");
		await person.chat.getByRole("button", { name: "Open chat" }).waitFor();
	});
});

describe("with the keyboard alone", () => {
	test("it opens, talks, taps an answer, closes, and gives the focus back", async () => {
		const person = await open(shopUrl());
		const { keyboard } = person.page;
		const launcher = person.chat.getByRole("button", { name: "Open chat" });
		await launcher.waitFor();
		await keyboard.press("Tab");
		await keyboard.press("Enter");
		await person.hears(GREETING);
		await keyboard.type("One line");
		await keyboard.press("Shift+Enter");
		await keyboard.type("and another");
		await keyboard.press("Enter");
		await person.hears("and another");
		await person.page.reload();
		await person.hears("and another");
		expect((await person.lines())[1]).toEqual({ from: "visitor", text: "One line\nand another" });
		await person.input.focus();
		await keyboard.press("Escape");
		await launcher.waitFor();
		expect(await launcher.evaluate((each) => each.getRootNode().activeElement === each)).toBe(true);
	});

	test("a quick reply is reached with Tab, and what has the focus shows it", async () => {
		const person = await open(server.url);
		await person.hears(GREETING);
		await person.chat.locator(".scroll").focus();
		const { keyboard } = person.page;
		await keyboard.press("Tab");
		const button = person.chat.getByRole("button", { name: "Opening hours" });
		expect(await button.evaluate((each) => each.ownerDocument.defaultView.getComputedStyle(each).outlineStyle)).toBe(
			"solid",
		);
		await keyboard.press("Space");
		await person.hears("You said: Opening hours");
	});

	test("Enter that ends a composition of an input method sends nothing", async () => {
		const person = await open(server.url);
		await person.hears(GREETING);
		await person.input.fill("にほん");
		await person.input.dispatchEvent("keydown", { key: "Enter", isComposing: true });
		await person.input.dispatchEvent("keydown", { key: "Enter", keyCode: 229 });
		expect(await person.input.inputValue()).toBe("にほん");
		await person.input.press("Enter");
		await person.hears("You said: にほん");
		expect(host.accepted).toHaveLength(2);
	});

	test("screen readers get a log that speaks up politely once the past is there, and named controls", async () => {
		const person = await open(server.url);
		await person.hears(GREETING);
		await person.chat.locator('[role="log"][aria-live="polite"]').waitFor();
		expect(await person.input.getAttribute("aria-label")).toBe("Message");
		await person.chat.getByRole("button", { name: "Send" }).waitFor();
		await person.chat.getByRole("group", { name: "Suggested answers" }).waitFor();
		const running = host.script;
		let finish = () => {};
		host.script = async (turn) => {
			await new Promise<void>((resolve) => {
				finish = resolve;
			});
			await running(turn);
		};
		await person.say("Hello");
		await person.chat.getByText("Writing an answer").waitFor({ state: "attached" });
		finish();
		await person.hears("You said: Hello");
	});
});

describe("on another site", () => {
	test("an allowed one talks without cookies, under its own content policy, and keeps the conversation", async () => {
		const person = await open(shopUrl());
		await person.tap("Open chat");
		await person.hears(GREETING);
		await person.say("From the shop");
		await person.hears("You said: From the shop");
		await person.page.reload();
		await person.hears("You said: From the shop");
		expect(await person.page.context().cookies()).toEqual([]);
		expect(host.calls.size).toBe(1);
		expect(person.errors).toEqual([]);
	});

	test("one that is not on the list is told so, and nothing reaches the agent", async () => {
		await server.stop();
		server = await ChatServer.start(host, { allowedOrigins: ["https://other.example"] });
		const person = await open(shopUrl());
		const warned = person.page.waitForEvent("console", (message) => message.text().includes("allowedOrigins"));
		await person.tap("Open chat");
		await person.becomes("refused");
		expect((await warned).text()).toContain(shopUrl());
		await person.chat.getByText("This chat is not available on this site.").waitFor();
		await person.say("Let me in");
		expect(host.accepted).toEqual([]);
		expect(host.calls.size).toBe(0);
	});

	test("labels follow the visitor's language", async () => {
		const person = await open(shopUrl(), { locale: "es-ES" });
		await person.tap("Abrir el chat");
		await person.hears(GREETING);
		expect(await person.input.getAttribute("placeholder")).toBe("Escribe un mensaje…");
	});
});
