import type { CompilerSymbol, SignatureProject, Type } from "./signature.js";

/** A member without its brands, so that `"a" & Brand` counts as the literal it is. */
export function unbranded(project: SignatureProject, type: Type): Type {
	if (!type.isIntersectionType()) return type;
	const { Primitive } = project.compiler.sync.TypeFlags;
	const primitive = type.getTypes().find((part) => part.flags & Primitive);
	if (primitive !== undefined) return primitive;
	const parts = type.getTypes().filter((part) => !isBrand(project, part));
	const [only] = parts;
	return parts.length === 1 && only !== undefined ? only : type;
}

/** A type that only marks another: all its members are keyed by symbols. */
function isBrand(project: SignatureProject, type: Type): boolean {
	if (!type.isObjectType()) return false;
	const members = project.checker.getPropertiesOfType(type);
	return members.length > 0 && members.every(isSymbolKeyed);
}

export function isSymbolKeyed(member: CompilerSymbol): boolean {
	return member.escapedName.startsWith("__@");
}

/** Whether a type is `Pii<…>`. */
export function isPersonal(project: SignatureProject, type: Type): boolean {
	const parts = type.isUnionType() || type.isIntersectionType() ? type.getTypes() : [type];
	return parts.some((part) => {
		if (part.isIntersectionType()) return isPersonal(project, part);
		if (!part.isObjectType()) return false;
		return project.checker.getPropertiesOfType(part).some(({ escapedName }) => escapedName.startsWith("__@pii@"));
	});
}
