import { afterEach, describe, expect, it } from "vitest";
import { openChat } from "../operations/web-visitor.js";
import { bakery, bakeryDemo, callboard, type Project, project, type Running } from "./command.js";

let shop: Project | undefined;
let running: Running | undefined;
afterEach(async () => {
	if (running?.process.exitCode === null && running.process.signalCode === null) running.process.kill("SIGKILL");
	await running?.ended;
	shop?.remove();
	running = undefined;
	shop = undefined;
});

const endless = bakery.replace(
	"this.cakes += count;",
	'console.log("the oven is on");\n\t\tawait new Promise((resolve) => setTimeout(resolve, 3_600_000));\n\t\tthis.cakes += count;',
);
const slow = endless.replace("order(count: number): number", "async order(count: number): Promise<number>");

/** A process in the middle of a turn that does not end. */
async function inMidTurn(): Promise<Running> {
	shop = project({ "agents/bakery/agent.tsx": slow, "agents/bakery/demo.yaml": bakeryDemo });
	running = callboard(["dev"], { cwd: shop.folder, env: { PORT: "0" } });
	const out = await running.says("in a terminal");
	const url = /bakery answers at (http:\/\/127\.0\.0\.1:\d+)/.exec(out)?.[1] ?? "";
	const visitor = await openChat(url);
	await visitor.says("3 cakes");
	await running.says("the oven is on");
	return running;
}

describe("a process that is asked to stop in the middle of a turn", () => {
	it.each(["SIGTERM", "SIGINT"] as const)("waits for it, and leaves at once when asked again by %s", async (again) => {
		const process = await inMidTurn();
		process.process.kill("SIGTERM");
		await process.says("process.stopping");
		expect(process.process.exitCode ?? process.process.signalCode).toBeNull();
		process.process.kill(again);
		expect((await process.ended).code).toBeNull();
		expect(process.process.signalCode).toBe(again);
	});
});
