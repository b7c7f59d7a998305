import type { Json } from "../call/json.js";
import type { JsonSchema } from "./json-schema.js";
import { isSchema } from "./nullable.js";

/**
 * The one member of a union that a value was surely meant for: the only one of its JSON type, or the only one whose
 * fixed members (`kind: "visit"`) it has. Undefined when several are possible or none is.
 */
export function unionBranch(branches: readonly Json[], value: Json): JsonSchema | undefined {
	const possible = branches.filter(isSchema).filter((branch) => hasType(branch, value));
	const [only] = possible;
	if (possible.length === 1) return only;
	const told = possible.filter((branch) => fixedMembersFit(branch, value));
	const [meant] = told;
	return told.length === 1 ? meant : undefined;
}

function hasType(schema: JsonSchema, value: Json): boolean {
	if (schema.type === undefined) return true;
	const types = Array.isArray(schema.type) ? schema.type : [schema.type];
	return types.some((type) => {
		if (type === "null") return value === null;
		if (type === "array") return Array.isArray(value);
		if (type === "object") return isSchema(value);
		if (type === "integer") return Number.isInteger(value);
		return typeof value === type;
	});
}

function fixedMembersFit(schema: JsonSchema, value: Json): boolean {
	if (!isSchema(schema.properties) || !isSchema(value)) return false;
	const fixed = Object.entries(schema.properties).filter(
		([, member]) => isSchema(member) && fixedValue(member) !== undefined,
	);
	return fixed.length > 0 && fixed.every(([name, member]) => isSchema(member) && value[name] === fixedValue(member));
}

function fixedValue(schema: JsonSchema): Json | undefined {
	if ("const" in schema) return schema.const;
	return Array.isArray(schema.enum) && schema.enum.length === 1 ? schema.enum[0] : undefined;
}
