import { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type * as Ast from "typescript/unstable/ast";
import type * as Sync from "typescript/unstable/sync";
import { CallboardError } from "../errors.js";
import { planProjects, type VirtualConfig } from "./project-config.js";

export type Checker = Sync.Checker;
export type Type = Sync.Type;
export type CompilerSymbol = Sync.Symbol;
export type Node = Ast.Node;
export type NodeHandle = Sync.NodeHandle;
export type SourceFile = Ast.SourceFile;
export type ClassNode = Ast.ClassDeclaration | Ast.ClassExpression;

/** The flags and tests of the compiler that was loaded. */
export interface Compiler {
	sync: typeof Sync;
	ast: typeof Ast;
}

/** Agent files opened together, with everything they import. */
export interface SignatureProject {
	compiler: Compiler;
	checker: Checker;
	/** The agent files, absolute. */
	files: readonly string[];
	/** The author's tsconfig that this project follows, absolute. */
	config?: string;
	/** Every source of the project itself (no packages, no libraries of the language), absolute, sorted. */
	ownSources(): readonly string[];
	source(file: string): SourceFile | undefined;
	resolve(handle: NodeHandle | undefined): Node | undefined;
	/** Whether a declaration belongs to the language or to a package, not to the author. */
	isForeign(node: Node): boolean;
	/** Whether a declaration belongs to the language's own library. */
	isStandard(node: Node): boolean;
	typeMistakes(file: string): readonly TypeMistake[];
}

/** What the compiler itself says against an agent file. */
export interface TypeMistake {
	file: string;
	/** From 1. */
	line: number;
	/** `TS2820`. */
	code: string;
	text: string;
}

/**
 * The one door to the compiler. It is loaded when it is first asked for, so that a process which reads a manifest never
 * loads it, and it runs as a child process that `use` waits for and ends.
 *
 * @throws CallboardError `NO_COMPILER` when TypeScript 7.0 is not installed.
 */
export async function withSignatures<T>(
	files: readonly string[],
	use: (projects: readonly SignatureProject[]) => T,
): Promise<T> {
	const compiler = await loadCompiler();
	const virtual = new Map<string, string>();
	const api = start(compiler, files, virtual);
	try {
		const plan = planProjects(files, (config) => api.parseConfigFile(config).fileNames);
		for (const config of plan) virtual.set(config.path, config.text);
		const snapshot = api.updateSnapshot({ openProjects: plan.map((config) => config.path) });
		return use(plan.map((config) => open(compiler, snapshot, config)));
	} finally {
		api.close();
	}
}

async function loadCompiler(): Promise<Compiler> {
	try {
		const [sync, ast] = await Promise.all([import("typescript/unstable/sync"), import("typescript/unstable/ast")]);
		return { sync, ast };
	} catch (cause) {
		throw noCompiler(cause);
	}
}

function start(compiler: Compiler, files: readonly string[], virtual: ReadonlyMap<string, string>): Sync.API {
	try {
		const cwd = files[0] === undefined ? process.cwd() : dirname(files[0]);
		return quietly(new compiler.sync.API({ cwd, fs: { readFile: (path) => virtual.get(path) } }));
	} catch (cause) {
		throw noCompiler(cause);
	}
}

/** Asked politely to end, the compiler may still write a line to the terminal; it has nothing to put in order. */
function quietly(api: Sync.API): Sync.API {
	const { client } = api as unknown as { client?: { channel?: { child?: ChildProcess } } };
	const child = client?.channel?.child;
	if (child !== undefined) child.kill = () => ChildProcess.prototype.kill.call(child, "SIGKILL");
	return api;
}

/** The folder of Callboard's own modules: what it brings is no part of the author's project. */
const CALLBOARD = join(fileURLToPath(import.meta.url), "../..", "/");

function noCompiler(cause: unknown): CallboardError {
	return new CallboardError("NO_COMPILER", "operator", "TypeScript 7.0 is needed to read the agents' signatures", {
		next: "run `npm install --save-dev --save-exact typescript@7.0.2`, or run `callboard build` where it is installed and ship its manifest",
		cause,
	});
}

function open(compiler: Compiler, snapshot: Sync.Snapshot, config: VirtualConfig): SignatureProject {
	const project = snapshot.getProject(config.path);
	if (project === undefined) throw new Error(`the compiler did not open ${config.path}`);
	const { program, checker } = project;
	const foreign = (path: string) =>
		path.startsWith("bundled:") || path.includes("/node_modules/") || path.startsWith(CALLBOARD);
	const standard = (node: Node) => program.isSourceFileDefaultLibrary(node.getSourceFile());
	return {
		compiler,
		checker,
		files: config.files,
		...(config.extended === undefined ? {} : { config: config.extended }),
		ownSources: () =>
			program
				.getSourceFileNames()
				.filter((name) => !foreign(name))
				.sort(),
		source: (file) => program.getSourceFile(file),
		resolve: (handle) => handle?.resolve(project),
		isForeign: (node) => foreign(node.getSourceFile().fileName) || standard(node),
		isStandard: standard,
		typeMistakes: (file) =>
			[...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map((found) =>
				typeMistake(found, file),
			),
	};
}

function typeMistake(found: Sync.Diagnostic, file: string): TypeMistake {
	const before = readFileSync(found.fileName ?? file, "utf8").slice(0, Math.max(found.pos, 0));
	const meant = beyondOverloads(found);
	return {
		file: found.fileName ?? file,
		line: before.split("\n").length,
		code: `TS${meant.code}`,
		text: chain(meant).join(" "),
	};
}

/** `@tool` has two overloads; what is wrong stands below the sentences that say that none of them fits. */
function beyondOverloads(found: Sync.Diagnostic): Sync.Diagnostic {
	const [inner] = found.messageChain ?? [];
	const isPreamble = found.code === NO_OVERLOAD_MATCHES || found.code === LAST_OVERLOAD_SAID;
	return isPreamble && inner !== undefined ? beyondOverloads(inner) : found;
}

const NO_OVERLOAD_MATCHES = 2769;
const LAST_OVERLOAD_SAID = 2770;

function chain(found: Sync.Diagnostic): string[] {
	return [found.text, ...(found.messageChain ?? []).flatMap(chain)];
}
