import { existsSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { bakery, bakeryDemo, callboard, type Project, project, type Running } from "./command.js";

const open: (Project | Running)[] = [];
function shopWith(files: Readonly<Record<string, string>> = {}): Project {
	const shop = project({ "agents/bakery/agent.tsx": bakery, "agents/bakery/demo.yaml": bakeryDemo, ...files });
	open.push(shop);
	return shop;
}
function starts(args: readonly string[], shop: Project, env: Record<string, string> = {}): Running {
	const running = callboard(args, { cwd: shop.folder, env });
	open.unshift(running);
	return running;
}
afterEach(async () => {
	for (const each of open.splice(0)) {
		if ("remove" in each) each.remove();
		else if (each.process.exitCode === null) {
			each.process.kill("SIGKILL");
			await each.ended;
		}
	}
});

const jsx = { jsx: "react-jsx", jsxImportSource: "callboard" };
const secret = "0123456789abcdef0123456789abcdef";

describe("callboard dev", () => {
	it("serves a page, says what answers and how to chat, and stops in order when asked", async () => {
		const shop = shopWith();
		const dev = starts(["dev"], shop, { PORT: "0" });
		const out = await dev.says("in a terminal: npx callboard chat --agent bakery");
		expect(out).toContain("so a scripted demo answers, not a model (agents/bakery/demo.yaml)");
		const url = /bakery answers at (http:\/\/127\.0\.0\.1:\d+)/.exec(out)?.[1];
		const page = await fetch(`${url}/`);
		expect(page.status).toBe(200);
		expect(await page.text()).toContain("Bakery");
		expect((await fetch(`${url}/health`)).status).toBe(200);

		const beside = await callboard(["chat", "--say", "3 cakes"], { cwd: shop.folder }).ended;
		expect(beside).toMatchObject({ code: 0, out: expect.stringContaining("That makes 3 cakes.") });

		dev.process.kill("SIGTERM");
		expect((await dev.ended).code).toBe(0);
	});

	it("behind a reverse proxy of ours a visitor is who the proxy says, and without one nobody's word is taken", async () => {
		const forwarded = {
			"x-forwarded-proto": "https",
			"x-forwarded-host": "bot.example",
			"x-forwarded-for": "192.0.2.7",
		};
		for (const [hops, cookie] of [
			["1", /; Secure/],
			["0", /SameSite=\w+$/],
		] as const) {
			const dev = starts(["dev"], shopWith(), { PORT: "0", CALLBOARD_TRUST_PROXY: hops });
			const url = /answers at (http:\/\/127\.0\.0\.1:\d+)/.exec(await dev.says("answers at"))?.[1];
			const session = await fetch(`${url}/chat/session`, { method: "POST", headers: forwarded, body: "{}" });
			expect(session.headers.get("set-cookie")).toMatch(cookie);
		}
	});

	it("a port in use: one clear line, and it exits with 2", async () => {
		const taken = createServer();
		await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
		const { port } = taken.address() as { port: number };
		const { code, err } = await starts(["dev"], shopWith(), { PORT: String(port) }).ended;
		taken.close();
		expect(code).toBe(2);
		expect(err).toMatch(new RegExp(`^callboard: .*${port}.*; .+\\n$`));
	});

	it("a second one on the same data: one clear line, and it exits with 2", async () => {
		const shop = shopWith();
		const first = starts(["dev"], shop, { PORT: "0" });
		await first.says("answers at");
		const { code, err } = await starts(["dev"], shop, { PORT: "0" }).ended;
		expect(code).toBe(2);
		expect(err).toMatch(/^callboard: process \d+ is using .*; stop process \d+, or .*\n$/);
	});

	it.each([
		["a misspelled stage", bakery.replace('stage: "order" })', 'stage: "ordr" })'), /ordr/],
		["a tool without a docstring", bakery.replace("/** Tells the opening hours. */", ""), /Bakery\.hours|hours/],
		["a file that is not TypeScript", `${bakery}\n}`, /agents\/bakery\/agent\.tsx:\d+ cannot be loaded/],
		["a file that exports no agent", "export const nothing = 1;", /agents\/bakery\/agent\.tsx.*no default export/],
		["a file that throws", 'throw new Error("the key file is missing");', /the key file is missing/],
	])("case 1, 3: %s: one clear line, no port opened, and it exits with 2", async (_, agent, line) => {
		const shop = shopWith({ "agents/bakery/agent.tsx": agent });
		const { code, out, err } = await starts(["dev"], shop, { PORT: "0" }).ended;
		expect(code).toBe(2);
		expect(err).toMatch(line);
		expect(err.trim().split("\n")).toHaveLength(1);
		expect(err).not.toMatch(/\n\s+at /);
		expect(out).toBe("");
	});

	it.each([
		[
			"dev",
			"react-jsx in React's form",
			{ jsx: "react-jsx" },
			/agent\.tsx has JSX .*; set "jsx": "react-jsx" and "jsxImportS/,
		],
		[
			"build",
			"react-jsx in React's form",
			{ jsx: "react-jsx" },
			/agent\.tsx:\d+: tsconfig\.json .*; set "jsx": "react-jsx"/,
		],
		["build", "no JSX", {}, /agent\.tsx:\d+: tsconfig\.json does not say what becomes of JSX; set "jsx": "react-jsx"/],
		[
			"dev",
			"decorators of old",
			{ ...jsx, experimentalDecorators: true },
			/old form; take "experimentalDecorators" out/,
		],
	])("%s with a tsconfig.json of %s: one line that says what to write", async (verb, _, given, line) => {
		const compilerOptions = { target: "es2022", module: "nodenext", customConditions: ["callboard-source"], ...given };
		const shop = shopWith({ "tsconfig.json": JSON.stringify({ compilerOptions, include: ["agents"] }) });
		const { out, err } = await starts([verb], shop, { PORT: "0" }).ended;
		expect(err).toMatch(line);
		expect(err.trim().split("\n")).toHaveLength(1);
		expect(out).toBe("");
	});

	it("a bad .env: every mistake with its line, in one message, and it exits with 2", async () => {
		const shop = shopWith({ ".env": "PORT=eighty\nCALLBOARD_LOG=loud\n" });
		expect(await starts(["dev"], shop).ended).toEqual({
			code: 2,
			out: "",
			err:
				'callboard: .env:1: PORT must be a whole number from 0 to 65535, not "eighty"; ' +
				'.env:2: CALLBOARD_LOG must be debug, info, warn, error or silent, not "loud"; ' +
				"every setting is explained in .env.example\n",
		});
		shop.write({ ".env": "PORT 3000\n" });
		expect((await starts(["dev"], shop).ended).err).toBe(
			"callboard: .env:1: this line is not a setting; write NAME=value, or begin it with # to make it a comment\n",
		);
	});

	it("CALLBOARD_DEBUG shows the stack", async () => {
		const shop = shopWith({ "agents/bakery/agent.tsx": 'throw new Error("broken here");' });
		const { err } = await starts(["dev"], shop, { CALLBOARD_DEBUG: "1" }).ended;
		expect(err).toMatch(/\n\s+at /);
	});

	it("--watch starts again when a file of the agent changes", async () => {
		const shop = shopWith();
		const dev = starts(["dev", "--watch"], shop, { PORT: "0" });
		await dev.says("answers at");
		shop.write({ "agents/bakery/agent.tsx": bakery.replace("class Bakery", "class CakeShop") });
		shop.write({ "agents/cake-shop/demo.yaml": bakeryDemo });
		await dev.says("cake-shop answers at");
		dev.process.kill("SIGTERM");
		expect((await dev.ended).code).toBe(0);
	});
});

describe("callboard build and start", () => {
	it("build compiles and writes the manifest, start serves it and ends in order when asked", async () => {
		const shop = shopWith();
		expect(await starts(["build"], shop).ended).toMatchObject({
			code: 0,
			out: "built bakery (2 tools, 2 stages) into dist/\n",
		});
		const env = { PORT: "0", CALLBOARD_SECRET: secret };
		const start = starts(["start", "--demo", "--show-prompt"], shop, env);
		const out = await start.says("process.started");
		const lines = out
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
		const { url } = lines.find((line) => line.event === "process.started");
		expect((await fetch(`${url}/health`)).status).toBe(200);
		start.process.kill("SIGTERM");
		expect(await start.ended).toMatchObject({ code: 0, err: "" });
		expect(await start.says("process.stopping")).toContain("gateway.stopped");
	});

	it("start refuses, in one line each: nothing built, no secret, no key, redis, a stale manifest", async () => {
		const shop = shopWith();
		const refusal = async (env: Record<string, string>) => {
			const { code, out, err } = await starts(["start"], shop, { PORT: "0", ...env }).ended;
			expect({ code, out, lines: err.trim().split("\n").length }).toEqual({ code: 2, out: "", lines: 1 });
			return err;
		};
		const secretOnly = { CALLBOARD_SECRET: secret };
		const [unset, unbuilt, redis] = await Promise.all([
			refusal({}),
			refusal(secretOnly),
			refusal({ ...secretOnly, CALLBOARD_BACKEND: "redis" }),
		]);
		expect(unset).toContain("CALLBOARD_SECRET is not set");
		expect(unbuilt).toContain("run `callboard build` first");
		expect(redis).toContain("REDIS_URL is not set; set REDIS_URL=redis://host:6379, or CALLBOARD_BACKEND=embedded");
		await starts(["build"], shop).ended;
		expect(await refusal(secretOnly)).toContain("set OPENAI_API_KEY in the environment");
		const nobody = { ...secretOnly, OPENAI_API_KEY: "none", REDIS_URL: "redis://127.0.0.1:1" };
		expect(await refusal(nobody)).toContain("Redis cannot be reached (ECONNREFUSED); start it, or correct host");
		shop.write({ "agents/bakery/agent.tsx": bakery.replace("How many.", "How many cakes.") });
		expect(await refusal(secretOnly)).toContain("the manifest no longer fits the sources of Bakery");
	});

	it("build leaves nothing of an agent that is gone", async () => {
		const shop = shopWith({ "agents/second/agent.tsx": bakery.replace("class Bakery", "class Second") });
		expect((await starts(["build"], shop).ended).code).toBe(0);
		rmSync(join(shop.folder, "agents/second"), { recursive: true });
		expect((await starts(["build"], shop).ended).code).toBe(0);
		expect(existsSync(join(shop.folder, "dist/agents/bakery/agent.js"))).toBe(true);
		expect(existsSync(join(shop.folder, "dist/agents/second"))).toBe(false);
	});

	it("build prints what the compiler says, writes nothing, and exits with 1", async () => {
		const shop = shopWith({ "agents/bakery/agent.tsx": bakery.replace('stage: "order" })', 'stage: "ordr" })') });
		const { code, out, err } = await starts(["build"], shop).ended;
		expect({ code, out }).toEqual({ code: 1, out: "" });
		expect(err).toMatch(/agents\/bakery\/agent\.tsx:\d+: .*"ordr".*/);
		expect((await starts(["start"], shop, { CALLBOARD_SECRET: secret }).ended).err).toContain("callboard build");
	});

	it("build refuses what no model could call, and exits with 1", async () => {
		const shop = shopWith({
			"agents/bakery/agent.tsx": bakery.replace("order(count: number)", "order(count: unknown)"),
		});
		const { code, err } = await starts(["build"], shop).ended;
		expect(code).toBe(1);
		expect(err).toMatch(/^callboard: agents\/bakery\/agent\.tsx:\d+: .*count.*\n$/);
	});
});
