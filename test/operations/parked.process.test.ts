import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { telegramFaults } from "../../src/testing/telegram-faults.js";
import { startTelegramServer, type TelegramServer } from "../../src/testing/telegram-server.js";
import { callboard, type Project, project, type Running } from "../cli/command.js";

let shop: Project | undefined;
let running: Running | undefined;
let server: TelegramServer | undefined;
afterEach(async () => {
	if (running?.process.exitCode === null) running.process.kill("SIGKILL");
	await running?.ended;
	await server?.stop();
	shop?.remove();
});

/** An agent that cannot answer while a file is there. */
const files = {
	broken: "",
	"agents/shop/agent.tsx": `
import { existsSync } from "node:fs";
import { Agent } from "callboard";

/** You answer for a shop. */
export default class Shop extends Agent {
	onCall() {
		if (existsSync("broken")) throw new Error("Ana's order is away");
	}
}
`,
	"agents/shop/demo.yaml":
		"script: shop\nrules:\n  - when: { said: never }\n    say: Never.\notherwise: How can I help?\n",
};

it("a call whose turn always fails is set aside with its reason, and goes on by command; so does a row that was refused", async () => {
	shop = project(files);
	const { folder } = shop;
	server = await startTelegramServer();
	const env = { PORT: "0", TELEGRAM_TOKEN: server.token, TELEGRAM_API_ROOT: server.apiRoot };
	running = callboard(["dev", "--door", "telegram"], { cwd: folder, env });
	const run = (...args: readonly string[]) => callboard(args, { cwd: folder }).ended;
	const ana = server.person({ id: 7001, name: "Ana" });
	const heard = () => server?.texts(ana.chat) ?? [];

	await running.says("shop answers on telegram");
	ana.says("hello");
	await server.until(() => heard().length === 1);
	const [parked] = JSON.parse((await run("calls", "list", "--state", "parked", "--json")).out);
	expect(parked).toMatchObject({ address: "telegram|7001", waiting: 1, about: expect.stringContaining("onCall") });
	expect(JSON.stringify(parked)).not.toContain("Ana's order");
	expect(JSON.parse((await run("queue", "--json")).out)).toMatchObject({ parked: 1 });
	expect(await run("calls", "close", "telegram|7001")).toMatchObject({ code: 2 });
	rmSync(join(folder, "broken"));
	expect(await run("calls", "retry", "--all")).toMatchObject({ code: 0, err: "" });
	await server.until(() => heard().length === 2);
	expect(heard().at(-1)).toBe("How can I help?");
	expect(JSON.parse((await run("queue", "--json")).out)).toMatchObject({ parked: 0, waiting: 0 });

	server.fail("sendMessage", ana.chat, telegramFaults.refused());
	ana.says("more");
	await server.until(() => server?.callsOf("sendMessage").length === 3);
	const listed = async () => JSON.parse((await run("outbox", "list", "--json")).out);
	let [row] = await listed();
	while (row?.status !== "failed") [row] = await listed();
	expect(row.reason).toContain("message can't be sent");
	expect(await run("outbox", "retry", row.row)).toMatchObject({ code: 0, err: "" });
	await server.until(() => heard().length === 3);
	expect(await listed()).toEqual([]);
	running.process.kill("SIGTERM");
	expect((await running.ended).code).toBe(0);
}, 120_000);
