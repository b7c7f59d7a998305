import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { Json, JsonObject } from "../call/json.js";
import { CallboardError } from "../errors.js";
import { withoutAbsent } from "./absent-null.js";
import { FORMAT_CHECKS } from "./format-checks.js";
import type { Checked, Issue, JsonSchema } from "./json-schema.js";
import { isSchema } from "./nullable.js";
import { kindWords, limitWords, memberNames, pathWords, schemaWords } from "./schema-words.js";
import { unionBranch } from "./union-branch.js";

/** More than a model can use at once. */
const MOST_ISSUES = 20;

const ajv = new Ajv2020({
	allErrors: true,
	strict: false,
	verbose: true,
	logger: false,
	ownProperties: true,
	formats: FORMAT_CHECKS,
});
const compiled = new WeakMap<JsonSchema, ValidateFunction>();

/**
 * A check of arguments against their schema: every member, at every depth, none more. The schema is compiled when it is
 * first needed. A null for an optional member that is not nullable counts as absent (see `withoutAbsent`) and is left
 * out of the value; defaults are not filled in. Issues name places and kinds, never a value.
 *
 * @throws CallboardError `BAD_SCHEMA`, at the first check, when the schema itself is wrong.
 */
export function argumentChecker(schema: JsonSchema): (args: Json) => Checked<JsonObject> {
	return (args) => {
		const value = withoutAbsent(schema, args);
		if (!isSchema(value)) {
			return {
				ok: false,
				issues: [{ path: "", expected: schemaWords({ ...schema, type: "object" }), got: kindWords(value) }],
			};
		}
		const issues = issuesOf(schema, value, []);
		return issues.length === 0 ? { ok: true, value } : { ok: false, issues: issues.slice(0, MOST_ISSUES) };
	};
}

/**
 * Refuses a schema that is none, before anything is checked by it.
 *
 * @throws CallboardError `BAD_SCHEMA` with the place given as `where`.
 */
export function refuseBadSchema(schema: JsonSchema, where: string): void {
	validatorOf(schema, where);
}

function validatorOf(schema: JsonSchema, where?: string): ValidateFunction {
	const known = compiled.get(schema);
	if (known !== undefined) return known;
	const { $schema: _draft, $id: _id, ...rest } = schema;
	try {
		const validate = ajv.compile(rest);
		// The compiled function is kept above, with the schema it belongs to; the second copy inside would never be freed.
		ajv.removeSchema(rest);
		compiled.set(schema, validate);
		return validate;
	} catch (cause) {
		throw new CallboardError("BAD_SCHEMA", "author", "the parameters of a tool are not a JSON Schema", {
			...(where === undefined ? {} : { where }),
			next: `correct it: ${cause instanceof Error ? cause.message : String(cause)}`,
			cause,
		});
	}
}

type Steps = readonly (string | number)[];

function issuesOf(schema: JsonSchema, value: Json, base: Steps): Issue[] {
	const validate = validatorOf(schema);
	if (validate(value)) return [];
	const errors = validate.errors ?? [];
	const unions = errors.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
	const mistyped = new Set(errors.flatMap(({ keyword, instancePath }) => (keyword === "type" ? [instancePath] : [])));
	const outside = errors.filter(
		(error) =>
			!unions.some((union) => isInside(error, union)) &&
			(error.keyword === "type" || !mistyped.has(error.instancePath) || unions.includes(error)),
	);
	return outside.flatMap((error) => {
		const steps = [...base, ...stepsOf(error.instancePath, value)];
		const branches = error.schema;
		const branch =
			unions.includes(error) && Array.isArray(branches) ? unionBranch(branches, error.data as Json) : undefined;
		const nested = branch === undefined || usesReferences(branch) ? [] : issuesOf(branch, error.data as Json, steps);
		return nested.length > 0 ? nested : [issueOf(error, steps)];
	});
}

/** Whether an error was found inside a member of a union that failed as a whole. */
function isInside(error: ErrorObject, union: ErrorObject): boolean {
	return (
		error !== union &&
		error.schemaPath.startsWith(`${union.schemaPath}/`) &&
		error.instancePath.startsWith(union.instancePath)
	);
}

function usesReferences(schema: JsonSchema): boolean {
	return JSON.stringify(schema).includes('"$ref"');
}

function issueOf({ keyword, params, parentSchema, data, message }: ErrorObject, steps: Steps): Issue {
	const schema: JsonSchema = isSchema(parentSchema) ? parentSchema : {};
	const path = pathWords(steps);
	const value = data as Json;
	switch (keyword) {
		case "required": {
			const name = String(params.missingProperty);
			const member = isSchema(schema.properties) ? schema.properties[name] : undefined;
			const expected = isSchema(member) ? schemaWords(member) : "a value";
			return { path: pathWords([...steps, name]), expected, got: "nothing" };
		}
		case "additionalProperties":
		case "unevaluatedProperties": {
			const name = String(params.additionalProperty ?? params.unevaluatedProperty);
			const names = memberNames(schema);
			const expected = names.length === 0 ? "no members" : `only ${names.join(", ")}`;
			return { path: pathWords([...steps, name]), expected, got: "an unknown member" };
		}
		case "type":
			return { path, expected: schemaWords(schema), got: kindWords(value) };
		case "enum":
		case "const":
		case "anyOf":
		case "oneOf":
			return { path, expected: schemaWords(schema), got: anotherWords(value) };
		case "format":
			return { path, expected: schemaWords({ format: String(params.format), type: "string" }), got: "another string" };
		case "uniqueItems":
			return { path, expected: "a list without repeats", got: anotherWords(value) };
		case "pattern":
			return { path, expected: `a string that matches ${String(params.pattern)}`, got: "another string" };
		case "minimum":
		case "maximum":
		case "exclusiveMinimum":
		case "exclusiveMaximum":
		case "minLength":
		case "maxLength":
		case "minItems":
		case "maxItems":
		case "multipleOf":
			return {
				path,
				expected: limitWords(keyword, Number(params.limit ?? params.multipleOf)),
				got: anotherWords(value),
			};
		default:
			return {
				path,
				expected: (message ?? `what ${keyword} asks for`).replace(/^must /, "to "),
				got: kindWords(value),
			};
	}
}

function anotherWords(value: Json): string {
	return kindWords(value).replace(/^an? (?!empty)/, "another ");
}

/** The steps of a JSON pointer; a step into a list is its index. */
function stepsOf(pointer: string, value: Json): (string | number)[] {
	const names = pointer.split("/").slice(1);
	let at: Json | undefined = value;
	return names.map((escaped) => {
		const name = escaped.replaceAll("~1", "/").replaceAll("~0", "~");
		const step = Array.isArray(at) ? Number(name) : name;
		at = Array.isArray(at) ? at[Number(name)] : isSchema(at) ? at[name] : undefined;
		return step;
	});
}
