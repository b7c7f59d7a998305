import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildSync } from "esbuild";

const root = resolve(import.meta.dirname, "../..");

/** Makes one plain file of a program of this folder, packages and all, so that its processes start in a moment. */
export function bundle(program: string): string {
	const name = `chaos-${process.pid}-${program.replace(".ts", ".mjs")}`;
	const outfile = join(root, "node_modules/.cache/callboard-test", name);
	buildSync({
		entryPoints: [join(import.meta.dirname, program)],
		outfile,
		bundle: true,
		platform: "node",
		format: "esm",
		target: "es2022",
		external: ["lmdb"],
		banner: {
			js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
		},
		conditions: ["callboard-source"],
		alias: { callboard: join(root, "src/index.ts") },
	});
	process.once("exit", () => rmSync(outfile, { force: true }));
	return outfile;
}

/** Starts such a file with what it is to do; what it prints goes to `output`. */
export function startProgram(file: string, order: object, output: string): ChildProcess {
	const printed = openSync(output, "a");
	const child = spawn(process.execPath, [file, JSON.stringify(order)], {
		cwd: root,
		stdio: ["ignore", printed, printed, "ipc"],
	});
	closeSync(printed);
	return child;
}
