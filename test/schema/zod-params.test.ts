import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Json } from "../../src/call/json.js";
import { zodParams } from "../../src/schema/zod-params.js";

const issues = (type: z.ZodType, args: Json) => {
	const checked = zodParams(type, "Clinic.book").check(args);
	return checked.ok ? [] : checked.issues.map(({ path, expected, got }) => `${path}: ${expected}; ${got}`);
};
const only = (type: z.ZodType, value: Json) => issues(z.object({ it: type }), { it: value });

test("the model is told the input side, closed, without what zod adds for itself", () => {
	const type = z.object({
		day: z.enum(["tue", "mon"]).describe("The day."),
		mail: z.email().optional(),
		count: z.int().default(1),
		kind: z.discriminatedUnion("t", [
			z.object({ t: z.literal("a") }),
			z.object({ t: z.literal("b"), n: z.number().min(1) }),
		]),
		notes: z.record(z.string(), z.string()),
		open: z.looseObject({ id: z.string() }),
	});
	expect(zodParams(type, "Clinic.book").parameters).toEqual({
		type: "object",
		properties: {
			day: { type: "string", enum: ["tue", "mon"], description: "The day." },
			mail: { type: "string", format: "email" },
			count: { type: "integer", default: 1 },
			kind: {
				anyOf: [
					{
						type: "object",
						properties: { t: { type: "string", enum: ["a"] } },
						required: ["t"],
						additionalProperties: false,
					},
					{
						type: "object",
						properties: { t: { type: "string", enum: ["b"] }, n: { type: "number", minimum: 1 } },
						required: ["t", "n"],
						additionalProperties: false,
					},
				],
			},
			notes: { type: "object", additionalProperties: { type: "string" } },
			open: { type: "object", properties: { id: { type: "string" } }, required: ["id"], additionalProperties: {} },
		},
		required: ["day", "kind", "notes", "open"],
		additionalProperties: false,
	});
});

test("a recursive type is no hindrance", () => {
	const Tree = z.object({
		label: z.string(),
		get kids() {
			return z.array(Tree).optional();
		},
	});
	const args = { tree: { label: "a", kids: [{ label: "b" }] } };
	expect(zodParams(z.object({ tree: Tree }), "Clinic.book").check(args)).toEqual({ ok: true, value: args });
	expect(issues(z.object({ tree: Tree }), { tree: { label: "a", kids: [{ label: 1 }] } })).toEqual([
		"tree.kids[0].label: string; a number",
	]);
});

test("transforms and defaults are applied to the value", () => {
	const type = z.object({
		phone: z.string().transform((text) => text.replaceAll(/\D/g, "")),
		people: z.number().default(1),
		count: z.coerce.number(),
	});
	expect(zodParams(type, "Clinic.book").check({ phone: "+351 912", count: "7" })).toEqual({
		ok: true,
		value: { phone: "351912", people: 1, count: 7 },
	});
});

test("null for an optional member counts as absent", () => {
	const type = z.object({ note: z.string().optional(), people: z.number().default(1), maybe: z.string().nullable() });
	expect(zodParams(type, "Clinic.book").check({ note: null, people: null, maybe: null })).toEqual({
		ok: true,
		value: { people: 1, maybe: null },
	});
});

describe("issues are in the same words as for signatures", () => {
	test.each<[string, z.ZodType, Json, string[]]>([
		["missing", z.object({ a: z.enum(["x", "y"]) }), {}, ['it.a: one of "x", "y"; nothing']],
		["type", z.string(), 5, ["it: a string; a number"]],
		["whole number", z.int(), 1.5, ["it: a whole number; a number"]],
		["choice", z.enum(["x", "y"]), "z", ['it: one of "x", "y"; a string']],
		["length", z.string().min(2), "a", ["it: a string of at least 2 characters; a string"]],
		["bound", z.number().gt(3), 3, ["it: a number above 3; a number"]],
		["items", z.array(z.number()).max(1), [1, 2], ["it: a list of at most 1 items; a list"]],
		["multiple", z.number().multipleOf(5), 7, ["it: a multiple of 5; a number"]],
		["format", z.iso.date(), "tomorrow", ["it: a date like 2026-05-04; a string"]],
		["pattern", z.string().regex(/^x/), "y", ["it: a string that matches /^x/; a string"]],
		[
			"author's words",
			z.string().regex(/^9\d{8}$/, "a Portuguese mobile number"),
			"1",
			["it: a Portuguese mobile number; a string"],
		],
		[
			"author's rule",
			z.string().refine((text) => text === "a", "a day in the future"),
			"b",
			["it: a day in the future; a string"],
		],
		["unknown member", z.object({ a: z.string() }), { a: "x", b: 1 }, ["it.b: only a; an unknown member"]],
		["union, one meant", z.union([z.string(), z.object({ k: z.literal("a") })]), { k: "b" }, ['it.k: "a"; a string']],
		[
			"union, none meant",
			z.union([z.string(), z.object({ k: z.string() })]),
			5,
			["it: a string or an object with k; a number"],
		],
		[
			"discriminator",
			z.discriminatedUnion("t", [z.object({ t: z.literal("a") }), z.object({ t: z.literal("b") })]),
			{ t: "c" },
			['it.t: one of "a", "b"; a string'],
		],
		["strict", z.strictObject({ a: z.string() }), { a: "x", b: 1 }, ["it.b: only a; an unknown member"]],
		["loose", z.looseObject({ a: z.string() }), { a: "x", b: 1 }, []],
	])("%s", (_name, type, value, told) => {
		expect(only(type, value)).toEqual(told);
	});

	test("no value is ever in them", () => {
		const type = z.object({ a: z.number(), b: z.enum(["x"]), c: z.email(), d: z.union([z.number(), z.boolean()]) });
		const secret = "4111-1111";
		const checked = zodParams(type, "Clinic.book").check({ a: secret, b: secret, c: secret, d: secret });
		expect(checked.ok).toBe(false);
		expect(JSON.stringify(checked)).not.toContain("4111");
	});

	test("arguments that are no object are told as a whole", () => {
		expect(issues(z.object({ a: z.string() }), "text")).toEqual([": an object with a; a string"]);
	});
});

describe("a type that cannot be the parameters of a tool is refused as the author's", () => {
	test.each<[string, z.ZodType, string]>([
		["no object", z.array(z.string()), "the params of Clinic.book is not an object, and arguments come by name"],
		[
			"a union",
			z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
			"the params of Clinic.book is not an object, and arguments come by name",
		],
		[
			"a date",
			z.object({ at: z.date() }),
			"the params of Clinic.book have no schema: Date cannot be represented in JSON Schema",
		],
		[
			"a bigint",
			z.object({ n: z.bigint() }),
			"the params of Clinic.book have no schema: BigInt cannot be represented in JSON Schema",
		],
	])("%s", (_name, type, message) => {
		expect(() => zodParams(type, "Clinic.book")).toThrow(
			expect.objectContaining({ code: "BAD_ZOD_PARAMS", fault: "author", where: "Clinic.book", message }),
		);
	});

	test("one whose output is not JSON, or that is checked asynchronously, is refused when it is first used", () => {
		const dated = zodParams(z.object({ at: z.string().transform((text) => new Date(text)) }), "Clinic.book");
		expect(() => dated.check({ at: "2026-05-04" })).toThrow(
			expect.objectContaining({ code: "BAD_ZOD_PARAMS", fault: "author" }),
		);
		const awaited = zodParams(z.object({ a: z.string().refine(async () => true) }), "Clinic.book");
		expect(() => awaited.check({ a: "x" })).toThrow(
			expect.objectContaining({ code: "BAD_ZOD_PARAMS", fault: "author" }),
		);
	});
});

test("a transform or refinement that throws refuses the arguments, and names what fits no member where one does not", () => {
	const reads = z.object({ at: z.string().transform((text) => new URL(text).href), n: z.number() });
	expect(issues(reads, { at: "https://example.org", n: 1 })).toEqual([]);
	expect(issues(reads, { at: "nowhere", n: 1 })).toEqual([": values that this tool can read; others"]);
	expect(issues(reads, { at: "nowhere", n: 1, more: 2 })).toEqual(["more: only at, n; an unknown member"]);
	expect(
		only(
			z.string().refine((text) => JSON.parse(text)),
			"{",
		),
	).toEqual([": values that this tool can read; others"]);
});
