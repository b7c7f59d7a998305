import { CallboardError } from "../errors.js";
import { agentChain, type ClassReading, type Problem, placeOf, readAgentClass, relativeTo } from "./agent-class.js";
import type { AgentManifest } from "./manifest.js";
import { type ClassNode, type Node, type SignatureProject, type TypeMistake, withSignatures } from "./signature.js";
import { boundByHeritage } from "./written-order.js";

/** What the compiler knows of some agent files. */
export interface AgentsRead {
	/** By class name. */
	agents: Readonly<Record<string, AgentManifest>>;
	/** The project's own sources that shaped it, relative to the root, sorted. */
	files: readonly string[];
	/** The tsconfig files that were followed, relative to the root, sorted. */
	configs: readonly string[];
	/** Everything that cannot be told to a model, in the order of the files. */
	problems: readonly Problem[];
	/** What the compiler itself says against the agent files; empty unless it was asked. */
	typeMistakes: readonly TypeMistake[];
}

/**
 * Reads the classes that extend `Agent` in `files` (absolute), with everything below `root` that they import.
 *
 * @throws CallboardError `NO_COMPILER`.
 */
export function readAgents(root: string, files: readonly string[], typeMistakes = false): Promise<AgentsRead> {
	return withSignatures(files, (projects) => {
		const agents: Record<string, AgentManifest> = {};
		const problems: Problem[] = [];
		const places = new Map<string, string>();
		for (const project of projects) {
			for (const file of project.files) {
				for (const found of classesOf(root, project, file, problems)) {
					const before = places.get(found.reading.name);
					if (before === undefined) {
						places.set(found.reading.name, found.reading.at(found.node));
						agents[found.reading.name] = readAgentClass(found.reading, found.node, found.chain);
					} else {
						found.reading.refuse(
							found.node,
							`agent ${found.reading.name} is already the name of the one at ${before}`,
							"rename one of the two classes",
						);
					}
				}
			}
		}
		return {
			agents: Object.fromEntries(Object.entries(agents).sort(([a], [b]) => (a < b ? -1 : 1))),
			files: pathsOf(
				root,
				projects.flatMap((project) => project.ownSources()),
			),
			configs: pathsOf(
				root,
				projects.flatMap(({ config }) => config ?? []),
			),
			problems: inOrder(problems),
			typeMistakes: typeMistakes
				? projects
						.flatMap((project) => project.files.flatMap((file) => project.typeMistakes(file)))
						.map((found) => ({
							...found,
							file: relativeTo(root, found.file),
						}))
				: [],
		};
	});
}

function inOrder(problems: readonly Problem[]): Problem[] {
	const byPlace = new Intl.Collator("en", { numeric: true });
	return problems.toSorted((a, b) => byPlace.compare(a.at, b.at));
}

function pathsOf(root: string, files: readonly string[]): string[] {
	return [...new Set(files.map((file) => relativeTo(root, file)))].sort();
}

interface FoundClass {
	node: ClassNode;
	chain: readonly ClassNode[];
	reading: ClassReading;
}

function classesOf(root: string, project: SignatureProject, file: string, problems: Problem[]): FoundClass[] {
	const { ast } = project.compiler;
	const source = project.source(file);
	if (source === undefined) {
		throw new CallboardError("NO_AGENT_FILE", "author", "the agent file cannot be read", {
			where: relativeTo(root, file),
			next: "check the path",
		});
	}
	const found: FoundClass[] = [];
	const at = (node: Node) => placeOf(root, node);
	const refuse = (node: Node, what: string, next: string) => problems.push({ at: at(node), what, next });
	const take = (node: ClassNode): void => {
		const chain = agentChain(project, node);
		if (chain !== undefined && node.name === undefined) {
			refuse(node, "an agent class has no name", "write `export default class ClinicaNorte extends Agent`");
		} else if (chain !== undefined && node.name !== undefined && !isAbstract(project, node)) {
			found.push({
				node,
				chain,
				reading: { project, name: node.name.text, at, refuse, bound: boundByHeritage(project, chain) },
			});
		}
	};
	const visit = (node: Node): void => {
		if (ast.isClassDeclaration(node) || ast.isClassExpression(node)) take(node);
		node.forEachChild(visit);
	};
	visit(source);
	const exported = defaultOf(project, source);
	if (exported !== undefined && exported.getSourceFile().fileName !== source.fileName) take(exported);
	return found;
}

/** The class that a file exports by default, wherever it stands: `export { default } from "./clinic.js"`. */
function defaultOf(
	{ checker, compiler: { ast, sync }, resolve }: SignatureProject,
	source: Node,
): ClassNode | undefined {
	const module = checker.getSymbolAtLocation(source);
	const exported = module && checker.getMemberInModuleExports(module, "default");
	if (exported === undefined) return undefined;
	const symbol = exported.flags & sync.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
	const node = resolve(symbol.valueDeclaration);
	return node !== undefined && (ast.isClassDeclaration(node) || ast.isClassExpression(node)) ? node : undefined;
}

function isAbstract({ compiler: { ast } }: SignatureProject, node: ClassNode): boolean {
	return node.modifiers?.some(({ kind }) => kind === ast.SyntaxKind.AbstractKeyword) ?? false;
}
