import { isPersonal, isSymbolKeyed, unbranded } from "./brand.js";
import { docOfType, textOf } from "./docstring.js";
import type { JsonSchema } from "./json-schema.js";
import { orNull } from "./nullable.js";
import type { SignatureProject, Type } from "./signature.js";
import { templatePattern } from "./template-pattern.js";
import {
	inWrittenOrder,
	literalKey,
	typeKey,
	type Written,
	writtenAt,
	writtenOrder,
	writtenPart,
} from "./written-order.js";

/** Reads types into schemas. What has no schema is reported and read as `{}`, so that one pass finds everything. */
export interface TypeReader {
	project: SignatureProject;
	/** Called with the path of the value (`patient.history[]`) and what is wrong with its type, in words. */
	report(path: string, what: string): void;
}

/** Types being read, outermost first: one that comes again inside itself is recursive. */
type Trail = readonly { type: number; declared: number | undefined }[];

/** How often one generic type may stand inside itself with other arguments: a `Page<Page<T>>` ends, a list of lists of lists … does not. */
const MOST_NESTED = 3;

interface Place {
	path: string;
	trail: Trail;
	written: Written | undefined;
}

/** Schema of a type that is written at `written`. `undefined` in a union is left out: the member is then optional. */
export function typeSchema(reader: TypeReader, type: Type, path: string, written: Written | undefined): JsonSchema {
	return read(reader, type, { path, trail: [], written });
}

/** Whether a type has `undefined` among its values. */
export function mayBeUndefined({ project }: TypeReader, type: Type): boolean {
	const { TypeFlags } = project.compiler.sync;
	if (type.isUnionType()) return type.getTypes().some((member) => (member.flags & TypeFlags.Undefined) !== 0);
	return (type.flags & (TypeFlags.Undefined | TypeFlags.Void)) !== 0;
}

function read(reader: TypeReader, type: Type, place: Place): JsonSchema {
	const { sync } = reader.project.compiler;
	const F = sync.TypeFlags;
	const refuse = (what: string): JsonSchema => {
		reader.report(place.path, what);
		return {};
	};
	const declared = declaredAs(reader, type);
	const nested = place.trail.filter((outer) => outer.declared !== undefined && outer.declared === declared).length;
	if (place.trail.some((outer) => outer.type === type.id) || nested >= MOST_NESTED) {
		return refuse("is of a recursive type, which has no end when it is written out");
	}
	const inner = { ...place, trail: [...place.trail, { type: type.id, declared }] };
	if (type.isErrorType()) return refuse("has a type that cannot be found");
	if (type.flags & F.Any) return refuse("is any, which tells the model nothing");
	if (type.flags & F.Unknown) return refuse("is unknown, which tells the model nothing");
	if (type.flags & F.Never) return refuse("is never, which no value fits");
	if (type.flags & (F.Undefined | F.Void)) return refuse("can only be undefined");
	if (type.flags & F.Null) return { type: "null" };
	if (type.flags & (F.BigInt | F.BigIntLiteral)) return refuse("is a bigint, which JSON does not have");
	if (type.flags & (F.ESSymbol | F.UniqueESSymbol)) return refuse("is a symbol, which JSON does not have");
	if (type.flags & F.NonPrimitive) return refuse("is object, which tells the model nothing");
	if (type.isUnionType()) return readUnion(reader, type.getTypes(), inner);
	if (type.isStringLiteralType()) return { type: "string", enum: [type.value] };
	if (type.isNumberLiteralType()) return { type: "number", enum: [type.value] };
	if (type.isBooleanLiteralType()) return { type: "boolean", enum: [type.value] };
	if (type.flags & F.String) return { type: "string" };
	if (type.flags & F.Number) return { type: "number" };
	if (type.flags & F.Boolean) return { type: "boolean" };
	if (type.isTemplateLiteralType()) {
		const pattern = templatePattern(type, sync);
		return pattern === undefined ? refuse("is a template text too involved to check") : { type: "string", pattern };
	}
	if (type.isTypeParameter()) return refuse("is a type parameter, which is not known until the program runs");
	if (type.isIntersectionType()) return readIntersection(reader, type, inner);
	if (type.isObjectType()) return readObject(reader, type, inner);
	return refuse(`is ${shown(reader, type)}, which cannot be written as a schema`);
}

/** The named type of the author's own that a type is an instance of. */
function declaredAs({ project }: TypeReader, type: Type): number | undefined {
	const { Class, Interface, TypeAlias } = project.compiler.sync.SymbolFlags;
	const symbol = type.getAliasSymbol() ?? type.getSymbol();
	if (symbol === undefined || (symbol.flags & (Class | Interface | TypeAlias)) === 0) return undefined;
	const declaration = project.resolve(symbol.declarations[0]);
	return declaration === undefined || project.isStandard(declaration) ? undefined : symbol.id;
}

function readUnion(reader: TypeReader, all: readonly Type[], place: Place): JsonSchema {
	const { project } = reader;
	const F = project.compiler.sync.TypeFlags;
	const personal = all.some((member) => isPersonal(reader.project, member));
	const order = writtenOrder(project, place.written);
	const members = all.filter((member) => !(member.flags & F.Undefined)).map((member) => unbranded(project, member));
	const valued = members.filter((member) => !(member.flags & F.Null));
	const literals = valued.filter((member) => member.isLiteralType() && !member.isBigIntLiteralType());
	const others = valued.filter((member) => !literals.includes(member));
	const branches: { key: string; schema: JsonSchema }[] = inWrittenOrder(others, order, (other) =>
		typeKey(other.id),
	).map((member) => ({ key: typeKey(member.id), schema: read(reader, member, place) }));
	if (literals.length > 0) {
		const values = literals.map((member) => (member as Type & { value: string | number | boolean }).value);
		const sorted = inWrittenOrder(values, order, literalKey);
		const first = sorted[0];
		branches.push({ key: first === undefined ? "" : literalKey(first), schema: literalsSchema(sorted) });
	}
	const schemas = inWrittenOrder(branches, order, (branch) => branch.key).map((branch) => branch.schema);
	const [only] = schemas;
	const schema: JsonSchema = schemas.length === 1 && only !== undefined ? only : { anyOf: schemas };
	if (schemas.length === 0) {
		if (members.length > 0) return { type: "null" };
		reader.report(place.path, "can only be undefined");
		return {};
	}
	const whole = members.length > valued.length ? orNull(schema) : schema;
	return personal ? { ...whole, "x-pii": true } : whole;
}

/** Values as one schema: both booleans are simply a boolean, values of several types get a list of types. */
function literalsSchema(values: readonly (string | number | boolean)[]): JsonSchema {
	const kinds = [...new Set(values.map((value) => typeof value))];
	const booleans = values.filter((value) => typeof value === "boolean");
	if (booleans.length === 2) {
		const rest = values.filter((value) => typeof value !== "boolean");
		return rest.length === 0 ? { type: "boolean" } : { anyOf: [{ type: "boolean" }, literalsSchema(rest)] };
	}
	const [kind] = kinds;
	return { type: kinds.length === 1 && kind !== undefined ? kind : kinds, enum: [...values] };
}

function readIntersection(reader: TypeReader, type: Type, place: Place): JsonSchema {
	const bare = unbranded(reader.project, type);
	const schema = bare === type ? readMembers(reader, type, place) : read(reader, bare, place);
	return isPersonal(reader.project, type) ? { ...schema, "x-pii": true } : schema;
}

function readObject(reader: TypeReader, type: Type, place: Place): JsonSchema {
	const { project } = reader;
	const { checker, compiler } = project;
	const { sync } = compiler;
	const refuse = (what: string): JsonSchema => {
		reader.report(place.path, what);
		return {};
	};
	if (checker.isTupleType(type)) return readTuple(reader, type, place);
	if (checker.isArrayType(type) || nameOf(reader, type) === "ReadonlyArray") {
		const [item] = type.isTypeReference() ? checker.getTypeArguments(type) : [];
		if (item === undefined) return refuse("is a list of unknown items");
		const written = writtenPart(project, place.written, "element");
		return { type: "array", items: read(reader, item, { ...place, written, path: `${place.path}[]` }) };
	}
	if (checker.getSignaturesOfType(type, sync.SignatureKind.Call).length > 0) {
		return refuse("is a function, which a model cannot send");
	}
	if (checker.getSignaturesOfType(type, sync.SignatureKind.Construct).length > 0) {
		return refuse("is a class, which a model cannot send");
	}
	const symbol = type.getSymbol();
	const declaration = project.resolve(symbol?.declarations[0]);
	const named = symbol !== undefined && (symbol.flags & (sync.SymbolFlags.Class | sync.SymbolFlags.Interface)) !== 0;
	if (named && declaration !== undefined && project.isStandard(declaration)) {
		if (symbol.name === "Date") return { type: "string", format: "date-time" };
		return refuse(`is a ${symbol.name}, which JSON does not have`);
	}
	if (symbol !== undefined && symbol.flags & sync.SymbolFlags.Class) {
		return refuse(`is an instance of the class ${symbol.name}, which a model cannot send`);
	}
	return readMembers(reader, type, place);
}

function readTuple(reader: TypeReader, type: Type, place: Place): JsonSchema {
	const { project } = reader;
	const { ElementFlags } = project.compiler.sync;
	const target = type.isTypeReference() ? type.getTarget() : type;
	const items = type.isTypeReference() ? project.checker.getTypeArguments(type) : [];
	const flags = target.isTupleType() ? target.elementFlags : [];
	const schemas = items.map((item, index) => {
		const written = writtenPart(project, place.written, index);
		return read(reader, item, { ...place, written, path: `${place.path}[${index}]` });
	});
	const open = flags.findIndex((flag) => (flag & ElementFlags.Variable) !== 0);
	if (open !== -1 && open !== schemas.length - 1) {
		reader.report(place.path, "is a tuple whose open part is not its last");
		return {};
	}
	const fixed = open === -1 ? schemas : schemas.slice(0, open);
	const least = flags.filter((flag) => (flag & ElementFlags.Required) !== 0).length;
	const rest = open === -1 ? undefined : schemas[open];
	return {
		type: "array",
		prefixItems: fixed,
		minItems: least,
		...(rest === undefined ? { maxItems: fixed.length, items: false } : { items: rest }),
	};
}

function readMembers(reader: TypeReader, type: Type, place: Place): JsonSchema {
	const { project } = reader;
	const { checker, compiler } = project;
	const { SymbolFlags, TypeFlags } = compiler.sync;
	const members = checker.getPropertiesOfType(type).filter((member) => !isSymbolKeyed(member));
	const indexes = checker.getIndexInfosOfType(type);
	if (members.length === 0 && indexes.length === 0) {
		reader.report(place.path, "is an object without members, which tells the model nothing");
		return {};
	}
	const properties: Record<string, JsonSchema> = {};
	const required: string[] = [];
	for (const member of members) {
		const path = `${place.path}.${member.name}`;
		const memberType = checker.getTypeOfSymbol(member);
		if (memberType === undefined || member.name === "__proto__") {
			reader.report(
				path,
				memberType === undefined ? "has a type that cannot be found" : "has a name that no object can carry",
			);
			continue;
		}
		const written = writtenAt(project, member);
		const schema = read(reader, memberType, { ...place, path, written });
		properties[member.name] = described(schema, textOf(project, member) ?? docOfType(project, memberType, written));
		if (!(member.flags & SymbolFlags.Optional) && !mayBeUndefined(reader, memberType)) required.push(member.name);
	}
	const [index] = indexes;
	if (index !== undefined && (indexes.length > 1 || !(index.keyType.flags & (TypeFlags.String | TypeFlags.Number)))) {
		reader.report(place.path, "has members named by a pattern");
		return {};
	}
	const value = { ...place, path: `${place.path}[key]`, written: writtenPart(project, place.written, "value") };
	return {
		type: "object",
		...(members.length > 0 ? { properties, required } : {}),
		additionalProperties: index === undefined ? false : read(reader, index.valueType, value),
	};
}

/** A schema with what its author wrote of it; a text that is already there stays when there is no nearer one. */
export function described(schema: JsonSchema, text: string | undefined): JsonSchema {
	return text === undefined ? schema : { ...schema, description: text };
}

function nameOf(reader: TypeReader, type: Type): string | undefined {
	const symbol = type.getSymbol();
	const declaration = reader.project.resolve(symbol?.declarations[0]);
	return declaration !== undefined && reader.project.isStandard(declaration) ? symbol?.name : undefined;
}

function shown({ project }: TypeReader, type: Type): string {
	const text = project.checker.typeToString(type);
	return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
