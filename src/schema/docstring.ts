import type { CompilerSymbol, Node, SignatureProject, Type } from "./signature.js";
import { followed, type Written } from "./written-order.js";

/** The docstring of a declaration, without its tags; for a parameter its `@param` text. */
export function textOf(project: SignatureProject, symbol: CompilerSymbol | undefined): string | undefined {
	if (symbol === undefined) return undefined;
	const text = symbol.getDocumentationComment(project.checker).replaceAll("\r\n", "\n").trim();
	if (text === "") return sameLineText(project, symbol);
	const declaration = project.resolve(symbol.valueDeclaration);
	const ofParameter = declaration !== undefined && project.compiler.ast.isParameterDeclaration(declaration);
	return ofParameter ? text.replace(NAME_END, "") : text;
}

/** What many write between the name of a parameter and its text: `@param day - The day.` */
const NAME_END = /^[-\u2013\u2014]\s+/;

/**
 * The docstring of a named type of the author's own: what a member of that type is, when it says nothing itself. Types
 * of packages, such as `Pick`, describe themselves and not the member.
 */
export function docOfType(project: SignatureProject, type: Type, written: Written | undefined): string | undefined {
	const named = written && nameIn(project, written.node);
	return ownText(project, type.getAliasSymbol() ?? type.getSymbol()) ?? ownText(project, named);
}

function ownText(project: SignatureProject, symbol: CompilerSymbol | undefined): string | undefined {
	const declaration = project.resolve(symbol?.declarations[0]);
	return declaration === undefined || project.isForeign(declaration) ? undefined : textOf(project, symbol);
}

/** The one named type in `Day | undefined`, whose name the compiler forgets. */
function nameIn(project: SignatureProject, node: Node): CompilerSymbol | undefined {
	const { ast } = project.compiler;
	if (ast.isTypeReferenceNode(node)) return followed(project, node.typeName);
	if (!ast.isUnionTypeNode(node)) return undefined;
	const names = node.types.flatMap((member) => nameIn(project, member) ?? []);
	return names.length === 1 ? names[0] : undefined;
}

/** The compiler takes a comment only from a line of its own; in `{ /** the name *\/ name: string }` it is meant as well. */
function sameLineText(project: SignatureProject, symbol: CompilerSymbol): string | undefined {
	const { ast } = project.compiler;
	const declaration = project.resolve(symbol.valueDeclaration);
	const tests = [
		ast.isPropertySignatureDeclaration,
		ast.isParameterDeclaration,
		ast.isPropertyDeclaration,
		ast.isMethodDeclaration,
	];
	if (declaration === undefined || !tests.some((is) => is(declaration))) return undefined;
	const source = declaration.getSourceFile();
	const before = source.text.slice(declaration.pos, declaration.getStart(source));
	const comment = /\/\*\*([\s\S]*?)\*\/\s*$/.exec(before)?.[1];
	const lines = (comment ?? "").split("\n").map((line) => line.replace(/^\s*\* ?/, "").trim());
	const tag = lines.findIndex((line) => line.startsWith("@"));
	const text = (tag === -1 ? lines : lines.slice(0, tag)).join("\n").trim();
	return text === "" ? undefined : text;
}
