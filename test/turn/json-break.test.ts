import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonBreak } from "../../src/turn/json-break.js";

test.each([
	['{"day": "tue"', 13],
	['{"city":"Par', 12],
	['{"a":1,}', 7],
	["{'a':1}", 1],
	['{"a" 1}', 5],
	["", 0],
	["[1 2]", 3],
	['{"a":01}', 6],
	['"a\nb"', 2],
	["tru", 0],
	["{}{}", 2],
	["[}", 1],
])("%j breaks at %i", (text, at) => {
	expect(jsonBreak(text)).toBe(at);
});

test("agrees with JSON.parse on what is JSON, and every cut of an object breaks where it was cut", () => {
	const parses = (text: string) => {
		try {
			JSON.parse(text);
			return true;
		} catch {
			return false;
		}
	};
	const near = fc
		.tuple(fc.json(), fc.nat(), fc.constantFrom("", '"', "{", "]", ",", ":", "\\", "0", " ", "é"))
		.map(([json, at, extra]) => json.slice(0, at % (json.length + 1)) + extra + json.slice(at % (json.length + 1)));
	fc.assert(
		fc.property(fc.oneof(fc.json(), near, fc.string()), (text) => {
			expect(jsonBreak(text) === undefined).toBe(parses(text));
		}),
		{ numRuns: 2000, seed: 7 },
	);
	fc.assert(
		fc.property(fc.json(), fc.nat(), (json, at) => {
			const whole = `{"a":${json}}`;
			const cut = whole.slice(0, at % whole.length);
			expect(jsonBreak(cut)).toBeTypeOf("number");
		}),
		{ seed: 7 },
	);
});

test("nesting without end does not overflow the stack", () => {
	expect(jsonBreak("[".repeat(200_000))).toBe(200_000);
});
