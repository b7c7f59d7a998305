import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
	agentInManifest,
	buildManifest,
	loadManifest,
	manifestText,
	readManifest,
	writeManifest,
} from "../../src/schema/manifest-file.js";
import { inProject, repository, write } from "./in-folder.js";

const agent = `import { Agent, tool } from "callboard";
import type { Day } from "./day.js";
/** Day by day. */
export default class Daily extends Agent {
	/** Picks a day. */
	@tool() pick(day: Day) { return day; }
}`;
const files = { "agents/daily/agent.ts": agent, "agents/daily/day.ts": 'export type Day = "tue" | "mon";' };
const wanted = (root: string) => ({ root, files: ["agents/daily/agent.ts"] });
const PATH = "dist/callboard.manifest.json";

describe("a manifest", { timeout: 60_000 }, () => {
	test("the same sources give the same bytes, with nothing of the time or the machine in them", async () => {
		const texts = await Promise.all(
			[1, 2].map(() =>
				inProject(files, async (root) => {
					const { manifest } = await buildManifest(wanted(root));
					expect(manifestText(manifest)).not.toContain(root);
					return manifestText(manifest);
				}),
			),
		);
		expect(texts[0]).toBe(texts[1]);
		expect(JSON.parse(texts[0] ?? "")).toMatchObject({
			version: 1,
			digest: expect.stringMatching(/^[0-9a-f]{64}$/),
			files: ["agents/daily/agent.ts", "agents/daily/day.ts"],
			agents: { Daily: { file: "agents/daily/agent.ts", tools: { pick: { at: "agents/daily/agent.ts:6" } } } },
		});
	});

	test("a manifest is read back as it was written", async () => {
		await inProject(files, async (root) => {
			const { manifest } = await buildManifest(wanted(root));
			write(root, PATH, "");
			writeManifest(join(root, PATH), manifest);
			expect(readManifest(join(root, PATH))).toEqual(manifest);
			expect(readdirSync(join(root, "dist"))).toEqual(["callboard.manifest.json"]);
		});
	});

	test("in development the cached manifest is reused until a source changes, also an imported one", async () => {
		await inProject(files, async (root) => {
			const first = await loadManifest(wanted(root));
			const cache = join(root, "node_modules/.cache/callboard");
			const [name = ""] = readdirSync(cache);
			// Mark the cached one, so that it can be told from one read anew.
			const marked = readFileSync(join(cache, name), "utf8").replace("Day by day.", "From the cache.");
			write(cache, name, marked);
			expect((await loadManifest(wanted(root))).agents.Daily?.doc).toBe("From the cache.");

			write(root, "agents/daily/day.ts", 'export type Day = "tue" | "mon" | "wed";');
			const after = await loadManifest(wanted(root));
			expect(after.agents.Daily?.doc).toBe("Day by day.");
			expect(after.digest).not.toBe(first.digest);
			expect(after.agents.Daily?.tools.pick?.parameters?.properties).toEqual({
				day: { type: "string", enum: ["tue", "mon", "wed"] },
			});
		});
	});

	test("in development a changed tsconfig or a damaged cache is read anew", async () => {
		const tsconfig = (strict: boolean) =>
			JSON.stringify({
				compilerOptions: { module: "nodenext", target: "es2022", lib: ["es2023", "esnext.decorators"], strict },
			});
		await inProject({ ...files, "tsconfig.json": tsconfig(true) }, async (root) => {
			await loadManifest(wanted(root));
			const cache = join(root, "node_modules/.cache/callboard");
			const [name = ""] = readdirSync(cache);
			const mark = () =>
				write(cache, name, readFileSync(join(cache, name), "utf8").replace("Day by day.", "From the cache."));
			mark();
			write(root, "tsconfig.json", tsconfig(false));
			expect((await loadManifest(wanted(root))).agents.Daily?.doc).toBe("Day by day.");
			mark();
			expect((await loadManifest(wanted(root))).agents.Daily?.doc).toBe("From the cache.");
			write(cache, name, '{"manifest":');
			expect((await loadManifest(wanted(root))).agents.Daily?.doc).toBe("Day by day.");
		});
	});

	test("in development what is installed anew is read anew, and a class that is no agent for want of it is not kept", async () => {
		const broken = { ...files, "node_modules/callboard/index.ts": "export class Other {}" };
		await inProject(broken, async (root) => {
			expect((await loadManifest(wanted(root))).agents).toEqual({});
			expect(existsSync(join(root, "node_modules/.cache"))).toBe(false);
		});
		await inProject({ ...files, "node_modules/.package-lock.json": "1" }, async (root) => {
			await loadManifest(wanted(root));
			const cache = join(root, "node_modules/.cache/callboard");
			const [name = ""] = readdirSync(cache);
			write(cache, name, readFileSync(join(cache, name), "utf8").replace("Day by day.", "From the cache."));
			expect((await loadManifest(wanted(root))).agents.Daily?.doc).toBe("From the cache.");
			write(root, "node_modules/.package-lock.json", "2");
			expect((await loadManifest(wanted(root))).agents.Daily?.doc).toBe("Day by day.");
		});
	});

	test("a cache that cannot be written is no failure", async () => {
		await inProject({ ...files, blocked: "a file where a folder is wanted" }, async (root) => {
			const manifest = await loadManifest({ ...wanted(root), cache: "blocked" });
			expect(Object.keys(manifest.agents)).toEqual(["Daily"]);
		});
	});

	test("a built manifest is read while it fits, and refused when a source beside it has changed", async () => {
		await inProject(files, async (root) => {
			const { manifest } = await buildManifest(wanted(root));
			write(
				root,
				PATH,
				manifestText({ ...manifest, agents: { Daily: { ...agentInManifest(manifest, "Daily"), doc: "Built." } } }),
			);
			expect((await loadManifest({ ...wanted(root), manifest: PATH })).agents.Daily?.doc).toBe("Built.");

			write(root, "agents/daily/day.ts", 'export type Day = "tue";');
			await expect(loadManifest({ ...wanted(root), manifest: PATH })).rejects.toMatchObject({
				code: "STALE_MANIFEST",
				fault: "author",
				message: "the manifest no longer fits the sources of Daily",
				next: "run `callboard build` again",
			});
			rmSync(join(root, "agents/daily/day.ts"));
			await expect(loadManifest({ ...wanted(root), manifest: PATH })).rejects.toMatchObject({ code: "STALE_MANIFEST" });
		});
	});

	test("where the sources are not shipped, the built manifest is taken as it is", async () => {
		await inProject(files, async (root) => {
			const { manifest } = await buildManifest(wanted(root));
			write(root, PATH, manifestText(manifest));
			rmSync(join(root, "agents"), { recursive: true });
			expect(await loadManifest({ ...wanted(root), manifest: PATH })).toEqual(manifest);
		});
	});

	test("without a built manifest at the given place the sources are read", async () => {
		await inProject(files, async (root) => {
			expect(Object.keys((await loadManifest({ ...wanted(root), manifest: PATH })).agents)).toEqual(["Daily"]);
			expect(existsSync(join(root, PATH))).toBe(false);
		});
	});

	test.each([
		["is cut", '{"version":1,'],
		["is of another version", '{"version":2,"digest":"","files":[],"agents":{}}'],
		["lacks a part", '{"version":1,"digest":"","files":[]}'],
	])("a manifest that %s is refused with the command that writes it anew", async (_how, text) => {
		await inProject({ [PATH]: text }, async (root) => {
			await expect(loadManifest({ ...wanted(root), manifest: PATH })).rejects.toMatchObject({
				code: "BAD_MANIFEST",
				where: join(root, PATH),
				next: "run `callboard build` again",
			});
		});
	});

	test("a class that the manifest does not know is refused by name", async () => {
		const { manifest } = await buildManifest({ root: repository, files: ["test/schema/fixtures/clinic/clinic.tsx"] });
		expect(agentInManifest(manifest, "Clinic").stages).toHaveLength(4);
		expect(() => agentInManifest(manifest, "toString")).toThrow("the manifest knows Clinic, and not toString");
		expect(() => agentInManifest({ ...manifest, agents: {} }, "Clinic")).toThrow(
			"the compiler does not see that Clinic extends the Agent of callboard",
		);
		expect(() => agentInManifest(manifest, "Desk")).toThrow(
			expect.objectContaining({ code: "NOT_IN_MANIFEST", next: "run `callboard build` with the file of Desk" }),
		);
	});

	test("what the compiler has against a file is told when it is asked", async () => {
		const typo = agent.replace("return day;", "return dya;");
		await inProject({ ...files, "agents/daily/agent.ts": typo }, async (root) => {
			expect((await buildManifest(wanted(root))).typeMistakes).toEqual([]);
			const { typeMistakes } = await buildManifest(wanted(root), { types: true });
			expect(typeMistakes).toEqual([
				{ file: "agents/daily/agent.ts", line: 6, code: "TS2304", text: "Cannot find name 'dya'." },
			]);
		});
	});
});
