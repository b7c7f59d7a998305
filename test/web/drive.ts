import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";

/** Nothing but this machine is reached, whatever a page asks for. */
const ARGS = [
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
	"--no-first-run",
	"--disable-dev-shm-usage",
	"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/** Starts Chromium: `CHROME_PATH`, or the first one found on PATH. */
export function launchChromium(): Promise<Browser> {
	return chromium.launch({ executablePath: chromiumPath(), args: ARGS });
}

function chromiumPath(): string {
	if (process.env.CHROME_PATH) return process.env.CHROME_PATH;
	for (const folder of (process.env.PATH ?? "").split(delimiter)) {
		for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
			const path = join(folder, name);
			if (isExecutable(path)) return path;
		}
	}
	throw new Error("no Chromium found: install it (apt-get install chromium) or set CHROME_PATH");
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/** One line of the conversation as a reader sees it. */
export interface SeenLine {
	from: "visitor" | "agent";
	text: string;
}

/** A person in front of a chat, whatever answers behind it. */
export class ChatDriver {
	readonly page: Page;
	readonly chat: Locator;
	/** Errors of the page and of its console, to be asserted empty. */
	readonly errors: string[] = [];

	private constructor(page: Page) {
		this.page = page;
		this.chat = page.locator("callboard-chat").first();
		page.on("pageerror", (error) => this.errors.push(error.message));
		page.on("console", (message) => {
			if (message.type() === "error") this.errors.push(message.text());
		});
	}

	/** Opens a page with a chat in a new tab of `context`. */
	static async open(context: BrowserContext, url: string): Promise<ChatDriver> {
		const driver = new ChatDriver(await context.newPage());
		await driver.page.goto(url);
		return driver;
	}

	get input(): Locator {
		return this.chat.getByRole("textbox");
	}

	get log(): Locator {
		return this.chat.getByRole("log");
	}

	/** The answer in the making. */
	get draft(): Locator {
		return this.chat.locator(".draft .bubble");
	}

	/** Types a message and sends it with Enter. */
	async say(text: string): Promise<void> {
		await this.input.fill(text);
		await this.input.press("Enter");
	}

	/** Taps a quick reply. */
	async tap(label: string): Promise<void> {
		await this.chat.getByRole("button", { name: label }).click();
	}

	/** Waits until the agent has said a line that holds `text`, as a finished line. */
	async hears(text: string): Promise<void> {
		await this.log.locator(".line.agent", { hasText: text }).first().waitFor();
	}

	/** Waits until the answer in the making holds `text`. */
	async reads(text: string): Promise<void> {
		await this.chat.locator(".draft .bubble", { hasText: text }).waitFor();
	}

	/** Waits until the chat is connected (`online`), has noticed that it is not (`offline`), or was `refused`. */
	async becomes(status: "online" | "offline" | "refused"): Promise<void> {
		await this.page.locator(`callboard-chat[data-status="${status}"]`).first().waitFor({ state: "attached" });
	}

	/** Everything said, in the order shown. */
	async lines(): Promise<SeenLine[]> {
		return this.log.locator(".line").evaluateAll((lines) =>
			lines.map((line) => ({
				from: line.classList.contains("visitor") ? ("visitor" as const) : ("agent" as const),
				text: line.querySelector(".bubble")?.textContent ?? "",
			})),
		);
	}

	/** How far the page can be scrolled sideways; 0 is right. */
	async sideways(): Promise<number> {
		return this.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
	}
}
