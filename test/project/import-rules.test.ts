import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** Higher numbers may import lower ones. The longest matching prefix decides. */
const LEVELS: readonly (readonly [prefix: string, level: number])[] = [
	["src/errors.ts", 0],
	["src/clock.ts", 0],
	["src/config.ts", 0],
	["src/config-variables.ts", 0],
	["src/observe/", 0],
	["src/call/", 1],
	["src/channel/", 1],
	["src/model/", 1],
	["src/engine/backend.ts", 1],
	["src/engine/news.ts", 1],
	["src/engine/share-terms.ts", 1],
	["src/agent/", 2],
	["src/schema/", 2],
	["src/prompt/", 3],
	["src/path/", 3],
	["src/turn/", 4],
	["src/engine/", 5],
	["src/cli/", 6],
	["src/gateway/", 6],
	["src/testing/", 6],
	["src/index.ts", 7],
];

/** Packages that only some places may import. */
const FENCED: readonly (readonly [packages: RegExp, allowed: RegExp, why: string])[] = [
	[/^typescript(\/|$)/, /^src\/schema\/signature\.ts$/, "only schema/signature.ts knows the compiler"],
	[/^(bullmq|ioredis)(\/|$)/, /^src\/engine\/redis\//, "only engine/redis speaks to Redis"],
	[
		/^openai(\/|$)/,
		/^src\/(model\/|testing\/model-server\.ts)/,
		"only model/ and its stand-in speak the model's protocol",
	],
	[/^lmdb(\/|$)|^libsql(\/|$)/, /^src\/engine\/embedded\//, "only engine/embedded opens the embedded store"],
	[/^pino(\/|$)/, /^src\/observe\//, "only observe/ writes logs"],
	[/^(prom-client|@opentelemetry)(\/|$)/, /^src\/observe\//, "only observe/ counts and traces"],
	[/^@bull-board(\/|$)/, /^src\/gateway\//, "only gateway/ shows the queue page"],
	[/^commander(\/|$)/, /^src\/cli\//, "only cli/ reads the command line"],
	[/^(grammy|@slack\/bolt|whatsapp-web\.js)(\/|$)/, /^channels\//, "platform clients belong to their channel"],
	[/^vitest(\/|$)|^playwright/, /^src\/testing\/|\.test\.tsx?$/, "test libraries belong to testing/ and to tests"],
];

interface Import {
	from: string;
	specifier: string;
	target: string | undefined;
}

function sources(folder: string): string[] {
	return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
		.filter((name) => /\.tsx?$/.test(name))
		.map((name) => join(folder, name));
}

function importsOf(file: string): Import[] {
	const text = readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
	const found = text.matchAll(/(?:\bfrom\s*|\bimport\s*\(\s*|^\s*import\s+)["']([^"']+)["']/gm);
	return [...found].map(([, specifier = ""]) => ({
		from: file,
		specifier,
		target: specifier.startsWith(".")
			? relative(root, resolve(root, dirname(file), specifier)).replace(/\.js$/, ".ts")
			: undefined,
	}));
}

function levelOf(file: string): number | undefined {
	const match = LEVELS.filter(([prefix]) => file.startsWith(prefix)).sort((a, b) => b[0].length - a[0].length)[0];
	return match?.[1];
}

const src = sources("src").flatMap(importsOf);
const channels = sources("channels").flatMap(importsOf);
const agents = sources("agents").flatMap(importsOf);
const show = (i: Import) => `${i.from} imports ${i.specifier}`;

test("the rules look at something", () => {
	expect(src.length).toBeGreaterThan(50);
});

test("every source file has a level", () => {
	expect(sources("src").filter((file) => levelOf(file) === undefined)).toEqual([]);
});

test("inside src, arrows point down", () => {
	const up = src.filter((i) => {
		if (i.target === undefined) return false;
		const [from, to] = [levelOf(i.from), levelOf(i.target.replace(/\.jsx$/, ".tsx"))];
		return from !== undefined && to !== undefined && to > from;
	});
	expect(up.map(show)).toEqual([]);
});

test("src never imports channels or agents by path", () => {
	expect(src.filter((i) => i.target !== undefined && !i.target.startsWith("src/")).map(show)).toEqual([]);
});

test("only cli/doors.ts names the channels", () => {
	const named = src.filter((i) => i.specifier.startsWith("callboard/channels"));
	expect(named.filter((i) => i.from !== "src/cli/doors.ts").map(show)).toEqual([]);
});

test("a channel imports only the channel contract, errors, clock and the plain data of calls", () => {
	const allowed = /^(channels\/|src\/(channel\/|errors\.ts|clock\.ts|call\/|observe\/log\.ts))/;
	const foreign = channels.filter((i) => {
		if (i.target === undefined) return false;
		const own = i.from.split("/").slice(0, 2).join("/");
		return !allowed.test(i.target) || (i.target.startsWith("channels/") && !i.target.startsWith(`${own}/`));
	});
	expect(foreign.map(show)).toEqual([]);
});

test("an example agent imports only what a user can import", () => {
	const inside = agents.filter((i) => i.target !== undefined && !i.target.startsWith("agents/"));
	expect(inside.map(show)).toEqual([]);
});

test.each(FENCED.map(([packages, allowed, why]) => ({ packages, allowed, why })))("$why", ({ packages, allowed }) => {
	const outside = [...src, ...channels, ...agents].filter((i) => packages.test(i.specifier) && !allowed.test(i.from));
	expect(outside.map(show)).toEqual([]);
});

test("only config.ts reads the environment, only clock.ts the time", () => {
	const offenders = [...sources("src"), ...sources("channels")].flatMap((file) => {
		const text = readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
		const found: string[] = [];
		if (/\bprocess\.env\b/.test(text) && file !== "src/config.ts") found.push(`${file}: process.env`);
		const timed = /\bDate\.now\(|\bnew Date\(\)|\bsetTimeout\(|\bsetInterval\(/.test(text);
		const may = file === "src/clock.ts" || file.startsWith("channels/web/client/");
		if (timed && !may) found.push(`${file}: reads the time`);
		return found;
	});
	expect(offenders).toEqual([]);
});

test("files are small and named", () => {
	const all = [...sources("src"), ...sources("channels"), ...sources("agents")];
	const long = all.filter((file) => readFileSync(join(root, file), "utf8").split("\n").length > 401);
	const vague = all.filter((file) => /(^|\/)(types|utils|helpers|common|misc)\.tsx?$/.test(file));
	expect({ long, vague }).toEqual({ long: [], vague: [] });
});
