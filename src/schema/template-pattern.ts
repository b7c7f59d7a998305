import type { Compiler, Type } from "./signature.js";

/** Regular expression of a template literal type such as `${number}:${number}`; undefined when a part has none. */
export function templatePattern(type: Type, sync: Compiler["sync"]): string | undefined {
	if (!type.isTemplateLiteralType()) return undefined;
	const parts = type.getTypes().map((part) => partPattern(part, sync));
	if (parts.includes(undefined)) return undefined;
	return `^${type.texts.map((text, index) => escaped(text) + (parts[index] ?? "")).join("")}$`;
}

function partPattern(part: Type, sync: Compiler["sync"]): string | undefined {
	const { TypeFlags } = sync;
	if (part.flags & TypeFlags.String) return "[\\s\\S]*";
	if (part.flags & TypeFlags.Number) return "-?\\d+(\\.\\d+)?";
	if (part.isStringLiteralType() || part.isNumberLiteralType()) return escaped(String(part.value));
	if (!part.isUnionType()) return undefined;
	const choices = part.getTypes().map((choice) => partPattern(choice, sync));
	return choices.includes(undefined) ? undefined : `(${choices.join("|")})`;
}

function escaped(text: string): string {
	return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
