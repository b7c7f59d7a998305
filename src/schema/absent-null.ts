import type { Json, JsonObject } from "../call/json.js";
import type { JsonSchema } from "./json-schema.js";
import { acceptsNull, isSchema } from "./nullable.js";
import { unionBranch } from "./union-branch.js";

/**
 * A model in strict mode has to send every member and says null for one it has nothing for. So a null at a member that
 * is neither required nor nullable counts as absent and is left out, at every depth. Nothing else is changed.
 */
export function withoutAbsent(schema: JsonSchema, value: Json): Json {
	if (Array.isArray(schema.anyOf)) {
		const branch = unionBranch(schema.anyOf, value);
		return branch === undefined ? value : withoutAbsent(branch, value);
	}
	if (Array.isArray(value)) return value.map((item, index) => inside(itemSchema(schema, index), item));
	if (!isSchema(value)) return value;
	const properties = isSchema(schema.properties) ? schema.properties : {};
	const required = Array.isArray(schema.required) ? schema.required : [];
	const kept: JsonObject = {};
	for (const [name, member] of Object.entries(value)) {
		const known = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
		const optional = isSchema(known) && Object.hasOwn(properties, name) && !required.includes(name);
		if (member === undefined || (member === null && optional && !acceptsNull(known))) continue;
		put(kept, name, inside(known, member));
	}
	return kept;
}

function itemSchema(schema: JsonSchema, index: number): Json | undefined {
	return (Array.isArray(schema.prefixItems) ? schema.prefixItems[index] : undefined) ?? schema.items;
}

function inside(schema: Json | undefined, value: Json): Json {
	return isSchema(schema) ? withoutAbsent(schema, value) : value;
}

/** A member called `__proto__` stays an ordinary member, so that it is refused like any other unknown one. */
function put(target: JsonObject, name: string, value: Json): void {
	Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}
