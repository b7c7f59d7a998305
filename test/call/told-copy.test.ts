import { describe, expect, test } from "vitest";
import { toldCopy } from "../../src/call/plain.js";

class Money {
	constructor(readonly amount: number) {}
}
class Euros extends Money {
	toJSON() {
		return `${this.amount} €`;
	}
}
const cyclic: Record<string, unknown> = { list: [] };
cyclic.list = [cyclic];

describe("a copy of what is told to a log or a page", () => {
	test("is what JSON would write, with errors by their message", () => {
		const given = {
			at: new Date(0),
			error: new TypeError("no such slot"),
			money: [new Money(5), new Euros(6)],
			left: undefined,
			list: [1, undefined],
			[Symbol("s")]: 1,
			hidden: Object.defineProperty({}, "x", { value: 1, enumerable: false }),
			bare: Object.assign(Object.create(null), { n: 1 }),
		};
		const copy = toldCopy(given, "call.log");
		expect(copy).toEqual({
			at: "1970-01-01T00:00:00.000Z",
			error: "no such slot",
			money: [{ amount: 5 }, "6 €"],
			list: [1, null],
			hidden: {},
			bare: { n: 1 },
		});
		expect(Object.keys(copy as object)).not.toContain("left");
		expect(toldCopy(undefined, "call.log")).toBeNull();
		expect(toldCopy(new Error("down"), "call.log")).toBe("down");
	});

	test("is cut off from the original, and holds a member called __proto__ as one", () => {
		const given = { list: [{ n: 1 }] };
		const copy = toldCopy(given, "call.log");
		given.list[0]!.n = 2;
		expect(copy).toEqual({ list: [{ n: 1 }] });
		const odd = toldCopy(JSON.parse('{"__proto__":{"n":1}}'), "call.log") as object;
		expect(Object.getPrototypeOf(odd)).toBe(Object.prototype);
		expect(JSON.stringify(odd)).toBe('{"__proto__":{"n":1}}');
	});

	test.each<[string, unknown, string]>([
		["a function", { on: [() => 1] }, "a function at on[0]"],
		["a symbol", Symbol("s"), "a symbol"],
		["a bigint", { "full name": 1n }, 'a bigint at ["full name"]'],
		["NaN", [Number.NaN], "NaN at [0]"],
		["a Map", { m: new Map() }, "a Map at m"],
		["a Set", { m: new Set() }, "a Set at m"],
		["a promise", { a: { b: Promise.resolve() } }, "a promise at a.b"],
		["bytes", Buffer.from("x"), "a Buffer"],
		["a value that holds itself", cyclic, "a value that holds itself at list[0]"],
		["no end of nesting", JSON.parse("[".repeat(200) + "]".repeat(200)), "more than 100 levels of nesting at [0]"],
	])("refuses %s with its path", (_name, value, found) => {
		expect(() => toldCopy(value, "call.send")).toThrowError(
			expect.objectContaining({
				code: "NOT_SERIALISABLE",
				message: expect.stringContaining(`call.send holds ${found}`),
				next: expect.stringContaining("plain data"),
			}),
		);
	});
});
