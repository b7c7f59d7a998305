import type { Json, JsonObject } from "../call/json.js";
import type { JsonSchema } from "./json-schema.js";
import type { ToolManifest } from "./manifest.js";
import { isSchema } from "./nullable.js";
import { unionBranch } from "./union-branch.js";

/**
 * Checked arguments as the method takes them: by position, absent ones `undefined` so that defaults apply, and the texts
 * of `Date` parameters as Dates. A method that takes its one object apart, or that has zod `params`, gets the whole.
 */
export function positional(tool: Pick<ToolManifest, "order" | "whole" | "parameters">, args: JsonObject): unknown[] {
	if (tool.parameters === undefined) return [args];
	const revived = revive(tool.parameters, args) as Record<string, unknown>;
	if (tool.whole) return [revived];
	return tool.order.map((name) => (Object.hasOwn(revived, name) ? revived[name] : undefined));
}

/** Only `Date` gives a format in the schema of a signature. */
function revive(schema: Json | undefined, value: Json | undefined): unknown {
	if (!isSchema(schema) || value === undefined) return value;
	if (Array.isArray(schema.anyOf)) return revive(unionBranch(schema.anyOf, value), value);
	if (schema.format === "date-time" && typeof value === "string") return new Date(value);
	if (Array.isArray(value)) return value.map((item, index) => revive(itemSchema(schema, index), item));
	if (!isSchema(value)) return value;
	const properties: JsonSchema = isSchema(schema.properties) ? schema.properties : {};
	return Object.fromEntries(
		Object.entries(value).map(([name, member]) => {
			const known = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
			return [name, revive(known, member)];
		}),
	);
}

function itemSchema(schema: JsonSchema, index: number): Json | undefined {
	return (Array.isArray(schema.prefixItems) ? schema.prefixItems[index] : undefined) ?? schema.items;
}
