import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { buildManifest, manifestText } from "../../src/schema/manifest-file.js";
import { inProject, repository, write } from "./in-folder.js";

const run = promisify(execFile);
const fixture = (name: string) => join(repository, "test/schema/fixtures", name);
const PATH = "dist/callboard.manifest.json";
const files = {
	"agents/daily/agent.ts": `import { Agent, tool } from "callboard";
		/** Day by day. */
		export default class Daily extends Agent {
			/** Picks a day. */
			@tool() pick(day: "tue" | "mon") { return day; }
		}`,
};

/** What a server without TypeScript says of the agent in `root`. */
async function inProduction(root: string): Promise<unknown> {
	const withoutCompiler = pathToFileURL(fixture("without-compiler.mjs")).href;
	const args = ["--import", "tsx", "--import", withoutCompiler, fixture("production.ts"), root, PATH];
	const { stdout, stderr } = await run(process.execPath, args, { cwd: repository });
	expect(stderr).toBe("");
	return JSON.parse(stdout);
}

test("a server with a built manifest needs no compiler", async () => {
	await inProject(files, async (root) => {
		const { manifest } = await buildManifest({ root, files: ["agents/daily/agent.ts"] });
		write(root, PATH, manifestText(manifest));
		expect(await inProduction(root)).toEqual({
			doc: "Day by day.",
			good: { ok: true, value: { day: "tue" } },
			bad: {
				ok: false,
				issues: [
					{ path: "x", expected: "only day", got: "an unknown member" },
					{ path: "day", expected: 'one of "tue", "mon"', got: "a number" },
				],
			},
		});
	});
});

test("a server with neither manifest nor compiler says what to install or to run", async () => {
	await inProject(files, async (root) => {
		expect(await inProduction(root)).toEqual({
			code: "NO_COMPILER",
			message: "TypeScript 7.0 is needed to read the agents' signatures",
			next: "run `npm install --save-dev --save-exact typescript@7.0.2`, or run `callboard build` where it is installed and ship its manifest",
		});
	});
});

test("a server with a stale manifest stops and names the class", async () => {
	await inProject(files, async (root) => {
		const { manifest } = await buildManifest({ root, files: ["agents/daily/agent.ts"] });
		write(root, PATH, manifestText(manifest));
		write(root, "agents/daily/agent.ts", files["agents/daily/agent.ts"].replace('"mon"', '"wed"'));
		expect(await inProduction(root)).toEqual({
			code: "STALE_MANIFEST",
			message: "the manifest no longer fits the sources of Daily",
			next: "run `callboard build` again",
		});
	});
});
