import { relative, sep } from "node:path";
import { isPersonal } from "./brand.js";
import { docOfType, textOf } from "./docstring.js";
import type { AgentManifest, FieldManifest, ToolManifest } from "./manifest.js";
import type { ClassNode, CompilerSymbol, Node, SignatureProject, Type } from "./signature.js";
import { readTool } from "./tool-signature.js";
import { typeSchema } from "./type-schema.js";
import { type Written, writtenAt } from "./written-order.js";

/** Something in an agent file that the model could not be told of. */
export interface Problem {
	/** `agents/clinic/agent.tsx:14`. */
	at: string;
	/** `Clinic.lookup: parameter "note" is any, which tells the model nothing`. */
	what: string;
	/** What the author does about it. */
	next: string;
}

/** One class while it is read: where it stands and where its problems go. */
export interface ClassReading {
	project: SignatureProject;
	name: string;
	/** `file:line` of a node, relative to the project's folder. */
	at(node: Node): string;
	/** What the type parameters of its base classes stand for. */
	bound: Written["bound"];
	refuse(node: Node, what: string, next: string): void;
}

/** `file:line` as people write it: relative to the root, with slashes. */
export function placeOf(root: string, node: Node): string {
	const source = node.getSourceFile();
	const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
	return `${relativeTo(root, source.fileName)}:${line + 1}`;
}

/** A path relative to the root, with slashes on every system. */
export function relativeTo(root: string, file: string): string {
	return relative(root, file).split(sep).join("/");
}

/** The classes of a chain that stand below `Agent`, base first; undefined when it does not lead to `Agent`. */
export function agentChain(project: SignatureProject, node: ClassNode): readonly ClassNode[] | undefined {
	const chain: ClassNode[] = [];
	let topmost = -1;
	const seen = new Set<Node>();
	const visit = (current: ClassNode) => {
		if (seen.has(current)) return;
		seen.add(current);
		chain.push(current);
		if (current.name?.text === "Agent") topmost = chain.length - 1;
		for (const base of basesOf(project, current)) visit(base);
	};
	visit(node);
	return topmost < 1 ? undefined : chain.slice(0, topmost).reverse();
}

function basesOf({ checker, compiler, resolve }: SignatureProject, node: ClassNode): ClassNode[] {
	const { ast } = compiler;
	const clause = node.heritageClauses?.find(({ token }) => token === ast.SyntaxKind.ExtendsKeyword);
	const expression = clause?.types[0];
	const type = expression && checker.getTypeAtLocation(expression);
	const parts = type?.isIntersectionType() ? type.getTypes() : type ? [type] : [];
	return parts.flatMap((part) =>
		(part.getSymbol()?.declarations ?? [])
			.map(resolve)
			.filter(
				(declaration): declaration is ClassNode =>
					declaration !== undefined && (ast.isClassDeclaration(declaration) || ast.isClassExpression(declaration)),
			),
	);
}

/** Everything the manifest says of one class. Problems are reported; what remains is what could be read. */
export function readAgentClass(reading: ClassReading, node: ClassNode, chain: readonly ClassNode[]): AgentManifest {
	const { project } = reading;
	const { checker } = project;
	const symbol = node.name && checker.getSymbolAtLocation(node.name);
	if (symbol === undefined) throw new Error(`class ${reading.name} has no symbol`);
	const instance = checker.getDeclaredTypeOfSymbol(symbol);
	const [file = ""] = reading.at(node).split(/:\d+$/);
	const stages = readStages(reading, instance);
	return {
		file,
		doc: textOf(project, symbol) ?? "",
		...(stages === undefined ? {} : { stages }),
		fields: readFields(reading, instance, chain),
		tools: readTools(reading, instance, chain),
	};
}

function readStages({ project, name, refuse }: ClassReading, instance: Type): readonly string[] | undefined {
	const { checker } = project;
	const symbol = checker.getPropertyOfType(instance, "stage");
	const declaration = project.resolve(symbol?.valueDeclaration);
	const type = symbol && checker.getTypeOfSymbol(symbol);
	if (symbol === undefined || declaration === undefined || type === undefined) return undefined;
	const schema = typeSchema({ project, report: () => {} }, type, "stage", writtenAt(project, symbol));
	const values = schema.type === "string" && Array.isArray(schema.enum) ? schema.enum : [];
	const stages = values.filter((value) => typeof value === "string");
	if (stages.length > 0) return stages;
	const shown = checker.typeToString(type);
	refuse(
		declaration,
		`${name}.stage is ${shown}, which does not name the stages`,
		'write `stage: Stages<"first" | "second"> = "first"`',
	);
	return undefined;
}

function readFields(
	{ project }: ClassReading,
	instance: Type,
	chain: readonly ClassNode[],
): Readonly<Record<string, FieldManifest>> {
	const { ast } = project.compiler;
	const fields: Record<string, FieldManifest> = {};
	for (const member of chain.flatMap((owner) => [...owner.members])) {
		if (!ast.isPropertyDeclaration(member) || !ast.isIdentifier(member.name)) continue;
		if (has(member, ast.SyntaxKind.StaticKeyword) || has(member, ast.SyntaxKind.DeclareKeyword)) continue;
		const symbol = project.checker.getPropertyOfType(instance, member.name.text);
		const type = symbol && project.checker.getTypeOfSymbol(symbol);
		if (symbol === undefined || type === undefined) continue;
		const doc = textOf(project, symbol) ?? docOfType(project, type, writtenAt(project, symbol)) ?? "";
		fields[member.name.text] = isPersonal(project, type) ? { doc, pii: true } : { doc };
	}
	return fields;
}

/** Whether a member has a modifier such as `static`. */
function has(member: Node & { modifiers?: readonly Node[] | undefined }, kind: number): boolean {
	return member.modifiers?.some((modifier) => modifier.kind === kind) ?? false;
}

function readTools(
	reading: ClassReading,
	instance: Type,
	chain: readonly ClassNode[],
): Readonly<Record<string, ToolManifest>> {
	const { project, refuse } = reading;
	const { ast } = project.compiler;
	const methods = new Map<string, { declared: Node; decorator: Node }>();
	for (const member of chain.flatMap((owner) => [...owner.members])) {
		if (!ast.isMethodDeclaration(member) || has(member, ast.SyntaxKind.StaticKeyword)) continue;
		const decorator = (member.modifiers ?? []).find(
			(modifier) => ast.isDecorator(modifier) && isToolDecorator(project, modifier.expression),
		);
		const name = ast.isIdentifier(member.name) || ast.isStringLiteral(member.name) ? member.name.text : undefined;
		const inherited = name === undefined ? undefined : methods.get(name);
		if (decorator === undefined && inherited === undefined) continue;
		if (name === undefined) {
			const shown = member.name.getText();
			refuse(member.name, `tool ${shown} of ${reading.name} has no plain name`, "name the method by one word");
			continue;
		}
		methods.set(name, { declared: member, decorator: decorator ?? inherited?.decorator ?? member });
	}
	const tools: Record<string, ToolManifest> = {};
	for (const [name, method] of methods) {
		const symbol = project.checker.getPropertyOfType(instance, name);
		if (symbol !== undefined) tools[name] = readTool(reading, name, symbol, method);
	}
	return tools;
}

/** `@tool(…)`, also under another name or through a namespace. */
function isToolDecorator({ checker, compiler: { ast, sync } }: SignatureProject, expression: Node): boolean {
	const called = ast.isCallExpression(expression) ? expression.expression : expression;
	const name = ast.isPropertyAccessExpression(called) ? called.name : called;
	const symbol: CompilerSymbol | undefined = checker.getSymbolAtLocation(name);
	if (symbol === undefined || checker.isUnknownSymbol(symbol)) return name.getText() === "tool";
	const aliased = symbol.flags & sync.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
	return checker.isUnknownSymbol(aliased) ? name.getText() === "tool" : aliased.name === "tool";
}
