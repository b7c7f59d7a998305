import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ChatServer } from "./chat-server.js";
import { ChatDriver, launchChromium } from "./drive.js";
import { FakeHost, type FakeTurn } from "./fake-host.js";
import { Gate } from "./gate.js";
import { WireCutter } from "./wire-cutter.js";

const GREETING = "Hello, what can I do for you?";
const ANSWER = "The clinic is open from nine to six.";

let browser: Browser;
let context: BrowserContext;
let host: FakeHost;
let server: ChatServer;
let wire: WireCutter;

beforeAll(async () => {
	browser = await launchChromium();
});
afterAll(async () => {
	await browser.close();
});
beforeEach(async () => {
	host = new FakeHost(answer);
	server = await ChatServer.start(host);
	wire = await WireCutter.start(() => server.port);
	context = await browser.newContext();
});
afterEach(async () => {
	await context.close();
	await wire.stop();
	await server.stop();
});

function answer({ message, say }: FakeTurn): void {
	const { kind, text } = message.content;
	if (kind === "open") {
		say({
			kind: "choices",
			text: GREETING,
			choices: [
				{ id: "hours", label: "Opening hours" },
				{ id: "book", label: "Book" },
			],
		});
	} else say({ kind: "text", text: kind === "choice" ? ANSWER : `You said: ${text}` });
}

/** Answers what is not an opening in two halves, and waits in the middle. */
function halting(middle: Gate) {
	return async (turn: FakeTurn) => {
		if (turn.message.content.kind === "open") return answer(turn);
		turn.draft("The clinic is open");
		await middle.passed;
		turn.draft(ANSWER);
		turn.say({ kind: "text", text: ANSWER });
	};
}

async function visitor(url = wire.url): Promise<ChatDriver> {
	const driver = await ChatDriver.open(context, url);
	await driver.hears(GREETING);
	return driver;
}

const AFTER_QUESTION = [
	{ from: "agent", text: GREETING },
	{ from: "visitor", text: "When are you open?" },
	{ from: "agent", text: ANSWER },
];

describe("a conversation in a browser", () => {
	test("a typed question gets an answer that grows and is then said once", async () => {
		const middle = new Gate();
		host.script = halting(middle);
		const person = await visitor();
		await person.say("When are you open?");
		await person.reads("The clinic is open");
		middle.open();
		await person.hears(ANSWER);
		await person.draft.waitFor({ state: "hidden" });
		expect(await person.lines()).toEqual(AFTER_QUESTION);
		expect(person.errors).toEqual([]);
	});

	test("a tapped button says its label and id once, and stays visible and used", async () => {
		const person = await visitor();
		await person.tap("Opening hours");
		await person.hears(ANSWER);
		expect(host.accepted.map(({ content }) => content)).toEqual([
			{ kind: "open", text: "" },
			{ kind: "choice", choice: "hours", text: "Opening hours", of: "call-1.1.0.0" },
		]);
		const buttons = person.chat.locator("button.choice");
		expect([await buttons.nth(0).isDisabled(), await buttons.nth(1).isDisabled()]).toEqual([true, true]);
		await person.page.reload();
		await person.hears(ANSWER);
		expect(await buttons.first().getAttribute("aria-pressed")).toBe("true");
		expect(await buttons.first().isDisabled()).toBe(true);
	});

	test("a reload shows everything once, and the agent does not greet again", async () => {
		const person = await visitor();
		await person.say("One");
		await person.hears("You said: One");
		await person.page.reload();
		await person.becomes("online");
		await person.say("Two");
		await person.hears("You said: Two");
		expect((await person.lines()).map(({ text }) => text)).toEqual([
			GREETING,
			"One",
			"You said: One",
			"Two",
			"You said: Two",
		]);
		expect(host.accepted).toHaveLength(3);
		expect(person.errors).toEqual([]);
	});

	test("a connection cut in mid-answer: the draft comes back, and the answer is there once", async () => {
		const middle = new Gate();
		host.script = halting(middle);
		const person = await visitor();
		await person.say("When are you open?");
		await person.reads("The clinic is open");
		wire.cut();
		await person.becomes("offline");
		await person.becomes("online");
		await person.reads("The clinic is open");
		middle.open();
		await person.hears(ANSWER);
		await person.draft.waitFor({ state: "hidden" });
		expect(await person.lines()).toEqual(AFTER_QUESTION);
	});

	test("an answer finished while the connection was down is there once when it is back", async () => {
		const middle = new Gate();
		host.script = halting(middle);
		const person = await visitor();
		await person.say("When are you open?");
		await person.reads("The clinic is open");
		wire.down();
		await person.becomes("offline");
		middle.open();
		await host.idle();
		wire.up();
		await person.hears(ANSWER);
		await person.draft.waitFor({ state: "hidden" });
		expect(await person.lines()).toEqual(AFTER_QUESTION);
	});

	test("a server that restarts on the same port in mid-answer: the answer is there once", async () => {
		const middle = new Gate();
		host.script = halting(middle);
		const person = await visitor(server.url);
		await person.say("When are you open?");
		await person.reads("The clinic is open");
		await server.stop();
		await person.becomes("offline");
		await server.start();
		await person.becomes("online");
		middle.open();
		await person.hears(ANSWER);
		await person.draft.waitFor({ state: "hidden" });
		expect(await person.lines()).toEqual(AFTER_QUESTION);
	});

	test("what is written while the server is away is kept and delivered once, in order", async () => {
		const person = await visitor();
		wire.down();
		await person.becomes("offline");
		await person.say("First");
		await person.say("Second");
		await person.chat.getByText("Connection lost").waitFor();
		expect(host.accepted).toHaveLength(1);
		wire.up();
		await person.hears("You said: First");
		await person.hears("You said: Second");
		await person.chat.getByText("Connection lost").waitFor({ state: "hidden" });
		expect(host.accepted.map(({ content }) => content.text)).toEqual(["", "First", "Second"]);
		expect((await person.lines()).filter(({ from }) => from === "visitor")).toHaveLength(2);
	});

	test("where no socket gets through, events and posts carry the same conversation", async () => {
		wire.blocked.add("/chat/socket");
		const middle = new Gate();
		host.script = halting(middle);
		const person = await visitor();
		await person.say("When are you open?");
		await person.reads("The clinic is open");
		wire.cut();
		await person.becomes("offline");
		await person.becomes("online");
		await person.reads("The clinic is open");
		middle.open();
		await person.hears(ANSWER);
		await person.draft.waitFor({ state: "hidden" });
		expect(await person.lines()).toEqual(AFTER_QUESTION);
		expect(host.accepted).toHaveLength(2);
	});

	test("two tabs show the same, and the agent greets once", async () => {
		const [one, two] = [await ChatDriver.open(context, wire.url), await ChatDriver.open(context, wire.url)];
		await one.hears(GREETING);
		await two.hears(GREETING);
		await one.say("From the first");
		await two.hears("You said: From the first");
		await two.say("From the second");
		await one.hears("You said: From the second");
		expect(await one.lines()).toEqual(await two.lines());
		expect(await one.lines()).toHaveLength(5);
		expect(host.accepted.filter(({ content }) => content.kind === "open")).toHaveLength(1);
	});

	test("a message above the limit stays on the page with the reason, and is not taken", async () => {
		await server.stop();
		host = new FakeHost(answer);
		server = await ChatServer.start(host, { rate: { perSession: 2 } });
		const person = await visitor();
		await person.say("One");
		await person.hears("You said: One");
		await person.say("Two");
		await person.chat.getByText("A little fast").waitFor();
		expect(host.accepted.map(({ content }) => content.text)).toEqual(["", "One"]);
		expect((await person.lines()).at(-1)).toEqual({ from: "visitor", text: "Two" });
		await person.page.reload();
		await person.chat.getByText("A little fast").waitFor();
		expect((await person.lines()).at(-1)).toEqual({ from: "visitor", text: "Two" });
	});

	test("a text too long stays in the field with the reason", async () => {
		const person = await visitor();
		await person.say("x".repeat(8_003));
		expect(await person.input.inputValue()).toHaveLength(8_003);
		await person.chat.getByText("3 characters too many").waitFor();
		expect(host.accepted).toHaveLength(1);
	});

	test("a reader who has scrolled up is not moved, and a button leads to the news", async () => {
		const person = await visitor();
		for (let n = 0; n < 8; n++) {
			await person.say(`Line ${n} ${"of many words ".repeat(20)}`);
			await person.hears(`You said: Line ${n}`);
		}
		const scroll = person.chat.locator(".scroll");
		await scroll.evaluate((each) => {
			each.scrollTop = 40;
		});
		const newer = person.chat.getByRole("button", { name: "New messages" });
		const [address] = [...host.calls.keys()];
		await host.say(address ?? "", { kind: "text", text: "Your appointment is confirmed." });
		await newer.waitFor();
		expect(await scroll.evaluate((each) => each.scrollTop)).toBe(40);
		await newer.click();
		await newer.waitFor({ state: "hidden" });
		expect(await scroll.evaluate((each) => each.scrollHeight - each.scrollTop - each.clientHeight)).toBeLessThan(2);
	});

	test("the end of a call is said, and the next message begins a new one", async () => {
		const person = await visitor();
		const [address] = [...host.calls.keys()];
		host.end(address ?? "", "goodbye");
		await person.chat.getByText("This conversation has ended").waitFor();
		await person.page.reload();
		await person.chat.getByText("This conversation has ended").waitFor();
		await person.say("Hello again");
		await person.hears("You said: Hello again");
		await person.chat.getByText("This conversation has ended").waitFor({ state: "hidden" });
	});

	test("data for the page arrives as an event of the element, once, and is no line", async () => {
		const person = await visitor();
		await person.page.evaluate(
			"window.seen = []; document.addEventListener('callboard-data', (event) => window.seen.push(event.detail));",
		);
		const [address] = [...host.calls.keys()];
		await host.say(address ?? "", { kind: "data", topic: "slots", data: { free: ["10:30"] } });
		await host.say(address ?? "", { kind: "text", text: "Done." });
		await person.hears("Done.");
		wire.cut();
		await person.becomes("offline");
		await person.becomes("online");
		expect(await person.page.evaluate("window.seen")).toEqual([
			{ id: "call-1.2.0.0", topic: "slots", data: { free: ["10:30"] }, replay: false },
		]);
		expect(await person.lines()).toHaveLength(2);
	});
});
