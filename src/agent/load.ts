import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { CallboardError } from "../errors.js";
import type { Manifest } from "../schema/manifest.js";
import { agentInManifest, loadManifest } from "../schema/manifest-file.js";
import { type AgentClass, isAgentClass } from "./agent.js";
import { nameOfClass } from "./author.js";
import type { AgentDeclaration } from "./declaration.js";
import { declare } from "./declare.js";

/** What an agent of the function-calling form answers to in place of being a class. */
const DECLARE = Symbol.for("callboard.declare");

/** What a project's tsconfig.json says so that JSX becomes text. */
export const jsxSettings = '"jsx": "react-jsx" and "jsxImportSource": "callboard"';

/** What Node says when a file of a package without `"type": "module"` imports this one. */
const readAsCommonJs = new Set<unknown>(["ERR_REQUIRE_CYCLE_MODULE", "ERR_REQUIRE_ESM", "ERR_REQUIRE_ASYNC_MODULE"]);

export interface LoadOptions {
	/** The project's folder, absolute. */
	root: string;
	/** Agent files, absolute or relative to `root`. Default: `agents/<name>/agent.tsx`, `.ts`, `.jsx` or `.js`. */
	files?: readonly string[];
	/** The manifest that `callboard build` wrote. Without it the sources are read with the compiler. */
	manifestPath?: string;
}

interface Found {
	file: string;
	/** Relative to the root, for messages. */
	shown: string;
	exported: AgentClass | { [DECLARE](): AgentDeclaration };
}

/**
 * Imports the agent files of a project and declares what they export by default: a class that extends `Agent`, or an
 * agent of `callboard()`.
 *
 * @throws CallboardError with fault `author`, one for the first thing wrong, with its file, its line where known and the
 * way out.
 */
export async function loadAgents(options: LoadOptions): Promise<readonly AgentDeclaration[]> {
	const files = (options.files ?? agentFiles(options.root)).map((file) => resolve(options.root, file));
	const found: Found[] = [];
	for (const file of files) found.push(await importAgent(file, shownPath(options.root, file)));
	const classes = found.filter(({ exported }) => isAgentClass(exported));
	const manifest = classes.length === 0 ? undefined : await manifestFor(options, classes);
	const declared = found.map((agent) => ({ ...agent, declaration: declaration(agent, manifest) }));
	for (const [index, { shown, declaration }] of declared.entries()) {
		const before = declared.slice(0, index).find((other) => other.declaration.name === declaration.name);
		if (before === undefined) continue;
		throw new CallboardError(
			"DUPLICATE_AGENT",
			"author",
			`${shown} and ${before.shown} both make the agent ${declaration.name}`,
			{
				where: shown,
				next: 'give one of them another name: static slug = "…"',
			},
		);
	}
	return declared.map(({ declaration, file }) => ({ ...declaration, folder: dirname(file) }));
}

/** The agent files of a project, sorted. */
export function agentFiles(root: string): readonly string[] {
	const folder = join(root, "agents");
	const names = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
	const files = names
		.map((name) =>
			["agent.tsx", "agent.ts", "agent.jsx", "agent.js"].map((file) => join(folder, name, file)).find(existsSync),
		)
		.filter((file) => file !== undefined)
		.sort();
	if (files.length > 0) return files;
	throw new CallboardError("NO_AGENTS", "author", `there is no agent in ${folder}`, {
		next: "write one in agents/<name>/agent.tsx, whose default export is a class that extends Agent",
	});
}

async function manifestFor({ root, manifestPath }: LoadOptions, classes: readonly Found[]): Promise<Manifest> {
	const files = classes.map(({ file }) => file);
	return loadManifest(manifestPath === undefined ? { root, files } : { root, files, manifest: manifestPath });
}

function declaration({ exported, file, shown }: Found, manifest: Manifest | undefined): AgentDeclaration {
	if (!isAgentClass(exported)) return exported[DECLARE]();
	if (/\bReact\.createElement\(/.test(Function.prototype.toString.call(exported))) throw compiledForReact(shown);
	return declare(exported, manifest && agentInManifest(manifest, nameOfClass(exported)), { file });
}

async function importAgent(file: string, shown: string): Promise<Found> {
	if (!existsSync(file)) {
		throw new CallboardError("NO_AGENT_FILE", "author", `there is no agent file ${shown}`, {
			where: file,
			next: "check the path",
		});
	}
	const { default: exported } = await imported(file, shown);
	if (isAgentClass(exported) || isDeclarable(exported)) return { file, shown, exported };
	const what = exported === undefined ? "has no default export" : "exports something by default that is no agent";
	throw new CallboardError("NO_AGENT", "author", `${shown} ${what}`, {
		where: shown,
		next: "write export default class ClinicaNorte extends Agent { … }, or export default an agent of callboard()",
	});
}

function isDeclarable(value: unknown): value is { [DECLARE](): AgentDeclaration } {
	return typeof value === "object" && value !== null && typeof Reflect.get(value, DECLARE) === "function";
}

async function imported(file: string, shown: string): Promise<{ default?: unknown }> {
	try {
		return await import(pathToFileURL(file).href);
	} catch (cause) {
		if (cause instanceof CallboardError) {
			const { code, fault, message, where = shown, next } = cause;
			throw new CallboardError(code, fault, message, next === undefined ? { where, cause } : { where, next, cause });
		}
		const text = cause instanceof Error ? cause.message : String(cause);
		if (cause instanceof ReferenceError && text.startsWith("React ")) throw compiledForReact(shown);
		if (/^Cannot find (package|module) 'react[/']/.test(text)) throw compiledForReact(shown);
		if (readAsCommonJs.has((cause as { code?: unknown } | null)?.code)) {
			throw new CallboardError("NOT_A_MODULE", "author", `${shown} is read as CommonJS, and agents are ES modules`, {
				where: shown,
				next: 'write "type": "module" into package.json',
				cause,
			});
		}
		const line = lineIn(cause, file);
		throw new CallboardError("BAD_AGENT_FILE", "author", `${shown} cannot be loaded: ${firstMistake(text, file)}`, {
			where: line === undefined ? shown : `${shown}:${line}`,
			next:
				cause instanceof SyntaxError && file.endsWith(".js")
					? "correct it; if it has decorators or JSX rename it to .jsx, for Node reads .js as it is"
					: "correct it and start again",
			cause,
		});
	}
}

function compiledForReact(shown: string): CallboardError {
	return new CallboardError("JSX_FOR_REACT", "author", `${shown} has JSX that was compiled for React`, {
		where: shown,
		next: `set ${jsxSettings} in tsconfig.json and "include" the folder, or begin the file with /** @jsxRuntime automatic @jsxImportSource callboard */`,
	});
}

/** What a compiler or the language says is wrong, without the paths and frames around it. */
function firstMistake(text: string, file: string): string {
	const lines = text.split("\n").filter((line) => line.trim() !== "");
	const line = lines.find((each) => /\bERROR: /.test(each)) ?? lines[0] ?? "it throws";
	return line
		.replace(/^.*\bERROR: /, "")
		.replaceAll(file, "the file")
		.trim();
}

/** The line of the agent file that an error points at. */
function lineIn(error: unknown, file: string): number | undefined {
	const { stack = "", message = "" } = error instanceof Error ? error : {};
	for (const text of [message, stack]) {
		const at = text.indexOf(`${file}:`);
		const line = at < 0 ? Number.NaN : Number.parseInt(text.slice(at + file.length + 1), 10);
		if (Number.isInteger(line)) return line;
	}
	return undefined;
}

function shownPath(root: string, file: string): string {
	const path = relative(root, file);
	return path.startsWith("..") ? file : path.split(sep).join("/");
}
