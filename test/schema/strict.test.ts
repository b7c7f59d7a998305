import { describe, expect, test } from "vitest";
import { argumentChecker } from "../../src/schema/check-arguments.js";
import type { JsonSchema } from "../../src/schema/json-schema.js";
import { offeredSchema, strictSchema } from "../../src/schema/strict.js";

const closed = (properties: JsonSchema, required: string[] = Object.keys(properties)): JsonSchema => ({
	type: "object",
	properties,
	required,
	additionalProperties: false,
});

test("every member becomes required, an optional one nullable, at every depth", () => {
	const schema = closed(
		{
			name: { type: "string", description: "The name.", "x-pii": true },
			note: { type: "string" },
			day: { type: "string", enum: ["mon", "tue"], description: "The day." },
			inner: closed({ id: { type: "number" }, tag: { type: "string" } }, ["id"]),
			list: { type: "array", items: closed({ n: { type: "integer" } }, []), description: "All." },
			either: { anyOf: [{ type: "string" }, closed({ k: { type: "boolean" } })] },
			maybe: { type: ["string", "null"] },
		},
		["name", "inner"],
	);
	expect(strictSchema(schema)).toEqual(
		closed({
			name: { type: "string", description: "The name." },
			note: { type: ["string", "null"] },
			day: { type: ["string", "null"], enum: ["mon", "tue", null], description: "The day." },
			inner: closed({ id: { type: "number" }, tag: { type: ["string", "null"] } }),
			list: {
				description: "All.",
				anyOf: [{ type: "array", items: closed({ n: { type: ["integer", "null"] } }) }, { type: "null" }],
			},
			either: { anyOf: [{ type: "string" }, closed({ k: { type: "boolean" } }), { type: "null" }] },
			maybe: { type: ["string", "null"] },
		}),
	);
});

test("limits are said in words, for servers that refuse them, and stay checked", () => {
	const schema = closed(
		{ n: { type: "number", minimum: 1, description: "How many." }, at: { type: "string", format: "date-time" } },
		["n"],
	);
	expect(strictSchema(schema)).toEqual(
		closed({
			n: { type: "number", description: "How many. (at least 1)" },
			at: { type: ["string", "null"], description: "(format date-time)" },
		}),
	);
	expect(argumentChecker(schema)({ n: 0, at: null })).toMatchObject({ ok: false, issues: [{ path: "n" }] });
});

describe("strict mode has no schema for", () => {
	test.each<[string, JsonSchema]>([
		["a record", closed({ it: { type: "object", additionalProperties: { type: "number" } } })],
		["an open object", closed({ it: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } })],
		["a tuple", closed({ it: { type: "array", prefixItems: [{ type: "string" }], items: false } })],
		["a list of anything", closed({ it: { type: "array" } })],
		["a value of any type", closed({ it: {} })],
		["a described value of any type", closed({ it: { description: "What?" } })],
		["a condition", closed({ it: { type: "string", not: { type: "string" } } })],
		["an open top", { type: "object", properties: {} }],
		["a top that is no object", { anyOf: [closed({})] }],
		[
			"objects nested deeper than ten",
			Array.from({ length: 11 }).reduce<JsonSchema>((inner) => closed({ in: inner }), closed({})),
		],
	])("%s", (_name, schema) => {
		expect(strictSchema(schema)).toBeUndefined();
	});
});

test("a tool without parameters fits", () => {
	expect(strictSchema(closed({}))).toEqual(closed({}));
});

test("what a model is offered is strict where it can be, and never holds our own marks", () => {
	const fits = closed({ a: { type: "string", "x-pii": true } });
	expect(offeredSchema(fits)).toEqual({ strict: true, parameters: closed({ a: { type: "string" } }) });
	const open = closed({
		it: { type: "object", additionalProperties: { type: "string", "x-pii": true } },
		"x-pii": { type: "string" },
	});
	expect(offeredSchema(open)).toEqual({
		strict: false,
		parameters: closed({
			it: { type: "object", additionalProperties: { type: "string" } },
			"x-pii": { type: "string" },
		}),
	});
	expect(offeredSchema(fits).parameters).toBe(offeredSchema(fits).parameters);
});
