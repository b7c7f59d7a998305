import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/call/json.js";
import { argumentChecker } from "../../src/schema/check-arguments.js";
import type { JsonSchema } from "../../src/schema/json-schema.js";
import { isSchema, orNull } from "../../src/schema/nullable.js";
import { strictSchema } from "../../src/schema/strict.js";

/** A schema as the signature reader writes it, and values that fit it. */
interface Fitting {
	schema: JsonSchema;
	values: fc.Arbitrary<Json>;
}

const names = fc.constantFrom("day", "name", "phone", "note", "at", "constructor", "toString", "x y", "länge");
const NUMBERS = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value));

const scalar: fc.Arbitrary<Fitting> = fc.oneof(
	fc.constant({ schema: { type: "string" }, values: fc.string() }),
	fc.constant({ schema: { type: "number" }, values: NUMBERS }),
	fc.constant({ schema: { type: "boolean" }, values: fc.boolean() }),
	fc.constant({
		schema: { type: "string", format: "date-time" },
		values: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString()),
	}),
	fc
		.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 })
		.map((values) => ({ schema: { type: "string", enum: values }, values: fc.constantFrom(...values) })),
);

const { any } = fc.letrec<{ any: Fitting; object: Fitting }>((tie) => ({
	any: fc.oneof(
		{ depthSize: "xsmall", withCrossShrink: true },
		scalar,
		scalar.map(nullable),
		tie("any").map(({ schema, values }) => ({
			schema: { type: "array", items: schema },
			values: fc.array(values, { maxLength: 3 }),
		})),
		fc.array(tie("any"), { minLength: 1, maxLength: 3 }).map((parts) => ({
			schema: {
				type: "array",
				prefixItems: parts.map(({ schema }) => schema),
				minItems: parts.length,
				maxItems: parts.length,
				items: false,
			},
			values: fc.tuple(...parts.map(({ values }) => values)),
		})),
		tie("object"),
		tie("object").map(nullable),
		scalar.map(({ schema, values }) => ({
			schema: { type: "object", additionalProperties: schema },
			values: fc.dictionary(fc.string(), values, { maxKeys: 3, noNullPrototype: true }),
		})),
		fc.tuple(tie("object"), tie("object")).map(([a, b]) => ({
			schema: { anyOf: [kinded(a.schema, "a"), kinded(b.schema, "b")] },
			values: fc.oneof(
				a.values.map((value) => ({ ...(value as JsonObject), kind: "a" })),
				b.values.map((value) => ({ ...(value as JsonObject), kind: "b" })),
			),
		})),
	),
	object: fc
		.tuple(fc.uniqueArray(fc.tuple(names, tie("any"), fc.boolean()), { selector: ([name]) => name, maxLength: 4 }))
		.map(([members]) => objectOf(members)),
}));

function objectOf(members: readonly (readonly [name: string, member: Fitting, required: boolean])[]): Fitting {
	const own = (entries: readonly (readonly [string, unknown])[]) => Object.fromEntries(entries);
	return {
		schema: {
			type: "object",
			properties: own(members.map(([name, { schema }]) => [name, schema])) as JsonObject,
			required: members.filter(([, , required]) => required).map(([name]) => name),
			additionalProperties: false,
		},
		values: fc
			.tuple(
				...members.map(([, { values }, required]) =>
					required ? values.map((value) => [value]) : fc.array(values, { maxLength: 1 }),
				),
			)
			.map(
				(chosen) =>
					own(
						chosen.flatMap((value, index) => value.map((one) => [members[index]?.[0] ?? "", one] as const)),
					) as JsonObject,
			),
	};
}

function nullable({ schema, values }: Fitting): Fitting {
	return { schema: orNull(schema), values: fc.oneof(values, fc.constant(null)) };
}

function kinded(schema: JsonSchema, kind: string): JsonSchema {
	const { properties, required } = schema as { properties: JsonObject; required: string[] };
	return {
		...schema,
		properties: { ...properties, kind: { type: "string", enum: [kind] } },
		required: [...required, "kind"],
	};
}

const argumentsOf = fc
	.uniqueArray(fc.tuple(names, any, fc.boolean()), { selector: ([name]) => name, maxLength: 4 })
	.map(objectOf)
	.chain(({ schema, values }) => values.map((args) => ({ schema, args })));

/** Every object inside a value that is closed, by its steps. */
function closedObjects(schema: JsonSchema, value: Json, at: (string | number)[] = []): (string | number)[][] {
	const into = (inner: Json | undefined, item: Json | undefined, step: string | number) =>
		isSchema(inner) && item !== undefined ? closedObjects(inner, item, [...at, step]) : [];
	if (Array.isArray(schema.anyOf)) {
		const kind = isSchema(value) ? value.kind : undefined;
		const branches = schema.anyOf.filter(isSchema);
		const meant = branches.filter(
			(branch) =>
				branch.type !== "null" &&
				isSchema(value) &&
				(kind === undefined || JSON.stringify(branch).includes(`"enum":["${String(kind)}"]`)),
		);
		return meant.slice(0, 1).flatMap((branch) => closedObjects(branch, value, at));
	}
	if (Array.isArray(value)) {
		const parts = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
		return value.flatMap((item, index) => into(parts[index] ?? schema.items, item, index));
	}
	if (!isSchema(value) || !isSchema(schema.properties)) return [];
	const { properties } = schema;
	return [at, ...Object.entries(value).flatMap(([name, member]) => into(properties[name], member, name))];
}

function withExtra(value: Json, [step, ...rest]: readonly (string | number)[]): Json {
	if (step === undefined) return { ...(value as JsonObject), surplus: 1 };
	if (Array.isArray(value)) return value.map((item, index) => (index === step ? withExtra(item, rest) : item));
	return Object.fromEntries(
		Object.entries(value as JsonObject).map(([name, member]) => [
			name,
			name === step ? withExtra(member ?? null, rest) : member,
		]),
	);
}

describe("for any schema a signature can give", { timeout: 60_000 }, () => {
	test("whatever fits a schema is accepted, and nothing of it is changed", () => {
		fc.assert(
			fc.property(argumentsOf, ({ schema, args }) => {
				expect(argumentChecker(schema)(args)).toEqual({ ok: true, value: args });
			}),
			{ numRuns: 60, seed: 20261130 },
		);
	});

	test("one member too many, in any closed object, is refused by its path", () => {
		fc.assert(
			fc.property(argumentsOf, fc.nat(), ({ schema, args }, pick) => {
				const objects = closedObjects(schema, args);
				const steps = objects[pick % objects.length] ?? [];
				const checked = argumentChecker(schema)(withExtra(args, steps));
				expect(checked.ok).toBe(false);
				const found = checked.ok ? [] : checked.issues;
				expect(found.filter(({ path, got }) => path.endsWith("surplus") && got === "an unknown member")).toHaveLength(
					1,
				);
			}),
			{ numRuns: 60, seed: 20261130 },
		);
	});

	test("what a strict model sends, null for all it has nothing for, comes back as what it meant", () => {
		let strict = 0;
		fc.assert(
			fc.property(argumentsOf, ({ schema, args }) => {
				const shown = strictSchema(schema);
				if (shown === undefined) return;
				strict++;
				const sent = filled(shown, args);
				expect(argumentChecker(shown)(sent)).toEqual({ ok: true, value: sent });
				const heard = argumentChecker(schema)(sent);
				if (!heard.ok) throw new Error(JSON.stringify(heard.issues));
				// A member that is optional and nullable keeps the null: both mean "none" there.
				expect(withoutNulls(heard.value)).toEqual(withoutNulls(args));
			}),
			{ numRuns: 60, seed: 20261130 },
		);
		expect(strict).toBeGreaterThan(10);
	});
});

function withoutNulls(value: Json): Json {
	if (Array.isArray(value)) return value.map(withoutNulls);
	if (!isSchema(value)) return value;
	const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
	return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member ?? null)]));
}

/** The value with a null for every member that a strict schema asks for and it lacks. */
function filled(schema: JsonSchema, value: Json): Json {
	if (Array.isArray(schema.anyOf)) {
		const branches = schema.anyOf.filter(isSchema);
		const fits = branches.find((branch) => {
			const sent = filled(branch, value);
			return argumentChecker({ type: "object", properties: { it: branch }, required: ["it"] })({ it: sent }).ok;
		});
		return fits === undefined ? value : filled(fits, value);
	}
	if (Array.isArray(value)) return value.map((item) => (isSchema(schema.items) ? filled(schema.items, item) : item));
	if (!isSchema(value) || !isSchema(schema.properties)) return value;
	return Object.fromEntries(
		Object.entries(schema.properties).map(([name, member]) => {
			const own = Object.hasOwn(value, name) ? value[name] : undefined;
			return [name, own === undefined || !isSchema(member) ? null : filled(member, own)];
		}),
	);
}
