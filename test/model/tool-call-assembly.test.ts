import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ToolCallAssembly, type ToolCallPiece } from "../../src/model/tool-call-assembly.js";

function assembled(pieces: readonly ToolCallPiece[], taken: readonly string[] = []) {
	const assembly = new ToolCallAssembly();
	for (const piece of pieces) assembly.add(piece);
	return assembly.finish(new Set(taken)).map((call) => [call.id, call.name, call.arguments]);
}

const piece = (index: number | undefined, id: string | undefined, name: string | undefined, args?: unknown) =>
	({ index, id, function: { name, arguments: args } }) as ToolCallPiece;

describe("tool calls are put together", () => {
	test("from pieces that take turns, by index", () => {
		expect(
			assembled([
				piece(0, "a", "slots", ""),
				piece(1, "b", "book", ""),
				piece(0, undefined, undefined, '{"day":'),
				piece(1, undefined, undefined, '{"slot":'),
				piece(1, undefined, undefined, "2}"),
				piece(0, undefined, undefined, '"mon"}'),
			]),
		).toEqual([
			["a", "slots", '{"day":"mon"}'],
			["b", "book", '{"slot":2}'],
		]);
	});

	test("from whole calls without an index, a chunk each", () => {
		expect(
			assembled([piece(undefined, "a", "slots", '{"day":"mon"}'), piece(undefined, "b", "slots", '{"day":"tue"}')]),
		).toEqual([
			["a", "slots", '{"day":"mon"}'],
			["b", "slots", '{"day":"tue"}'],
		]);
	});

	test("from whole calls that all stand under index 0", () => {
		expect(
			assembled([
				piece(0, "a", "slots", '{"day":"mon"}'),
				piece(0, "b", "slots", '{"day":"tue"}'),
				piece(0, "c", "bye", "{}"),
			]),
		).toEqual([
			["a", "slots", '{"day":"mon"}'],
			["b", "slots", '{"day":"tue"}'],
			["c", "bye", "{}"],
		]);
	});

	test("from a second object that comes under the first one's index, without a name or id", () => {
		expect(
			assembled([
				piece(0, "a", "slots", ""),
				piece(0, undefined, "", '{"day":"mon"}'),
				piece(0, undefined, "", '{"day":"tue"}'),
			]),
		).toEqual([
			["a", "slots", '{"day":"mon"}'],
			["call00002", "slots", '{"day":"tue"}'],
		]);
	});

	test("from pieces without an index that repeat the id", () => {
		expect(
			assembled([
				piece(undefined, "a", "slots", '{"da'),
				piece(undefined, "a", undefined, 'y":"mon"}'),
				piece(undefined, "b", "bye", ""),
			]),
		).toEqual([
			["a", "slots", '{"day":"mon"}'],
			["b", "bye", "{}"],
		]);
	});

	test("from pieces without index or id, which belong to the last call", () => {
		expect(
			assembled([
				piece(undefined, undefined, "slots", '{"day":'),
				piece(undefined, undefined, undefined, '"mon"}'),
				piece(undefined, undefined, "bye", undefined),
			]),
		).toEqual([
			["call00001", "slots", '{"day":"mon"}'],
			["call00002", "bye", "{}"],
		]);
	});

	test("with arguments that came as an object, or not at all", () => {
		expect(
			assembled([piece(0, "a", "slots", { day: "mon" }), piece(1, "b", "bye", null), { index: 2, id: "c" }]),
		).toEqual([
			["a", "slots", '{"day":"mon"}'],
			["b", "bye", "{}"],
			["c", "", "{}"],
		]);
	});

	test("with an empty object first and the real one after it", () => {
		expect(assembled([piece(0, "a", "slots", "{}"), piece(0, undefined, undefined, '{"day":"mon"}')])).toEqual([
			["a", "slots", '{"day":"mon"}'],
		]);
	});

	test("with ids of their own where one is missing, repeated, or already in the history", () => {
		expect(
			assembled(
				[piece(0, "same", "a", "{}"), piece(1, "same", "b", "{}"), piece(2, "", "c", "{}"), piece(3, "old", "d", "{}")],
				["old"],
			).map(([id]) => id),
		).toEqual(["same", "call00003", "call00004", "call00005"]);
	});
});

test("however a call's arguments are cut into pieces, they come out whole and in order", () => {
	const call = fc.record({
		name: fc.constantFrom("slots", "book", "bye"),
		args: fc.dictionary(fc.string({ minLength: 1 }), fc.oneof(fc.string(), fc.integer(), fc.constant(null)), {
			minKeys: 1,
		}),
	});
	fc.assert(
		fc.property(
			fc.array(call, { minLength: 1, maxLength: 4 }),
			fc.infiniteStream(fc.nat(6)),
			fc.boolean(),
			(calls, cuts, withIndex) => {
				const pieces: ToolCallPiece[] = [];
				for (const [index, { name, args }] of calls.entries()) {
					const at = withIndex ? index : undefined;
					pieces.push(piece(at, `id${index}`, name, ""));
					let rest = JSON.stringify(args);
					while (rest !== "") {
						const length = cuts.next().value + 1;
						pieces.push(piece(at, withIndex ? undefined : `id${index}`, undefined, rest.slice(0, length)));
						rest = rest.slice(length);
					}
				}
				expect(assembled(pieces)).toEqual(
					calls.map(({ name, args }, index) => [`id${index}`, name, JSON.stringify(args)]),
				);
			},
		),
	);
});
