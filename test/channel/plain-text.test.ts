import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainText } from "../../src/channel/plain-text.js";

describe("Markdown as plain text", () => {
	it.each([
		["**Bold** and *slanted* and ~~gone~~", "Bold and slanted and gone"],
		["# Title\n\nText", "Title\n\nText"],
		["[our page](https://example.org/a)", "our page (https://example.org/a)"],
		["<https://example.org> and https://example.org/b", "https://example.org and https://example.org/b"],
		["![a map](https://example.org/m.png)", "a map (https://example.org/m.png)"],
		["- one\n- two\n  - three", "• one\n• two\n  • three"],
		["3. three\n4. four", "3. three\n4. four"],
		["`a*b*c`", "a*b*c"],
		["```js\nconst a = b * c * d;\n```", "const a = b * c * d;"],
		["> said\n> so", "> said\n> so"],
		["a\\*b", "a*b"],
		["one\ntwo\n\nthree", "one\ntwo\n\nthree"],
		["", ""],
	])("%j reads %j", (markdown, plain) => {
		expect(plainText(markdown)).toBe(plain);
	});

	it("D4: what only looks like markup stays as it is", () => {
		const text = "1.5 - (ok)! _x a<b snake_case_name 2 * 3 * 4 & 5 > 4";
		expect(plainText(text)).toBe(text);
	});

	it("J: loses no word", () => {
		const word = fc.stringMatching(/^[a-z]{3,8}$/);
		const marked = fc.oneof(
			word,
			word.map((w) => `**${w}**`),
			word.map((w) => `[${w}](https://example.org/${w})`),
			word.map((w) => `\n\n# ${w}\n\n`),
			word.map((w) => `\n- ${w}`),
			word.map((w) => `\`${w}\``),
			word.map((w) => `\n\`\`\`\n${w}\n\`\`\`\n`),
			word.map((w) => `\n\n| ${w} |\n|---|\n| ${w} |\n\n`),
			word.map((w) => `<b>${w}</b>`),
			word.map((w) => `\n\n[${w}]: https://example.org\n\n`),
		);
		fc.assert(
			fc.property(fc.array(marked, { maxLength: 12 }), (pieces) => {
				const markdown = pieces.join(" ");
				const plain = plainText(markdown);
				for (const found of markdown.match(/[a-z]{3,8}/g) ?? []) expect(plain).toContain(found);
			}),
			{ numRuns: 300 },
		);
	});
});
