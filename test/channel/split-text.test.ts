import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codeFences } from "../../src/channel/code-fences.js";
import { graphemeBorders } from "../../src/channel/grapheme-borders.js";
import { measure } from "../../src/channel/measure.js";
import { splitText } from "../../src/channel/split-text.js";

const scraps = fc.oneof(
	fc.constantFrom(
		"Hello. ",
		"word ",
		"\n",
		"\n\n",
		"```js\n",
		"```\n",
		"~~~\n",
		"👩‍👩‍👧‍👦",
		"🇪🇸",
		"é",
		"日本語。",
		"  ",
	),
	fc.constantFrom("https://example.org/a?b=c ", "[page](https://example.org/x) ", "`code here`", "\ud83d", "\t"),
	fc.string({ maxLength: 30, unit: "grapheme" }),
	fc.string({ maxLength: 20 }),
);
const texts = fc.array(scraps, { maxLength: 60 }).map((pieces) => pieces.join(""));
const limits = fc.record({
	max: fc.integer({ min: 16, max: 120 }),
	unit: fc.constantFrom("utf16" as const, "codepoints" as const, "bytes" as const),
});

describe("splitting a text into messages", () => {
	it("J: loses nothing: the pieces joined are the source, each fits, in every unit", () => {
		fc.assert(
			fc.property(texts, limits, (text, limit) => {
				const pieces = splitText(text, limit);
				expect(pieces.map((piece) => piece.source).join("")).toBe(text);
				for (const piece of pieces) {
					expect(piece.source).not.toBe("");
					expect(measure(piece.text, limit.unit)).toBeLessThanOrEqual(limit.max);
				}
			}),
			{ numRuns: 500 },
		);
	});

	it("J: never cuts a surrogate pair in two", () => {
		fc.assert(
			fc.property(texts, limits, (text, limit) => {
				const pieces = splitText(text, limit);
				let at = 0;
				for (const piece of pieces.slice(0, -1)) {
					at += piece.source.length;
					expect(/[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(at - 1, at + 1))).toBe(false);
				}
			}),
			{ numRuns: 500 },
		);
	});

	it("finds the characters of a long text where the segmenter finds them, whatever the window", () => {
		const long = fc.array(scraps, { minLength: 40, maxLength: 90 }).map((pieces) => pieces.join(""));
		const joined = fc.constantFrom("\u0301".repeat(600), "👩‍👩‍👧‍👦".repeat(60), "🇪🇸🇪".repeat(120));
		fc.assert(
			fc.property(
				fc.oneof(
					long,
					fc.tuple(long, joined, long).map((parts) => parts.join("")),
				),
				(text) => {
					const expected = new Uint8Array(text.length + 1);
					for (const { index } of new Intl.Segmenter().segment(text)) expected[index] = 1;
					expected[text.length] = 1;
					expect(graphemeBorders(text)).toEqual(expected);
				},
			),
			{ numRuns: 40 },
		);
	});

	it("measures as the platform counts", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), (text) => {
				expect(measure(text, "codepoints")).toBe([...text].length);
				expect(measure(text, "bytes")).toBe(Buffer.byteLength(text));
			}),
		);
	});

	it("does not cut a family, a flag or an accent off its letter", () => {
		for (const character of ["👩‍👩‍👧‍👦", "🇪🇸", "é", "🏳️‍🌈"]) {
			for (const { source } of splitText(character.repeat(40), { max: 30, unit: "utf16" })) {
				expect(source.length % character.length).toBe(0);
			}
		}
	});

	it("cuts one endless character between its code points when it alone is longer than a message", () => {
		const text = `a${"\u0301".repeat(100)}`;
		const pieces = splitText(text, { max: 20, unit: "bytes" });
		expect(pieces.map((piece) => piece.source).join("")).toBe(text);
	});

	it("never cuts a link that fits a message", () => {
		const link = "[the agenda of the clinic](https://example.org/agenda?day=monday)";
		const text = `${"word ".repeat(15)}${link} ${"more ".repeat(15)}https://example.org/${"x".repeat(50)} end`;
		const pieces = splitText(text, { max: 90, unit: "utf16" }).map((piece) => piece.text);
		expect(pieces.some((piece) => piece.includes(link))).toBe(true);
		expect(pieces.some((piece) => piece.includes(`https://example.org/${"x".repeat(50)}`))).toBe(true);
	});

	it("D3: never cuts bold words or code that fit a message", () => {
		for (const whole of ["**Monday at ten**", "__Monday at ten__", "`npm run it`"]) {
			for (let shift = 0; shift < 40; shift += 1) {
				const text = `${"word ".repeat(8).slice(0, shift)} ${whole} ${"more ".repeat(20)}`;
				expect(splitText(text, { max: 40, unit: "utf16" }).some((piece) => piece.text.includes(whole))).toBe(true);
			}
		}
	});

	it("cuts after a paragraph, else a line, else a sentence, else a word", () => {
		const max = { max: 40, unit: "utf16" } as const;
		const first = (text: string) => splitText(text, max)[0]?.source;
		expect(first("One two three four.\n\nFive six.\nSeven eight nine ten.")).toBe("One two three four.\n\n");
		expect(first("One two three four.\nFive six. Seven eight nine ten eleven.")).toBe("One two three four.\n");
		expect(first("One two three four. Five six seven eight nine ten")).toBe("One two three four. ");
		expect(first("one two three four five six seven eight nine ten")).toBe("one two three four five six seven eight ");
		expect(first("x".repeat(50))).toBe("x".repeat(40));
	});

	it("C3, D3: closes a code block of 6000 characters at the end of each message and opens it again in the next", () => {
		const code = Array.from({ length: 200 }, (_, line) => `const value${line} = compute(${line}, "twenty");`).join(
			"\n",
		);
		const text = `Here it is:\n\n\`\`\`js\n${code}\n\`\`\`\nThat was all.`;
		const pieces = splitText(text, { max: 1000, unit: "utf16" });
		expect(pieces.length).toBeGreaterThan(6);
		for (const piece of pieces) {
			const fences = codeFences(piece.text);
			expect(fences.every((fence) => piece.text.slice(fence.bodyEnd).startsWith("```"))).toBe(true);
			expect(piece.text.length).toBeLessThanOrEqual(1000);
		}
		const inside = pieces.flatMap((piece) =>
			codeFences(piece.text).map((f) => piece.text.slice(f.bodyStart, f.bodyEnd)),
		);
		expect(inside.map((body) => body.replace(/\n$/, "")).join("\n")).toBe(code);
	});

	it("leaves a text that fits alone, and makes no message of nothing", () => {
		expect(splitText("hello", { max: 16, unit: "bytes" })).toEqual([{ text: "hello", source: "hello" }]);
		expect(splitText("", { max: 16, unit: "bytes" })).toEqual([]);
		expect(() => splitText("hello", { max: 3, unit: "bytes" })).toThrow("too short");
	});
});
