import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { callboard, type Ended, type Project, project, type Running } from "../cli/command.js";
import { shopFiles } from "./shop.js";
import { openChat } from "./web-visitor.js";

let shop: Project | undefined;
let running: Running | undefined;
afterEach(async () => {
	if (running?.process.exitCode === null) running.process.kill("SIGKILL");
	await running?.ended;
	running = undefined;
	shop?.remove();
	shop = undefined;
});

const run = (...args: readonly string[]): Promise<Ended> => callboard(args, { cwd: shop?.folder ?? "" }).ended;

async function served(): Promise<string> {
	shop = project(shopFiles);
	return start();
}

async function start(): Promise<string> {
	running = callboard(["dev"], { cwd: shop?.folder ?? "", env: { PORT: "0" } });
	const out = await running.says("in a terminal");
	return /shop answers at (http:\/\/127\.0\.0\.1:\d+)/.exec(out)?.[1] ?? "";
}

async function stop(): Promise<void> {
	running?.process.kill("SIGTERM");
	expect((await running?.ended)?.code).toBe(0);
}

describe("callboard calls, outbox and queue", { timeout: 240_000 }, () => {
	it("decision 17: a person answers a forwarded call and gives it back, while callboard dev has the store", async () => {
		const visitor = await openChat(await served());
		await visitor.says("a human please");
		await visitor.hears("I am passing you to a colleague");

		const listed = await run("calls", "list", "--state", "forwarded", "--json");
		const [call] = JSON.parse(listed.out) as [{ call: string; address: string; about: string }];
		expect(call.about).toBe("counter");
		expect(await run("calls", "reply", call.call, "Marta here, good morning")).toEqual({
			code: 0,
			out: `${call.address}: it is on its way\n`,
			err: "",
		});
		await visitor.hears("Marta here, good morning");

		const shown = await run("calls", "show", call.call.slice(0, 8));
		expect(shown.out).toMatch(/owner {6}human \(counter\)/);
		expect(shown.out).toMatch(/ {2}human {3}Marta here, good morning/);

		expect((await run("calls", "release", call.address, "she knows the prices")).code).toBe(0);
		await visitor.says("and now?");
		await visitor.hears("How can I help?");

		const paid = ["calls", "event", call.call, "paid", '{"order": 17}', "--id", "order-17"] as const;
		expect(await run(...paid)).toEqual({ code: 0, out: `${call.address}: the agent is told\n`, err: "" });
		await visitor.hears("Order 17 is paid, thank you.");
		expect(await run(...paid)).toMatchObject({ code: 1, err: expect.stringContaining("came in before") });
		expect(await run("calls", "event", call.call, "sent")).toMatchObject({
			code: 2,
			err: expect.stringContaining('the agent takes no event of that name from "app"; it takes paid'),
		});
		expect(await run("calls", "reply", call.call, "me again")).toMatchObject({
			code: 2,
			err: expect.stringMatching(/^callboard: web\|.*: the agent has this call, not a human; take it with --take.*\n$/),
		});
		await stop();
	});

	it("the note it leaves is for this user alone, is gone when it stops, and a stale one hinders nobody", async () => {
		await served();
		const note = join(shop?.folder ?? "", ".callboard/desk.json");
		expect(statSync(note).mode & 0o777).toBe(0o600);
		const { url } = JSON.parse(readFileSync(note, "utf8")) as { url: string };
		expect(new URL(url).hostname).toBe("127.0.0.1");
		const order = { method: "POST", body: JSON.stringify({ verb: "calls", given: { limit: 1 } }) };
		expect((await fetch(url, order)).status).toBe(401);
		expect((await fetch(url, { ...order, headers: { authorization: "Bearer guessed" } })).status).toBe(401);
		expect(await run("queue")).toMatchObject({ code: 0, out: expect.stringContaining("unhandled  0 in 0 chats") });
		running?.process.kill("SIGKILL");
		await running?.ended;
		expect(JSON.parse((await run("queue", "--json")).out)).toMatchObject({ waiting: 0, parked: 0 });
		writeFileSync(note, "not a note");
		expect((await run("outbox", "list")).out).toBe("nothing waits to be sent, and nothing failed\n");
		await start();
		await stop();
		expect(() => statSync(note)).toThrow("ENOENT");
	});

	it("with nothing running the verbs open the store themselves, and what was said is sent at the next start", async () => {
		const visitor = await openChat(await served());
		await visitor.says("human");
		await visitor.hears("I am passing you to a colleague");
		await stop();
		const [call] = JSON.parse((await run("calls", "list", "--json")).out) as [{ call: string; address: string }];
		expect((await run("calls", "reply", call.call, "Marta, after hours")).code).toBe(0);
		expect((await run("outbox", "list")).out).toMatch(/human\.[0-9a-f]{16}\.1\.0 +pending/);
		const again = await visitor.back(await start());
		await again.hears("Marta, after hours");
		expect((await run("outbox", "list")).out).toBe("nothing waits to be sent, and nothing failed\n");
		await stop();
	});

	it("mistakes are told in one line: no such call, no such row, nothing to retry, a number that is none", async () => {
		shop = project(shopFiles);
		const err = async (...args: readonly string[]) => {
			const ended = await run(...args);
			expect(ended).toMatchObject({ out: "", err: expect.stringMatching(/^callboard: [^\n]+\n$/) });
			return `${ended.code} ${ended.err}`;
		};
		expect(await err("calls", "close", "3f2a9c1e")).toContain(
			"2 callboard: there is no call 3f2a9c1e; `callboard calls list`",
		);
		expect(await err("outbox", "retry", "c.1.1.0")).toContain("2 callboard: no row c.1.1.0 failed or is unknown;");
		expect(await err("calls", "retry", "--all")).toContain("1 callboard: nothing is set aside");
		expect(await err("calls", "retry")).toContain("2 callboard: retry takes either one call or --all;");
		expect(await err("calls", "list", "--limit", "few")).toContain("It must be a whole number from 1.");
		expect(await err("calls", "list", "--state", "lost")).toContain("open, forwarded, ended, parked");
		expect(await err("calls", "lst")).toMatch(/^2 callboard: .*did you mean list\?/);
		expect((await run("calls", "list")).out).toBe("no calls\n");
	});
});
