import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { exampleEnv, readConfig } from "../../src/config.js";
import { variables } from "../../src/config-variables.js";
import { CallboardError } from "../../src/errors.js";

const folders: string[] = [];
function project(env?: string): string {
	const root = mkdtempSync(join(tmpdir(), "callboard-config-"));
	folders.push(root);
	if (env !== undefined) writeFileSync(join(root, ".env"), env);
	return root;
}
afterEach(() => {
	for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function refusal(env: string | undefined, environment: Record<string, string> = {}): CallboardError {
	try {
		readConfig({ root: project(env), environment });
	} catch (error) {
		if (error instanceof CallboardError) return error;
		throw error;
	}
	throw new Error("it was accepted");
}

describe("settings", () => {
	it("have defaults for all that can have one", () => {
		const root = project();
		expect(readConfig({ root, environment: {} })).toEqual({
			key: expect.any(Function),
			root,
			port: 3000,
			host: "127.0.0.1",
			trustProxy: 0,
			backend: "embedded",
			redisUrls: undefined,
			concurrency: 200,
			data: join(root, ".callboard"),
			model: { apiKey: undefined, baseURL: undefined, name: "gpt-4.1-mini", fallbacks: [] },
			secret: undefined,
			adminToken: undefined,
			traces: { endpoint: undefined, service: "callboard" },
			web: { title: undefined, accent: undefined },
			allowedOrigins: [],
			telegram: { token: undefined, webhook: undefined, apiRoot: undefined },
			agent: undefined,
			log: "info",
			timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
			debug: false,
		});
	});

	it("come from .env, the environment wins, and an empty value is none", () => {
		const root = project(
			'PORT=4000\nexport HOST="0.0.0.0"\n# a comment\n\nCALLBOARD_FALLBACK_MODELS=a, b,\nCALLBOARD_LOG=\n',
		);
		const config = readConfig({ root, environment: { PORT: "5000", HOST: "" } });
		expect(config).toMatchObject({ port: 5000, host: "0.0.0.0", log: "info", model: { fallbacks: ["a", "b"] } });
	});

	it("use redis when its URL is given, unless the backend is named", () => {
		const root = project("REDIS_URL=redis://127.0.0.1:6379");
		expect(readConfig({ root, environment: {} }).backend).toBe("redis");
		expect(readConfig({ root, environment: { CALLBOARD_BACKEND: "embedded" } }).backend).toBe("embedded");
	});

	it("take several nodes of a Redis Cluster, with commas between them and in a password", () => {
		const nodes = ["redis://:a,b@10.0.0.1:6379", "rediss://10.0.0.2:6380"];
		const { redisUrls } = readConfig({ root: project(`REDIS_URL=${nodes.join(", ")}`), environment: {} });
		expect(redisUrls).toEqual(nodes);
		expect(refusal(undefined, { REDIS_URL: `${nodes[0]},10.0.0.2` }).message).toContain("must be a URL");
	});

	it("are refused all in one message, each with its place and what it must be", () => {
		const error = refusal("\nPORT=80a\nCALLBOARD_TZ=Mars/Base\n", { CALLBOARD_LOG: "loud" });
		expect(error.code).toBe("BAD_SETTINGS");
		expect(error.explain()).toBe(
			'.env:2: PORT must be a whole number from 0 to 65535, not "80a"; ' +
				'.env:3: CALLBOARD_TZ must be a time zone, such as Europe/Madrid, not "Mars/Base"; ' +
				'CALLBOARD_LOG must be debug, info, warn, error or silent, not "loud"; every setting is explained in .env.example',
		);
	});

	it("take no fewer than one turn at once, and no more than a process can hold", () => {
		for (const count of ["0", "10001", "-1", "2.5", "many"]) {
			expect(refusal(undefined, { CALLBOARD_CONCURRENCY: count }).explain()).toBe(
				`CALLBOARD_CONCURRENCY must be a whole number from 1 to 10000, not "${count}"; every setting is explained in .env.example`,
			);
		}
		expect(readConfig({ root: project(), environment: { CALLBOARD_CONCURRENCY: "10000" } }).concurrency).toBe(10_000);
	});

	it("show no secret when they are refused", () => {
		const error = refusal(undefined, {
			OPENAI_API_KEY: "sk secret-words",
			CALLBOARD_SECRET: "short-secret",
			REDIS_URL: "http://user:password@host",
			OPENAI_BASE_URL: "ftp://user:password@host",
		});
		expect(error.explain()).not.toMatch(/secret-words|short-secret|password/);
		expect(error.message.match(/must be/g)).toHaveLength(4);
	});

	it("point at the line of .env that is not a setting, and say what to write", () => {
		expect(refusal("PORT=3000\nOPENAI_API_KEY: sk-1\n").explain()).toBe(
			".env:2: this line is not a setting; write NAME=value, or begin it with # to make it a comment",
		);
		expect(refusal('PORT=3000\nHOST="0.0.0.0\n').explain()).toBe(
			'.env:2: the quote " is never closed; end the value with "',
		);
	});

	it("are read from a file with a byte order mark and Windows line ends", () => {
		const config = readConfig({ root: project("\ufeffPORT=81\r\nHOST=0.0.0.0\r\n"), environment: {} });
		expect([config.port, config.host]).toEqual([81, "0.0.0.0"]);
	});

	it("say of a .env that is no readable text what it is", () => {
		const folder = project();
		mkdirSync(join(folder, ".env"));
		expect(() => readConfig({ root: folder, environment: {} })).toThrow(
			expect.objectContaining({ code: "BAD_ENV_FILE", where: join(folder, ".env"), message: "it cannot be read" }),
		);
		const wide = project();
		writeFileSync(join(wide, ".env"), Buffer.from("\ufeffPORT=81\r\n", "utf16le"));
		expect(() => readConfig({ root: wide, environment: {} })).toThrow(
			expect.objectContaining({ code: "BAD_ENV_FILE", message: "it is not UTF-8 text" }),
		);
	});

	it("accept a value of several lines in quotes", () => {
		expect(readConfig({ root: project('OTHER="one\ntwo"\nPORT=81\n'), environment: {} }).port).toBe(81);
	});

	it("notice a misspelled name, and leave other people's variables alone", () => {
		expect(refusal("CALLBOARD_MODLE=x", { CALLBOARD_SECRETS: "y" }).explain()).toContain(
			"CALLBOARD_SECRETS is no setting, did you mean CALLBOARD_SECRET?; .env:1: CALLBOARD_MODLE is no setting, did you mean CALLBOARD_MODEL?",
		);
		expect(readConfig({ root: project("MY_DATABASE=x"), environment: { CALLBOARD_FUTURE: "1" } }).port).toBe(3000);
	});

	it.each(["example.org", "https://example.org/path", "https://example.org,http://b/"])(
		"refuse %s as an origin",
		(origins) => {
			expect(refusal(undefined, { CALLBOARD_ALLOWED_ORIGINS: origins }).message).toContain(
				"origins separated by commas",
			);
		},
	);

	it("accept origins with a port, with a star for the sub-domains, and a star for all", () => {
		const environment = { CALLBOARD_ALLOWED_ORIGINS: "https://example.org:8443, https://*.example.org, *" };
		expect(readConfig({ root: project(), environment }).allowedOrigins).toHaveLength(3);
	});

	it("take the title and the accent of the web chat, and refuse what is no colour", () => {
		const root = project('CALLBOARD_TITLE="Clínica Norte"\nCALLBOARD_ACCENT="#7C3aed"\n');
		expect(readConfig({ root, environment: {} }).web).toEqual({ title: "Clínica Norte", accent: "#7C3aed" });
		for (const accent of ["purple", "7c3aed", "#7c3aed; } body {", "url(https://example.org)"]) {
			expect(refusal(undefined, { CALLBOARD_ACCENT: accent }).message).toMatch(/^CALLBOARD_ACCENT must be a colour/);
		}
	});

	it("say that a # without quotes begins a comment, which would leave the setting empty", () => {
		expect(refusal("PORT=81\nCALLBOARD_ACCENT=#7c3aed\n").explain()).toBe(
			'.env:2: behind # stands a comment, so CALLBOARD_ACCENT is empty; put quotes around it: CALLBOARD_ACCENT="#…"',
		);
		expect(readConfig({ root: project("OTHER=#1\nCALLBOARD_LOG= # as it is\n"), environment: {} }).log).toBe("info");
	});

	it("stand in .env.example, every one, commented, with its default", () => {
		const example = readFileSync(new URL("../../.env.example", import.meta.url), "utf8");
		expect(example).toBe(exampleEnv());
		for (const { name, default: value } of variables) expect(example).toContain(`\n#${name}=${value}\n`);
		expect(readConfig({ root: project(example.replace(/^#(?=[A-Z])/gm, "")), environment: {} })).toMatchObject({
			port: 3000,
			backend: "embedded",
		});
	});
});
