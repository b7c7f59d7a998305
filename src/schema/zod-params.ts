import { z } from "zod";
import type { Json, JsonObject } from "../call/json.js";
import { toldCopy } from "../call/plain.js";
import { CallboardError } from "../errors.js";
import { withoutAbsent } from "./absent-null.js";
import { argumentChecker } from "./check-arguments.js";
import type { Checked, Issue, JsonSchema } from "./json-schema.js";
import { isSchema } from "./nullable.js";
import { zodIssues } from "./zod-issues.js";

export interface ZodParams {
	/** What the model is told: the input side of the type. */
	parameters: JsonSchema;
	/**
	 * Checks arguments by the type and gives its output, transforms and defaults applied. Members the type does not name
	 * are refused unless it says `z.looseObject` or `.catchall(…)`.
	 *
	 * @throws CallboardError `BAD_ZOD_PARAMS` when the type's output is not JSON, or a refinement is asynchronous.
	 */
	check(args: Json): Checked<JsonObject>;
}

/**
 * The explicit form of a tool's parameters. `where` names the tool in refusals: `Clinic.book`.
 *
 * @throws CallboardError `BAD_ZOD_PARAMS` when the type is no object, or has no JSON Schema (dates, bigints, functions).
 */
export function zodParams(type: z.ZodType, where: string): ZodParams {
	const parameters = tidy(schemaOf(type, where));
	if (parameters.type !== "object") {
		throw refusal(where, "is not an object, and arguments come by name", "write z.object({ … })");
	}
	const members = argumentChecker(parameters);
	return {
		parameters,
		check(args) {
			const value = withoutAbsent(parameters, args);
			const shape = members(value);
			const unknown = shape.ok ? [] : shape.issues.filter(({ got }) => got === "an unknown member");
			const parsed = parse(type, value, where);
			if (parsed === undefined) return { ok: false, issues: shape.ok ? [UNREADABLE] : shape.issues };
			const found = parsed.success ? [] : zodIssues(parsed.error, parameters);
			const issues = [...unknown, ...found.filter(({ path }) => !unknown.some((known) => known.path === path))];
			if (issues.length > 0 || !parsed.success) return { ok: false, issues };
			return { ok: true, value: jsonOutput(parsed.data, where) };
		},
	};
}

function schemaOf(type: z.ZodType, where: string): JsonSchema {
	try {
		// Through text, so that what remains is plain data of our own.
		return JSON.parse(JSON.stringify(z.toJSONSchema(type, { io: "input" }))) as JsonSchema;
	} catch (cause) {
		const reason = cause instanceof Error ? cause.message : String(cause);
		throw refusal(where, `have no schema: ${reason}`, "use a type that JSON has, such as z.iso.datetime()", cause);
	}
}

/** What is said of arguments on which a transform or refinement threw, since it does not say which. */
const UNREADABLE: Issue = { path: "", expected: "values that this tool can read", got: "others" };

/** Undefined when a transform or refinement threw (`new URL(…)`, `JSON.parse(…)`): the value is what is wrong. */
function parse(type: z.ZodType, value: Json, where: string) {
	try {
		return type.safeParse(value, { reportInput: true });
	} catch (cause) {
		if (!(cause instanceof z.core.$ZodAsyncError)) return undefined;
		throw refusal(where, "are checked asynchronously", "check it in the method instead", cause);
	}
}

function jsonOutput(output: unknown, where: string): JsonObject {
	const copy = toldCopy(output, `the params of ${where}`);
	if (isSchema(copy) && !holdsForeign(output)) return copy;
	throw refusal(where, "become something that JSON does not have", "transform it in the method instead");
}

/** Whether an output holds what a copy through JSON would turn into something else, such as a Date. */
function holdsForeign(value: unknown): boolean {
	if (Array.isArray(value)) return value.some(holdsForeign);
	if (typeof value === "function" || typeof value === "symbol") return true;
	if (typeof value !== "object" || value === null) return false;
	const prototype = Object.getPrototypeOf(value);
	return (prototype !== Object.prototype && prototype !== null) || Object.values(value).some(holdsForeign);
}

function refusal(where: string, what: string, next: string, cause?: unknown): CallboardError {
	return new CallboardError("BAD_ZOD_PARAMS", "author", `the params of ${where} ${what}`, { where, next, cause });
}

/** Keywords of which the model has nothing: the expression behind a named format, the bounds of every safe integer. */
function tidy(schema: JsonSchema): JsonSchema {
	const { $schema: _draft, ...rest } = schema;
	const tidied = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, tidyPart(key, value)]));
	if ("format" in tidied) delete tidied.pattern;
	if (tidied.maximum === Number.MAX_SAFE_INTEGER) delete tidied.maximum;
	if (tidied.minimum === Number.MIN_SAFE_INTEGER) delete tidied.minimum;
	if (isSchema(tidied.propertyNames) && Object.keys(tidied.propertyNames).join() === "type")
		delete tidied.propertyNames;
	if ("const" in tidied && tidied.const !== undefined) {
		tidied.enum = [tidied.const];
		delete tidied.const;
	}
	if (Array.isArray(tidied.oneOf) && tidied.anyOf === undefined) {
		tidied.anyOf = tidied.oneOf;
		delete tidied.oneOf;
	}
	const closed = tidied.type === "object" && tidied.additionalProperties === undefined;
	return closed ? { ...tidied, additionalProperties: false } : tidied;
}

function tidyPart(key: string, value: Json | undefined): Json | undefined {
	if (key === "properties" || key === "$defs") {
		const members = isSchema(value) ? Object.entries(value) : [];
		return Object.fromEntries(members.map(([name, member]) => [name, isSchema(member) ? tidy(member) : member]));
	}
	if (["items", "additionalProperties", "propertyNames"].includes(key)) return isSchema(value) ? tidy(value) : value;
	if (["anyOf", "oneOf", "allOf", "prefixItems"].includes(key) && Array.isArray(value)) {
		return value.map((branch) => (isSchema(branch) ? tidy(branch) : branch));
	}
	return value;
}
