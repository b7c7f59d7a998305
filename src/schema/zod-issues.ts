import { z } from "zod";
import type { Json, JsonObject } from "../call/json.js";
import type { Issue, JsonSchema } from "./json-schema.js";
import { isSchema } from "./nullable.js";
import { kindWords, limitWords, pathWords, schemaWords } from "./schema-words.js";

type ZodIssue = z.core.$ZodIssue;
type Steps = readonly (string | number)[];

const english = z.locales.en().localeError;

/** What zod found, in our words. A message that the author wrote says what is expected; zod's own ones are replaced. */
export function zodIssues(error: z.ZodError, parameters: JsonSchema): Issue[] {
	return error.issues.flatMap((issue) => issuesOf(issue, [], parameters));
}

function issuesOf(issue: ZodIssue, base: Steps, parameters: JsonSchema): Issue[] {
	const steps = [...base, ...issue.path.map((step) => (typeof step === "number" ? step : String(step)))];
	const own = authorsWords(issue);
	if (issue.code === "unrecognized_keys") {
		return issue.keys.map((key) => ({
			path: pathWords([...steps, key]),
			expected: own ?? "only the members that are declared",
			got: "an unknown member",
		}));
	}
	if (issue.code === "invalid_union" && own === undefined) {
		const deep = issue.errors.filter((errors) => errors.length > 0 && errors.every(({ path }) => path.length > 0));
		const [meant] = deep;
		if (deep.length === 1 && meant !== undefined) return meant.flatMap((inner) => issuesOf(inner, steps, parameters));
	}
	if (issue.code === "invalid_union" && issue.discriminator !== undefined) {
		const { discriminator } = issue;
		const options = "options" in issue && Array.isArray(issue.options) ? issue.options : [];
		const value = isSchema(issue.input as Json) ? (issue.input as JsonObject)[discriminator] : undefined;
		const expected = options.length === 0 ? "another value" : choiceWords(options);
		return [{ path: pathWords(steps), expected, got: kindWords(value) }];
	}
	const expected = own ?? expectedWords(issue, schemaAt(parameters, steps));
	return [{ path: pathWords(steps), expected, got: kindWords(issue.input) }];
}

/** The message, when it is not the one zod would have given. */
function authorsWords(issue: ZodIssue): string | undefined {
	if (issue.code === "custom") return issue.message === "Invalid input" ? "another value" : issue.message;
	const usual = english(issue as Parameters<typeof english>[0]);
	const text = typeof usual === "string" ? usual : usual?.message;
	return issue.message === text ? undefined : issue.message;
}

function expectedWords(issue: ZodIssue, schema: JsonSchema | undefined): string {
	const words = schema === undefined ? undefined : schemaWords(schema);
	switch (issue.code) {
		case "too_small":
			return limitWords(limitOf(issue.origin, issue.inclusive === false, "min"), Number(issue.minimum));
		case "too_big":
			return limitWords(limitOf(issue.origin, issue.inclusive === false, "max"), Number(issue.maximum));
		case "not_multiple_of":
			return `a multiple of ${issue.divisor}`;
		case "invalid_format":
			if (issue.format === "regex") return `a string that matches ${issue.pattern ?? "a pattern"}`;
			return schema?.format === undefined ? `a string in the form of ${issue.format}` : (words ?? "a string");
		case "invalid_value":
			return words ?? choiceWords(issue.values);
		default:
			return words ?? issue.message.replace(/^Invalid input: expected |, received .*$/g, "");
	}
}

function choiceWords(values: readonly unknown[]): string {
	return schemaWords({
		enum: values.map((value) => (typeof value === "number" || typeof value === "boolean" ? value : String(value))),
	});
}

function limitOf(origin: string, exclusive: boolean, side: "min" | "max"): string {
	if (origin === "string") return `${side}Length`;
	if (origin === "array" || origin === "set") return `${side}Items`;
	const bound = `${side}imum`;
	return exclusive ? `exclusive${bound.slice(0, 1).toUpperCase()}${bound.slice(1)}` : bound;
}

function schemaAt(schema: JsonSchema, steps: Steps): JsonSchema | undefined {
	let at: Json | undefined = schema;
	for (const step of steps) {
		if (!isSchema(at)) return undefined;
		at =
			typeof step === "number"
				? ((Array.isArray(at.prefixItems) ? at.prefixItems[step] : undefined) ?? at.items)
				: isSchema(at.properties) && Object.hasOwn(at.properties, step)
					? at.properties[step]
					: at.additionalProperties;
	}
	return isSchema(at) && Object.keys(at).length > 0 && at.$ref === undefined ? at : undefined;
}
