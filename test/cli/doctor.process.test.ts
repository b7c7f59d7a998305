import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { checkNode } from "../../src/cli/check-machine.js";
import { checkRedis } from "../../src/engine/redis/check.js";
import { bakery, bakeryDemo, callboard, freePort, type Project, project } from "./command.js";

const folder = mkdtempSync(join(tmpdir(), "callboard-redis-"));
const servers: ChildProcess[] = [];
let shop: Project;
beforeAll(() => {
	shop = project({ "agents/bakery/agent.tsx": bakery, "agents/bakery/demo.yaml": bakeryDemo });
});
afterEach(async () => {
	for (const server of servers.splice(0)) {
		const gone = new Promise((resolve) => server.once("close", resolve));
		server.kill("SIGKILL");
		await gone;
	}
});
afterAll(() => {
	shop.remove();
	rmSync(folder, { recursive: true, force: true });
});

async function redis(...settings: readonly string[]): Promise<number> {
	const port = await freePort();
	const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder, ...settings];
	const server = spawn("redis-server", args, { stdio: ["ignore", "pipe", "ignore"] });
	servers.push(server);
	await new Promise<void>((resolve, reject) => {
		server.stdout?.on("data", (piece) => String(piece).includes("Ready to accept connections") && resolve());
		server.once("error", reject);
		server.once("close", () => reject(new Error("redis-server ended")));
	});
	return port;
}

async function doctor(env: Record<string, string>) {
	const { code, out, err } = await callboard(["doctor"], { cwd: shop.folder, env: { PORT: "0", ...env } }).ended;
	return { code, err, lines: out.trim().split("\n") };
}

describe("callboard doctor", () => {
	it("says what is right and what production still needs, and exits with 0 when nothing fails", async () => {
		const { code, err, lines } = await doctor({});
		expect({ code, err }).toEqual({ code: 0, err: "" });
		expect(lines.map((line) => line.slice(0, 4).trim())).not.toContain("fail");
		expect(lines.join("\n")).toMatch(/^ok {4}node {6}Node \d+/m);
		expect(lines.join("\n")).toMatch(/^ok {4}agents {4}bakery loads, with 2 tools/m);
		expect(lines.join("\n")).toMatch(/^warn {2}build .*run `callboard build`/m);
		expect(lines.join("\n")).toMatch(
			/^warn {2}model .*demo in agents\/bakery\/demo\.yaml answers; put OPENAI_API_KEY/m,
		);
		expect(lines.join("\n")).toMatch(/^warn {2}secret .*openssl rand -hex 32/m);
	});

	it("asks the model's server for its list: a good key, an unlisted model, a refused key, nobody there", async () => {
		const model = async (env: Record<string, string>) => {
			const { code, lines } = await doctor({ OPENAI_API_KEY: "sk-secret-key-value", ...env });
			expect(lines.join("\n")).not.toContain("secret-key");
			return { code, line: lines.find((line) => line.includes("  model ")) };
		};
		const provider = createHttpServer((request, response) => {
			const known = request.headers.authorization === "Bearer sk-good-key-value" && request.url === "/v1/models";
			response.writeHead(known ? 200 : 401, { "content-type": "application/json" });
			response.end(JSON.stringify(known ? { data: [{ id: "gpt-4.1-mini" }] } : { error: {} }));
		});
		await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
		const { port } = provider.address() as { port: number };
		const OPENAI_BASE_URL = `http://127.0.0.1:${port}/v1`;
		const good = { OPENAI_BASE_URL, OPENAI_API_KEY: "sk-good-key-value" };
		const nobody = { OPENAI_BASE_URL: `http://127.0.0.1:${await freePort()}/v1` };
		const found = await Promise.all([
			model(good),
			model({ ...good, CALLBOARD_MODEL: "gtp" }),
			model({ OPENAI_BASE_URL }),
			model(nobody),
		]);
		provider.close();
		expect(found).toMatchObject([
			{ code: 0, line: expect.stringMatching(/^ok .*takes the key and has gpt-4\.1-mini/) },
			{ code: 0, line: expect.stringMatching(/^warn .*does not list gtp/) },
			{ code: 1, line: expect.stringMatching(/^fail .*refuses the key/) },
			{ code: 1, line: expect.stringMatching(/^fail .*cannot be reached \(ECONNREFUSED\)/) },
		]);
	});

	it("fails on settings, agents and a port that cannot work, each with what to do, and exits with 1", async () => {
		expect(await doctor({ CALLBOARD_LOG: "loud" })).toMatchObject({
			code: 1,
			lines: [expect.stringMatching(/^ok/), expect.stringMatching(/^fail {2}settings {2}CALLBOARD_LOG must be/)],
		});
		const taken = createServer();
		await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
		const { port } = taken.address() as { port: number };
		const inUse = await doctor({ PORT: String(port) });
		taken.close();
		expect(inUse.code).toBe(1);
		expect(inUse.lines.join("\n")).toContain(
			`port ${port} of 127.0.0.1 is in use; stop what uses it, or set PORT to another`,
		);
		shop.write({ "agents/bakery/demo.yaml": bakeryDemo.replace("after: order", "after: ordr") });
		const misled = await doctor({});
		shop.write({ "agents/bakery/demo.yaml": bakeryDemo });
		expect(misled.code).toBe(1);
		expect(misled.lines.join("\n")).toMatch(/^fail {2}model .*demo\.yaml:4: bakery has no tool ordr/m);
		shop.write({ "agents/bakery/agent.tsx": bakery.replace("/** Tells the opening hours. */", "") });
		const broken = await doctor({});
		shop.write({ "agents/bakery/agent.tsx": bakery });
		expect(broken.code).toBe(1);
		expect(broken.lines.join("\n")).toMatch(/^fail {2}agents .*hours/m);
	});

	it("looks at a real Redis: fit, one that evicts and forgets, one that is not there, one with a password", async () => {
		const fit = await redis("--maxmemory-policy", "noeviction", "--appendonly", "yes", "--appenddirname", "fit");
		const { code, lines } = await doctor({ REDIS_URL: `redis://127.0.0.1:${fit}`, CALLBOARD_BACKEND: "embedded" });
		expect(code).toBe(0);
		const found = lines.filter((line) => line.includes("  redis "));
		expect(found).toHaveLength(4);
		expect(found.every((line) => line.startsWith("ok"))).toBe(true);

		const unfit = await redis("--maxmemory-policy", "allkeys-lru", "--appendonly", "no");
		const bad = await doctor({ REDIS_URL: `redis://127.0.0.1:${unfit}`, CALLBOARD_BACKEND: "embedded" });
		expect(bad.code).toBe(1);
		expect(bad.lines.join("\n")).toMatch(
			/^fail {2}redis .*maxmemory-policy is allkeys-lru.*; set `maxmemory-policy noeviction`/m,
		);
		expect(bad.lines.join("\n")).toMatch(/^warn {2}redis .*append-only file is off.*; set `appendonly yes`/m);

		expect(await checkRedis(`redis://127.0.0.1:${await freePort()}`)).toMatchObject([
			{ verdict: "fail", says: "Redis cannot be reached (ECONNREFUSED)" },
		]);
		const locked = await redis("--requirepass", "hunter2");
		const refused = await checkRedis(`redis://:wrong-password@127.0.0.1:${locked}`);
		expect(refused).toMatchObject([{ verdict: "fail", says: "Redis wants another password" }]);
		expect(JSON.stringify(refused)).not.toContain("wrong-password");
	});

	it("says where calls are kept, and what is missing when the settings ask for a Redis and name none", async () => {
		const fit = await redis("--maxmemory-policy", "noeviction", "--appendonly", "yes", "--appenddirname", "kept");
		const { lines } = await doctor({ REDIS_URL: `redis://127.0.0.1:${fit}` });
		expect(lines.join("\n")).toMatch(/^ok {4}backend .*redis: calls are kept in the Redis of REDIS_URL/m);
		const without = await doctor({ CALLBOARD_BACKEND: "redis" });
		expect(without.code).toBe(1);
		expect(without.lines.join("\n")).toMatch(/^fail {2}backend .*REDIS_URL is not set; set it, or CALLBOARD_BACKEND/m);
	});

	it("knows which Node is too old", () => {
		expect(checkNode("20.18.3").verdict).toBe("fail");
		expect(checkNode("20.19.0").verdict).toBe("ok");
		expect(checkNode("24.1.0").verdict).toBe("ok");
	});
});
