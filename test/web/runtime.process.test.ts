import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { callboard, freePort, type Running } from "../cli/command.js";
import { ChatDriver, launchChromium } from "./drive.js";

const ROOT = resolve(import.meta.dirname, "../..");

let browser: Browser;
let data: string;
let port: number;
let running: Running | undefined;

beforeAll(async () => {
	browser = await launchChromium();
});
afterAll(async () => {
	await browser.close();
});
beforeEach(async () => {
	data = mkdtempSync(join(tmpdir(), "callboard-web-"));
	port = await freePort();
	await serve();
});
afterEach(async () => {
	await kill();
	rmSync(data, { recursive: true, force: true });
});

/** `callboard dev` on the example agent, its scripted demo and the store on disk. */
async function serve(): Promise<void> {
	const env = { PORT: String(port), CALLBOARD_DATA: data, CALLBOARD_LOG: "silent" };
	running = callboard(["dev", "--agent", "clinica-norte"], { cwd: ROOT, env });
	await running.says("answers at");
}

async function kill(): Promise<void> {
	running?.process.kill("SIGKILL");
	await running?.ended;
	running = undefined;
}

test("a visit is booked in the browser: typed, tapped, with the server killed in mid-answer, and nothing twice", async () => {
	const context = await browser.newContext();
	const opened = context.waitForEvent("page").then((page) => page.waitForEvent("websocket"));
	const person = await ChatDriver.open(context, `http://127.0.0.1:${port}/`);
	await person.hears("What are your full name and your phone number?");
	await person.page.getByText("A scripted demo answers here, not a model.").waitFor();
	const drafting = (await opened).waitForEvent("framereceived", ({ payload }) => payload.includes('"draft"'));
	await person.say("Ana Ruiz, 600 111 222");
	await drafting;
	await kill();
	await person.becomes("offline");
	await person.say("tomorrow, general please");
	await serve();
	await person.becomes("online");
	await person.hears("Which day would suit you");
	await person.draft.waitFor({ state: "hidden" });
	const slot = person.chat.locator("button.choice:enabled").first();
	await slot.waitFor();
	const hour = (await slot.textContent()) ?? "";
	await slot.click();
	await person.hears("It is booked");
	await person.say("thanks, goodbye");
	await person.hears("Take care!");
	await person.chat.getByText("This conversation has ended").waitFor();

	const seen = await person.lines();
	const begun = seen.map(({ from, text }) => `${from}: ${text.slice(0, 14)}`);
	expect(begun.slice(0, 2)).toEqual(["agent: Hello, this is", "visitor: Ana Ruiz, 600 "]);
	// What was written in the meantime stands before or behind the answer it did not wait for.
	expect(begun.slice(2, 4).sort()).toEqual(["agent: Thank you, Ana", "visitor: tomorrow, gene"]);
	expect(begun.slice(4)).toEqual([
		expect.stringMatching(/^agent: Dr/),
		`visitor: ${hour}`,
		"agent: It is booked: ",
		"visitor: thanks, goodby",
		"agent: Thank you for ",
	]);
	await person.page.reload();
	await person.hears("Take care!");
	expect(await person.lines()).toHaveLength(seen.length);
	const again = (await person.lines()).map(({ text }) => text);
	expect([...again].sort()).toEqual(seen.map(({ text }) => text).sort());
	expect(person.errors.filter((error) => !error.includes("ERR_CONNECTION"))).toEqual([]);
});
