import type { Json } from "../call/json.js";
import type { JsonSchema } from "./json-schema.js";
import { isSchema } from "./nullable.js";

const KINDS: Readonly<Record<string, string>> = {
	string: "a string",
	number: "a number",
	integer: "a whole number",
	boolean: "true or false",
	array: "a list",
	object: "an object",
	null: "null",
};

const FORMATS: Readonly<Record<string, string>> = {
	"date-time": "a date and time with its offset, like 2026-05-04T17:00:00Z",
	date: "a date like 2026-05-04",
	time: "a time like 17:00:00",
	email: "an e-mail address",
	uuid: "a UUID",
	uri: "a URL",
};

/** What a schema asks for, in words: `a string`, `one of "mon", "tue"`, `a list of numbers or null`. */
export function schemaWords(schema: JsonSchema): string {
	if (Array.isArray(schema.enum)) return choiceWords(schema.enum);
	if ("const" in schema) return JSON.stringify(schema.const);
	const union = schema.anyOf ?? schema.oneOf;
	if (Array.isArray(union)) return [...new Set(union.filter(isSchema).map(schemaWords))].join(" or ");
	if (typeof schema.format === "string" && FORMATS[schema.format] !== undefined) return FORMATS[schema.format] ?? "";
	const types = Array.isArray(schema.type) ? schema.type : [schema.type];
	const words = types.map((type) => (typeof type === "string" ? (KINDS[type] ?? type) : "a value"));
	const [first] = words;
	if (types[0] === "array" && words.length === 1) return listWords(schema);
	if (types[0] === "object" && words.length === 1) return objectWords(schema);
	return words.length === 1 && first !== undefined ? first : words.join(" or ");
}

function choiceWords(values: readonly Json[]): string {
	const [only] = values;
	if (values.length === 1 && only !== undefined) return JSON.stringify(only);
	return `one of ${values.map((value) => JSON.stringify(value)).join(", ")}`;
}

function listWords(schema: JsonSchema): string {
	if (Array.isArray(schema.prefixItems)) {
		return `a list of ${schema.prefixItems.filter(isSchema).map(schemaWords).join(", then ")}`;
	}
	return isSchema(schema.items) ? `a list, each ${schemaWords(schema.items)}` : "a list";
}

function objectWords(schema: JsonSchema): string {
	const names = memberNames(schema);
	return names.length === 0 ? "an object" : `an object with ${names.join(", ")}`;
}

/** Names of the members an object schema knows. */
export function memberNames(schema: JsonSchema): string[] {
	return isSchema(schema.properties) ? Object.keys(schema.properties) : [];
}

const LIMITS: Readonly<Record<string, string>> = {
	minimum: "a number of at least #",
	maximum: "a number of at most #",
	exclusiveMinimum: "a number above #",
	exclusiveMaximum: "a number below #",
	multipleOf: "a multiple of #",
	minLength: "a string of at least # characters",
	maxLength: "a string of at most # characters",
	minItems: "a list of at least # items",
	maxItems: "a list of at most # items",
};

/** What a limit asks for: `minimum` and 1 are `a number of at least 1`. */
export function limitWords(keyword: string, limit: number): string {
	return (LIMITS[keyword] ?? `${keyword} #`).replace("#", String(limit));
}

/** The kind of a value that came, never the value itself. */
export function kindWords(value: unknown): string {
	if (value === undefined) return "nothing";
	if (value === null) return "null";
	if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
	if (typeof value === "string") return value === "" ? "an empty string" : "a string";
	if (typeof value === "boolean") return "a boolean";
	return KINDS[typeof value] ?? `a ${typeof value}`;
}

/** A path as people read it: `patient.phones[2]`. The names in it come from a model, so they are kept short and plain. */
export function pathWords(steps: readonly (string | number)[]): string {
	return steps
		.map((step, index) => (typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${nameWords(step)}`))
		.join("");
}

function nameWords(name: string): string {
	const plain = name.replaceAll(/[^\p{L}\p{N}_$-]/gu, "?");
	return plain.length > 40 ? `${plain.slice(0, 39)}…` : plain;
}
