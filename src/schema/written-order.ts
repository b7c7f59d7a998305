import type { ClassNode, CompilerSymbol, Node, SignatureProject } from "./signature.js";

/**
 * The words in which a type was written: a type node or an initialiser, with what the type parameters of the aliases
 * around it stand for. The compiler sorts unions; the order the author chose is only here.
 */
export interface Written {
	node: Node;
	bound: ReadonlyMap<number, Written>;
}

const DEPTH = 12;

const NOTHING: Written["bound"] = new Map();

/** What is written at a declaration: its type, else its initialiser. */
export function writtenAt(
	project: SignatureProject,
	symbol: CompilerSymbol,
	bound: Written["bound"] = NOTHING,
): Written | undefined {
	const node = nodeAt(project, symbol);
	return node === undefined ? undefined : { node, bound };
}

function nodeAt(project: SignatureProject, symbol: CompilerSymbol): Node | undefined {
	const { ast } = project.compiler;
	const declaration = project.resolve(symbol.valueDeclaration ?? symbol.declarations[0]);
	if (declaration === undefined) return undefined;
	if (ast.isParameterDeclaration(declaration) || ast.isPropertyDeclaration(declaration)) {
		return declaration.type ?? declaration.initializer;
	}
	if (ast.isPropertySignatureDeclaration(declaration) || ast.isVariableDeclaration(declaration)) {
		return declaration.type ?? ("initializer" in declaration ? declaration.initializer : undefined);
	}
	if (ast.isPropertyAssignment(declaration)) return declaration.initializer;
	if (ast.isTypeAliasDeclaration(declaration)) return declaration.type;
	return undefined;
}

/** Key of a literal value, as `writtenOrder` gives it. */
export function literalKey(value: string | number | boolean | null): string {
	return JSON.stringify(value);
}

/** Key of a type that is no literal, as `writtenOrder` gives it. */
export function typeKey(id: number): string {
	return `#${id}`;
}

/** Keys of the members of a union in the order they were written, through aliases, enums and constant lists. */
export function writtenOrder(project: SignatureProject, written: Written | undefined): string[] {
	return written === undefined ? [] : leaves(project, written, 0);
}

function leaves(project: SignatureProject, { node, bound }: Written, depth: number): string[] {
	if (depth > DEPTH) return [];
	const { ast, sync } = project.compiler;
	const { checker } = project;
	const into = (next: Node | undefined) =>
		next === undefined ? [] : leaves(project, { node: next, bound }, depth + 1);
	const literal = literalOf(project, node);
	if (literal !== undefined) return [literalKey(literal)];
	if (ast.isLiteralTypeNode(node)) return into(node.literal);
	if (ast.isUnionTypeNode(node) || ast.isIntersectionTypeNode(node)) return node.types.flatMap(into);
	if (ast.isParenthesizedTypeNode(node) || ast.isOptionalTypeNode(node)) return into(node.type);
	if (ast.isArrayLiteralExpression(node)) return node.elements.flatMap(into);
	if (ast.isAsExpression(node) || ast.isSatisfiesExpression(node) || ast.isParenthesizedExpression(node)) {
		return into(node.expression);
	}
	if (ast.isCallExpression(node)) return [...into(node.expression), ...node.arguments.flatMap(into)];
	if (ast.isPropertyAccessExpression(node)) return into(node.expression);
	if (ast.isTypeOperatorNode(node)) {
		if (node.operator !== ast.SyntaxKind.KeyOfKeyword) return into(node.type);
		const type = checker.getTypeFromTypeNode(node.type);
		return type === undefined ? [] : checker.getPropertiesOfType(type).map(({ name }) => literalKey(name));
	}
	if (ast.isIndexedAccessTypeNode(node)) {
		const member = memberWritten(project, node.objectType, node.indexType);
		return member === undefined ? into(node.objectType) : leaves(project, member, depth + 1);
	}
	if (ast.isTypeQueryNode(node)) return ofSymbol(followed(project, node.exprName));
	if (ast.isIdentifier(node)) return ofSymbol(followed(project, node));
	if (ast.isTypeReferenceNode(node)) {
		const symbol = followed(project, node.typeName);
		const known = symbol && bound.get(symbol.id);
		if (known !== undefined) return leaves(project, known, depth + 1);
		const declaration = project.resolve(symbol?.declarations[0]);
		const own = { node, bound };
		const type = checker.getTypeFromTypeNode(node);
		const itself = type === undefined ? [] : [typeKey(type.id)];
		return [
			...itself,
			...(declaration && ast.isTypeAliasDeclaration(declaration)
				? leaves(project, aliasWritten(project, own, declaration), depth + 1)
				: ofSymbol(symbol)),
			...(node.typeArguments ?? []).flatMap(into),
		];
	}
	if (ast.isTypeNode(node)) {
		const type = checker.getTypeFromTypeNode(node);
		return type === undefined ? [] : [typeKey(type.id)];
	}
	return [];

	function ofSymbol(symbol: CompilerSymbol | undefined): string[] {
		if (symbol === undefined) return [];
		if (symbol.flags & (sync.SymbolFlags.Enum | sync.SymbolFlags.EnumMember)) return enumKeys(project, symbol);
		const next = symbol.flags & sync.SymbolFlags.Value ? writtenAt(project, symbol) : undefined;
		return next === undefined ? [] : leaves(project, next, depth + 1);
	}
}

function literalOf({ compiler: { ast } }: SignatureProject, node: Node): string | number | boolean | null | undefined {
	if (ast.isStringLiteral(node) || ast.isNoSubstitutionTemplateLiteral(node)) return node.text;
	if (ast.isNumericLiteral(node)) return Number(node.text);
	if (ast.isPrefixUnaryExpression(node) && node.operator === ast.SyntaxKind.MinusToken) {
		return ast.isNumericLiteral(node.operand) ? -Number(node.operand.text) : undefined;
	}
	if (node.kind === ast.SyntaxKind.TrueKeyword) return true;
	if (node.kind === ast.SyntaxKind.FalseKeyword) return false;
	return node.kind === ast.SyntaxKind.NullKeyword ? null : undefined;
}

/** The value an initialiser spells out, when it is one plain literal. */
export function literalInitializer(
	project: SignatureProject,
	node: Node | undefined,
): string | number | boolean | null | undefined {
	return node === undefined ? undefined : literalOf(project, node);
}

/** The symbol a name stands for, through imports. */
export function followed({ checker, compiler: { sync } }: SignatureProject, name: Node): CompilerSymbol | undefined {
	const symbol = checker.getSymbolAtLocation(name);
	return symbol && symbol.flags & sync.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function enumKeys(project: SignatureProject, symbol: CompilerSymbol): string[] {
	const { ast } = project.compiler;
	const value = (member: Node) => {
		const constant = project.checker.getConstantValue(member);
		return constant === undefined ? [] : [literalKey(constant)];
	};
	return symbol.declarations.flatMap((handle) => {
		const declaration = project.resolve(handle);
		if (declaration && ast.isEnumDeclaration(declaration)) return declaration.members.flatMap(value);
		return declaration ? value(declaration) : [];
	});
}

/** `Patient["kind"]`: what is written at that member. */
function memberWritten(project: SignatureProject, objectType: Node, indexType: Node): Written | undefined {
	const { ast } = project.compiler;
	if (!ast.isLiteralTypeNode(indexType) || !ast.isStringLiteral(indexType.literal)) return undefined;
	const type = ast.isTypeNode(objectType) ? project.checker.getTypeFromTypeNode(objectType) : undefined;
	const member = type && project.checker.getPropertyOfType(type, indexType.literal.text);
	return member && writtenAt(project, member);
}

/** What the type parameters of base classes stand for, as the classes of the chain write it after `extends`. */
export function boundByHeritage(project: SignatureProject, chain: readonly ClassNode[]): Written["bound"] {
	const { ast } = project.compiler;
	let bound: Written["bound"] = NOTHING;
	for (const [index, node] of [...chain].reverse().entries()) {
		const clause = node.heritageClauses?.find(({ token }) => token === ast.SyntaxKind.ExtendsKeyword);
		const base = [...chain].reverse()[index + 1];
		const written = clause?.types[0]?.typeArguments ?? [];
		bound = new Map([...bound, ...bindings(project, base?.typeParameters ?? [], written, bound)]);
	}
	return bound;
}

function bindings(
	project: SignatureProject,
	parameters: readonly Node[],
	written: readonly Node[],
	bound: Written["bound"],
): [number, Written][] {
	return parameters.flatMap((parameter, index): [number, Written][] => {
		const node = written[index];
		const name = project.compiler.ast.isTypeParameterDeclaration(parameter) ? parameter.name : parameter;
		const symbol = project.checker.getSymbolAtLocation(name);
		return node === undefined || symbol === undefined ? [] : [[symbol.id, { node, bound }]];
	});
}

/** The body of an alias, its parameters bound to the arguments of this use. */
function aliasWritten(project: SignatureProject, use: Written, alias: Node): Written {
	const { ast } = project.compiler;
	if (!ast.isTypeReferenceNode(use.node) || !ast.isTypeAliasDeclaration(alias)) return use;
	const bound = new Map(bindings(project, alias.typeParameters ?? [], use.node.typeArguments ?? [], use.bound));
	return { node: alias.type, bound };
}

/** The words of a part of a type, seen through aliases: the element of a list, the value of a record. */
export function writtenPart(
	project: SignatureProject,
	written: Written | undefined,
	part: "element" | "value" | number,
	depth = 0,
): Written | undefined {
	if (written === undefined || depth > DEPTH) return undefined;
	const { ast } = project.compiler;
	const { node, bound } = written;
	const within = (next: Node | undefined): Written | undefined =>
		next === undefined ? undefined : { node: next, bound };
	const again = (next: Written | undefined) => writtenPart(project, next, part, depth + 1);
	if (ast.isParenthesizedTypeNode(node) || ast.isOptionalTypeNode(node)) return again(within(node.type));
	if (ast.isTypeOperatorNode(node)) return again(within(node.type));
	if (ast.isUnionTypeNode(node) || ast.isIntersectionTypeNode(node)) {
		return node.types.map((member) => again(within(member))).find((found) => found !== undefined);
	}
	if (ast.isArrayTypeNode(node)) return part === "element" ? within(node.elementType) : undefined;
	if (ast.isTupleTypeNode(node) && typeof part === "number") {
		const element = node.elements[part];
		return within(element && ast.isNamedTupleMember(element) ? element.type : element);
	}
	if (!ast.isTypeReferenceNode(node)) return undefined;
	const symbol = followed(project, node.typeName);
	const known = symbol && bound.get(symbol.id);
	if (known !== undefined) return again(known);
	const declaration = project.resolve(symbol?.declarations[0]);
	if (declaration && !project.isStandard(declaration) && ast.isTypeAliasDeclaration(declaration)) {
		return again(aliasWritten(project, written, declaration));
	}
	return within(node.typeArguments?.[part === "value" ? 1 : 0]);
}

/** Sorts `items` as `order` has their keys; those it lacks follow in the order they came. */
export function inWrittenOrder<T>(items: readonly T[], order: readonly string[], key: (item: T) => string): T[] {
	const rank = (item: T) => {
		const index = order.indexOf(key(item));
		return index === -1 ? order.length : index;
	};
	return items
		.map((item) => ({ item, rank: rank(item) }))
		.sort((a, b) => a.rank - b.rank)
		.map(({ item }) => item);
}
