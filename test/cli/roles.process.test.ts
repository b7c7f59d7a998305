import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { openChat } from "../operations/web-visitor.js";
import { RedisServer } from "../redis/redis-server.js";
import { bakery, bakeryDemo, callboard, type Project, project, type Running } from "./command.js";

let server: RedisServer;
beforeAll(async () => {
	server = await RedisServer.start();
});
afterAll(() => server.dispose());

let shop: Project | undefined;
const running: Running[] = [];
afterEach(async () => {
	for (const each of running.splice(0)) {
		if (each.process.exitCode === null) each.process.kill("SIGKILL");
		await each.ended;
	}
	shop?.remove();
});

it("gateway, worker and sender as three processes: a page hears its answer as it is sent, and each stops in order", async () => {
	shop = project({ "agents/bakery/agent.tsx": bakery, "agents/bakery/demo.yaml": bakeryDemo });
	const { folder } = shop;
	const env = { PORT: "0", REDIS_URL: server.url, CALLBOARD_SECRET: "0123456789abcdef0123456789abcdef" };
	expect((await callboard(["build"], { cwd: folder }).ended).code).toBe(0);
	const start = async (...only: readonly string[]) => {
		const process = callboard(["start", "--demo", ...only.flatMap((role) => ["--only", role])], { cwd: folder, env });
		running.push(process);
		const out = await process.says("process.started");
		const line = out.split("\n").find((each) => each.includes("process.started")) ?? "{}";
		return { process, ...(JSON.parse(line) as { url: string; roles: readonly string[] }) };
	};
	const gateway = await start("gateway");
	const visitor = await openChat(gateway.url);
	const heard = visitor.hears("That makes 3 cakes.");
	await visitor.says("3 cakes");
	const worker = await start("worker");
	const sender = await start("sender");
	await heard;
	expect([gateway, worker, sender].map(({ roles }) => roles)).toEqual([["gateway"], ["worker"], ["sender"]]);
	expect((await fetch(`${worker.url}/health`)).status).toBe(200);
	expect((await fetch(`${worker.url}/chat/session`, { method: "POST" })).status).toBe(404);
	const both = await start("worker,sender", "gateway");
	expect(both.roles).toEqual(["worker", "sender", "gateway"]);
	for (const { process } of [both, gateway, worker, sender]) {
		process.process.kill("SIGTERM");
		expect((await process.ended).code).toBe(0);
	}
});

it("a role that there is not is refused in one line", async () => {
	shop = project({ "agents/bakery/agent.tsx": bakery, "agents/bakery/demo.yaml": bakeryDemo });
	const { code, err } = await callboard(["start", "--only", "gateway,postman"], { cwd: shop.folder }).ended;
	expect(code).toBe(2);
	expect(err).toContain('"postman" is none of gateway, worker, sender');
	expect(err.trim().split("\n")).toHaveLength(1);
});
