import { describe, expect, test } from "vitest";
import { openDoors } from "../../src/cli/open-doors.js";
import { readConfig } from "../../src/config.js";
import { fakeAgent } from "../turn/fake-agent.js";
import { FakeHost } from "./fake-host.js";

const agent = fakeAgent({ over: { title: "CornerBakery" } });

/** What a visitor is given of a chat that is opened with these settings. */
async function opened({ settings = {}, ...asked }: { settings?: object; demo?: boolean; embed?: boolean } = {}) {
	const config = readConfig({ root: import.meta.dirname, environment: { ...settings } });
	const secret = () => "a secret of the tests alone";
	const [chat] = await openDoors({ config, agent, secret, demo: false, only: ["web"], ...asked });
	await chat?.start(new FakeHost(() => {}));
	const read = async (path: string) => {
		const response = await chat?.routes?.fetch(new Request(`http://127.0.0.1${path}`), { ip: "127.0.0.1" });
		return (await response?.text()) ?? "";
	};
	const seen = { page: await read("/"), widget: await read("/chat/widget.js") };
	await chat?.stop();
	return seen;
}

describe("the web chat as a project opens it", () => {
	test("has the name of the agent's class, and tells visitors neither how to embed it nor of a demo", async () => {
		const { page, widget } = await opened();
		expect(page).toContain("<title>Corner Bakery</title>");
		expect(page).not.toMatch(/Put it on your site|CALLBOARD_|Write a message to begin/);
		expect(widget).not.toContain("scripted demo");
	});

	test("has the title and the accent of the settings", async () => {
		const settings = { CALLBOARD_TITLE: "The Corner <Bakery>", CALLBOARD_ACCENT: "#7c3aed" };
		const { page, widget } = await opened({ settings });
		expect(page).toContain("<title>The Corner &#60;Bakery&#62;</title>");
		expect(widget).toContain('"accent":"#7c3aed","onAccent":"#ffffff"');
	});

	test("says that a demo answers, in the chat and not on the page beside it", async () => {
		const { page, widget } = await opened({ demo: true });
		expect(widget).toContain("A scripted demo answers here, not a model.");
		expect(page).not.toContain("demo");
	});

	test("tells a developer how to embed it", async () => {
		expect((await opened({ embed: true })).page).toContain("Put it on your site");
	});
});
