import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RedisServer } from "../redis/redis-server.js";

const root = resolve(import.meta.dirname, "../..");
const home = mkdtempSync(join(tmpdir(), "callboard-pack-"));
const env = { ...process.env, NO_COLOR: "1", OPENAI_API_KEY: "", REDIS_URL: "" };

function run(command: string, ...args: string[]): string {
	return execFileSync(command, args, { cwd: home, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

beforeAll(() => {
	execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", home], { cwd: root, stdio: "ignore" });
	const tarball = readdirSync(home).find((name) => name.endsWith(".tgz"));
	writeFileSync(
		join(home, "package.json"),
		JSON.stringify({ name: "empty", private: true, type: "module", dependencies: { callboard: `file:${tarball}` } }),
	);
	run("npm", "install", "--prefer-offline", "--no-audit", "--no-fund");
	writeFileSync(
		join(home, "tsconfig.json"),
		JSON.stringify({
			compilerOptions: {
				target: "es2022",
				lib: ["es2023", "esnext.decorators"],
				module: "nodenext",
				strict: true,
				jsx: "react-jsx",
				jsxImportSource: "callboard",
				skipLibCheck: false,
				noEmit: true,
				types: ["node"],
			},
			include: ["agents"],
		}),
	);
	cpSync(join(root, "agents"), join(home, "agents"), { recursive: true, filter: (path) => !path.includes(".test.") });
}, 180_000);

afterAll(() => rmSync(home, { recursive: true, force: true }));

test("the packed package resolves in an empty project, every public entry of it", () => {
	const entries = [
		"callboard",
		"callboard/jsx-runtime",
		"callboard/testing",
		"callboard/channels/web",
		"callboard/channels/terminal",
	];
	const script = entries.map((entry) => `await import(${JSON.stringify(entry)})`).join(";");
	expect(run(process.execPath, "--input-type=module", "-e", `${script};console.log("resolved")`)).toContain("resolved");
});

test("an agent that imports it type-checks, in strict mode, library types included", () => {
	symlinkSync(join(root, "node_modules/typescript"), join(home, "node_modules/typescript"));
	symlinkSync(join(root, "node_modules/@types"), join(home, "node_modules/@types"));
	expect(run(process.execPath, join(root, "node_modules/typescript/bin/tsc"))).toBe("");
});

test("its command holds a conversation with the scripted demo, with no key and no server", () => {
	const said = run("npx", "callboard", "chat", "--agent", "clinica-norte", "--say", "Ana Ruiz, 600 111 222");
	expect(said).toContain("Ana");
});

test("a test runner that knows no TypeScript gets its agent by path", () => {
	const script = `
		import { converse } from "callboard/testing";
		const call = await converse({ agent: "agents/clinica-norte/agent.tsx", script: { rules: [], otherwise: "Yes?" } });
		console.log(await call.says("hello"));
		await call.end();`;
	expect(run(process.execPath, "--input-type=module", "-e", script)).toContain("Yes?");
});

test('a project without "type": "module" is told to write it', () => {
	const manifest = readFileSync(join(home, "package.json"), "utf8");
	writeFileSync(join(home, "package.json"), manifest.replace('"type":"module",', ""));
	try {
		expect(() => run("npx", "callboard", "chat", "--say", "hello")).toThrow(
			/agents\/clinica-norte\/agent\.tsx is read as CommonJS.*; write "type": "module" into package\.json/,
		);
	} finally {
		writeFileSync(join(home, "package.json"), manifest);
	}
});

test("it serves over Redis without the optional packages, and says what each would be for", async () => {
	const server = await RedisServer.start({ aof: true });
	const settings = {
		REDIS_URL: server.url,
		PORT: "0",
		CALLBOARD_SECRET: "0123456789abcdef0123456789abcdef",
		CALLBOARD_ADMIN_TOKEN: "an-admin-token-of-32-characters-!",
		OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
	};
	run("npx", "callboard", "build");
	const main = join(home, "node_modules/callboard/dist/src/cli/main.js");
	const child = spawn(process.execPath, [main, "start", "--demo"], { cwd: home, env: { ...env, ...settings } });
	try {
		let out = "";
		const ended = once(child, "exit");
		for await (const piece of child.stdout) {
			out += piece;
			if (out.includes("process.started")) break;
		}
		const lines = out
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line) as { event: string; next?: string; url?: string; backend?: string });
		const said = (event: string) => lines.find((line) => line.event === event);
		expect(said("traces.not_sent")?.next).toContain("npm install @opentelemetry/sdk-trace-node");
		expect(said("admin.no_queue_page")?.next).toBe("npm install @bull-board/api @bull-board/hono");
		expect(said("process.started")).toMatchObject({ backend: "redis" });
		expect((await fetch(`${said("process.started")?.url}/ready`)).status).toBe(200);
		child.kill("SIGTERM");
		expect(await ended).toEqual([0, null]);
		const telegram = { ...settings, TELEGRAM_TOKEN: "42:TEST" };
		expect(() =>
			execFileSync(process.execPath, [main, "dev", "--door", "telegram"], {
				cwd: home,
				env: { ...env, ...telegram },
				stdio: "pipe",
			}),
		).toThrow(/the Telegram door needs the package grammy; npm install grammy@/);
	} finally {
		child.kill("SIGKILL");
		await server.dispose();
	}
}, 120_000);
