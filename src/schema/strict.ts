import type { Json, JsonObject } from "../call/json.js";
import type { JsonSchema } from "./json-schema.js";
import { isSchema, orNull } from "./nullable.js";

/** OpenAI's limit on objects within objects. */
const DEEPEST = 10;

/** What a strict schema keeps as it is. */
const KEPT = new Set(["type", "enum", "const", "description", "$ref"]);

/** What other servers than OpenAI's refuse in a strict schema: said in the description instead, and checked by us. */
const SAID: Readonly<Record<string, string>> = {
	format: "format #",
	pattern: "matching #",
	minimum: "at least #",
	maximum: "at most #",
	exclusiveMinimum: "above #",
	exclusiveMaximum: "below #",
	multipleOf: "a multiple of #",
	minLength: "at least # characters",
	maxLength: "at most # characters",
	minItems: "at least # items",
	maxItems: "at most # items",
	default: "default #",
};

/** What means nothing to a model. */
const DROPPED = new Set(["x-pii", "title", "examples", "$schema", "$id"]);

/**
 * The schema as strict mode wants it: every object closed, every member required, an optional one nullable instead (the
 * argument checks take its null for absent). Undefined when strict mode has no such schema: open objects and records,
 * tuples, conditions, values of any type, objects nested deeper than 10.
 */
export function strictSchema(schema: JsonSchema): JsonSchema | undefined {
	return schema.type === "object" ? strict(schema, 0) : undefined;
}

/** What a model is offered for a schema: its strict form where there is one, else the schema without our own marks. */
export interface OfferedSchema {
	readonly parameters: JsonSchema;
	/** Whether strict mode may be asked for. */
	readonly strict: boolean;
}

const offered = new WeakMap<JsonSchema, OfferedSchema>();

/** The form in which a schema goes to a model, always the same object for the same schema. */
export function offeredSchema(schema: JsonSchema): OfferedSchema {
	const known = offered.get(schema);
	if (known !== undefined) return known;
	const strict = strictSchema(schema);
	const made = { parameters: strict ?? shownSchema(schema), strict: strict !== undefined };
	offered.set(schema, made);
	return made;
}

/** The schema as a model is shown it outside strict mode: without the marks that are only for us. */
function shownSchema(schema: JsonSchema): JsonSchema {
	const kept = Object.entries(schema).filter(([key]) => key !== "x-pii" && key !== "$schema");
	return Object.fromEntries(kept.map(([key, value]) => [key, shownPart(key, value)]));
}

function shownPart(key: string, value: Json | undefined): Json | undefined {
	if (key === "enum" || key === "const" || key === "default" || key === "examples") return value;
	if (Array.isArray(value)) return value.map((item) => (isSchema(item) ? shownSchema(item) : item));
	if (!isSchema(value)) return value;
	if (key !== "properties" && key !== "$defs" && key !== "definitions") return shownSchema(value);
	const members = Object.entries(value);
	return Object.fromEntries(members.map(([name, member]) => [name, isSchema(member) ? shownSchema(member) : member]));
}

function strict(schema: JsonSchema, depth: number): JsonSchema | undefined {
	if (depth > DEEPEST || !saysWhat(schema)) return undefined;
	const out: JsonObject = {};
	const said: string[] = [];
	for (const [key, value] of Object.entries(schema)) {
		if (value === undefined || DROPPED.has(key)) continue;
		const words = SAID[key];
		if (KEPT.has(key)) out[key] = value;
		else if (words !== undefined)
			said.push(words.replace("#", typeof value === "string" ? value : JSON.stringify(value)));
		else if (key === "items") {
			const items = isSchema(value) ? strict(value, depth) : undefined;
			if (items === undefined) return undefined;
			out.items = items;
		} else if (key === "anyOf") {
			const branches = Array.isArray(value) ? value.map((one) => (isSchema(one) ? strict(one, depth) : undefined)) : [];
			if (branches.length === 0 || branches.includes(undefined)) return undefined;
			out.anyOf = branches.filter((branch) => branch !== undefined);
		} else if (key === "$defs" || key === "definitions") {
			const members = strictMembers(value, () => true, depth);
			if (members === undefined) return undefined;
			out[key] = members;
		} else if (key !== "properties" && key !== "required" && key !== "additionalProperties") return undefined;
	}
	if (said.length > 0) out.description = [schema.description, `(${said.join(", ")})`].filter(Boolean).join(" ");
	if (schema.type !== "object") return out;
	const required = Array.isArray(schema.required) ? schema.required : [];
	const properties = strictMembers(schema.properties ?? {}, (name) => required.includes(name), depth + 1);
	if (properties === undefined || schema.additionalProperties !== false) return undefined;
	return { ...out, properties, required: Object.keys(properties), additionalProperties: false };
}

function strictMembers(members: Json, required: (name: string) => boolean, depth: number): JsonObject | undefined {
	if (!isSchema(members)) return undefined;
	const out: JsonObject = {};
	for (const [name, member] of Object.entries(members)) {
		const one = isSchema(member) ? strict(member, depth) : undefined;
		if (one === undefined) return undefined;
		out[name] = required(name) ? one : orNull(one);
	}
	return out;
}

/** Whether a schema says of what type a value is; a list has to say it of its items as well. */
function saysWhat(schema: JsonSchema): boolean {
	if (schema.$ref !== undefined || schema.anyOf !== undefined || schema.enum !== undefined) return true;
	if (schema.const !== undefined) return true;
	const types = Array.isArray(schema.type) ? schema.type : [schema.type];
	if (types.includes("array") && !isSchema(schema.items)) return false;
	// A list of types cannot say which of them has which members.
	return types[0] !== undefined && (types.length === 1 || !types.includes("object"));
}
