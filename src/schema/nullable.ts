import type { Json, JsonObject } from "../call/json.js";
import type { JsonSchema } from "./json-schema.js";

/** Whether a schema accepts null. One that says nothing of types accepts everything. */
export function acceptsNull(schema: JsonSchema): boolean {
	const { type, anyOf } = schema;
	if (Array.isArray(schema.enum)) return schema.enum.includes(null);
	if ("const" in schema) return schema.const === null;
	if (type !== undefined) return type === "null" || (Array.isArray(type) && type.includes("null"));
	if (Array.isArray(anyOf)) return anyOf.some((branch) => isSchema(branch) && acceptsNull(branch));
	return schema.$ref === undefined;
}

/** The same schema, accepting null as well. Its description stays outside. */
export function orNull(schema: JsonSchema): JsonSchema {
	if (acceptsNull(schema)) return schema;
	const { description, ...rest } = schema;
	const said = description === undefined ? {} : { description };
	const types = Array.isArray(schema.type) ? schema.type : [schema.type];
	if (types.every(isScalar) && !("const" in schema)) {
		const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
		return { ...schema, type: [...types, "null"], ...values };
	}
	const branches: Json[] = Array.isArray(rest.anyOf) && onlyUnion(rest) ? rest.anyOf : [rest];
	return { ...said, anyOf: [...branches, { type: "null" }] };
}

function isScalar(type: Json | undefined): type is string {
	return type === "string" || type === "number" || type === "integer" || type === "boolean";
}

function onlyUnion(schema: JsonSchema): boolean {
	return Object.keys(schema).length === 1;
}

/** Whether a value inside a schema is itself a schema object. */
export function isSchema(value: Json | undefined): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
