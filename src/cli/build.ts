import { cpSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { AgentDeclaration } from "../agent/declaration.js";
import { agentFiles, jsxSettings, loadAgents } from "../agent/load.js";
import { readTypeScript } from "../agent/read-typescript.js";
import { readConfig } from "../config.js";
import { CallboardError } from "../errors.js";
import { buildManifest, writeManifest } from "../schema/manifest-file.js";
import { counted } from "./counted.js";
import { builtFolder, manifestName } from "./project-agents.js";
import type { ExitCode, Shell } from "./shell.js";

/**
 * `callboard build`: reads the agents with the compiler, prints its complaints, refuses what could not work, and writes
 * the manifest and the compiled agents into `dist/`, so that production needs neither the compiler nor a loader.
 */
export async function build(shell: Shell): Promise<ExitCode> {
	const { root } = readConfig({ root: shell.cwd });
	try {
		const files = agentFiles(root);
		const { manifest, typeMistakes } = await buildManifest({ root, files }, { types: true });
		const unset = typeMistakes.find(({ text }) => /'--jsx' flag|'react\/jsx-runtime'/.test(text));
		if (unset !== undefined) {
			throw new CallboardError("NO_JSX", "author", "tsconfig.json does not say what becomes of JSX", {
				where: `${unset.file}:${unset.line}`,
				next: `set ${jsxSettings} in it`,
			});
		}
		for (const { file, line, text } of typeMistakes) shell.err(`${file}:${line}: ${text}`);
		if (typeMistakes.length > 0) {
			shell.err("callboard: the compiler complains, so nothing was written; correct the lines above");
			return 1;
		}
		await readTypeScript();
		const agents = await loadAgents({ root });
		for (const { warnings } of agents) for (const warning of warnings) shell.err(`warning: ${warning}`);
		const folder = join(root, builtFolder);
		mkdirSync(folder, { recursive: true });
		// An agent that is gone or has another name would still be found there.
		rmSync(join(folder, "agents"), { recursive: true, force: true });
		await compile(root, files, folder);
		writeManifest(join(folder, manifestName), manifest);
		shell.out(`built ${agents.map(summary).join(", ")} into ${builtFolder}/`);
		return 0;
	} catch (error) {
		if (!(error instanceof CallboardError) || error.fault !== "author") throw error;
		shell.err(`callboard: ${error.explain()}`);
		return 1;
	}
}

function summary({ name, tools, stages }: AgentDeclaration): string {
	const counts = [counted(tools, "tool"), ...(stages === undefined ? [] : [counted(stages.values, "stage")])];
	return `${name} (${counts.join(", ")})`;
}

/** Compiles the agents with what they share; packages stay outside, and files that are no code are copied beside them. */
async function compile(root: string, files: readonly string[], folder: string): Promise<void> {
	const { build: bundle } = await import("esbuild");
	await bundle({
		absWorkingDir: root,
		entryPoints: [...files],
		outdir: folder,
		outbase: root,
		chunkNames: "agents/shared-[hash]",
		bundle: true,
		splitting: true,
		packages: "external",
		platform: "node",
		format: "esm",
		target: "es2022",
		keepNames: true,
		sourcemap: true,
		logLevel: "silent",
	});
	for (const source of files.map((file) => dirname(file))) {
		const target = join(folder, relative(root, source));
		cpSync(source, target, {
			recursive: true,
			filter: (path) => !/\.[cm]?[jt]sx?$/.test(path) && !path.includes(`${sep}node_modules`),
		});
	}
}
