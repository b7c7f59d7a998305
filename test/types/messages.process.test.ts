import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");

/** What the compiler prints about one file that uses the package. */
async function complaints(source: string): Promise<string> {
	const folder = mkdtempSync(join(repository, "node_modules/.callboard-types-"));
	try {
		writeFileSync(join(folder, "agent.tsx"), source);
		writeFileSync(
			join(folder, "tsconfig.json"),
			JSON.stringify({
				extends: join(repository, "tsconfig.json"),
				compilerOptions: { paths: { callboard: [join(repository, "src/index.ts")] } },
				include: ["agent.tsx"],
			}),
		);
		const tsc = join(repository, "node_modules/typescript/bin/tsc");
		await promisify(execFile)(process.execPath, [tsc, "-p", folder]);
		return "";
	} catch (error) {
		return (error as { stdout: string }).stdout;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

test("case 1: a misspelled stage is a compile error that suggests the right one", async () => {
	const said = await complaints(`import { Agent, type Stages, tool } from "callboard";
export class Desk extends Agent {
	stage: Stages<"greet" | "quote"> = "greet";
	@tool({ stage: "qoute" }) slots() {}
}
`);
	expect(said).toContain("Did you mean '\"quote\"'?");
	expect(said.match(/agent\.tsx\(\d+,\d+\): error TS/g)).toHaveLength(1);
});

test("case 2: a stage on a class without one is a compile error that says what to add", async () => {
	const said = await complaints(`import { Agent, tool } from "callboard";
export class Desk extends Agent {
	@tool({ stage: "quote" }) slots() {}
}
`);
	expect(said).toContain("this class has no stage field; add to it: stage: Stages<…> = …");
	expect(said.match(/agent\.tsx\(\d+,\d+\): error TS/g)).toHaveLength(1);
});
