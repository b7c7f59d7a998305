import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseMarkdown, safeHref } from "../../channels/web/client/markdown.js";

type Node = ReturnType<typeof parseMarkdown>[number];

/** Compact: `p(text strong(bold))`. */
function outline(nodes: readonly Node[]): string {
	return nodes
		.map((node) => {
			if (typeof node === "string") return node;
			const href = node.href === undefined ? "" : `[${node.href}]`;
			return `${node.tag}${href}(${outline(node.children)})`;
		})
		.join("");
}

function words(nodes: readonly Node[]): string {
	return nodes.map((node) => (typeof node === "string" ? node : words(node.children))).join("");
}

describe("the Markdown the page shows", () => {
	test.each([
		["plain words", "p(plain words)"],
		["one\ntwo\n\nthree", "p(onebr()two)p(three)"],
		["**bold** and *italic* and `code`", "p(strong(bold) and em(italic) and code(code))"],
		["__bold__ _it_ ***both*** ~~gone~~", "p(strong(bold) em(it) strong(em(both)) del(gone))"],
		["**bold with *italic* inside**", "p(strong(bold with em(italic) inside))"],
		["snake_case_name and 2 * 3 * 4", "p(snake_case_name and 2 * 3 * 4)"],
		["not **closed and `open", "p(not **closed and `open)"],
		["\\*literal\\* \\[x\\]", "p(*literal* [x])"],
		["# Heading\ntext", "h3(Heading)p(text)"],
		["- a\n- b\n  - c\n- d", "ul(li(a)li(bul(li(c)))li(d))"],
		["1. a\n2. b", "ol(li(a)li(b))"],
		["3) c", "ol(li(c))"],
		["Sizes:\n- a", "p(Sizes:)ul(li(a))"],
		["> said\n> more", "blockquote(p(saidbr()more))"],
		["```js\nlet a = '**x**';\n```\nafter", "pre(code(let a = '**x**';))p(after)"],
		["```\nnever closed", "pre(code(never closed))"],
		["```one line```", "p(code(one line))"],
		["``` two words", "p(``` two words)"],
		["---", "hr()"],
		["[site](https://a.example/x) now", "p(a[https://a.example/x](site) now)"],
		["[mail](mailto:a@b.example) [call](tel:+34600)", "p(a[mailto:a@b.example](mail) a[tel:+34600](call))"],
		["see https://a.example/x, ok", "p(see a[https://a.example/x](https://a.example/x), ok)"],
		["[x](javascript:alert(1))", "p([x](javascript:alert(1)))"],
		["[x](data:text/html,hi) [y](//evil.example)", "p([x](data:text/html,hi) [y](//evil.example))"],
		["<b>no</b> &amp; <script>x</script>", "p(<b>no</b> &amp; <script>x</script>)"],
	])("%j", (text, expected) => {
		expect(outline(parseMarkdown(text))).toBe(expected);
	});

	test("an ordered list goes on where the writer says", () => {
		expect(parseMarkdown("4. d\n5. e")[0]).toMatchObject({ tag: "ol", start: 4 });
	});

	test.each([
		"javascript:alert(1)",
		" JaVaScRiPt:alert(1)",
		"java\nscript:x",
		"vbscript:x",
		"data:x",
		"file:///x",
		"blob:x",
		"/x",
		"https:x",
		"https://a b",
	])("an address like %j is no link", (address) => {
		expect(safeHref(address)).toBeUndefined();
	});

	test("any text is read without a word lost, and every link is one a person may follow", () => {
		const mark = fc.constantFrom(
			"**",
			"*",
			"_",
			"`",
			"```\n",
			"```js\n",
			"\n",
			"\n\n",
			"- ",
			"1. ",
			"> ",
			"# ",
			"[",
			"](",
			")",
			"https://a.example",
			"javascript:",
			"  ",
			"\\",
			"~~",
			"word",
			"ñ",
			"<img>",
		);
		const letters = (text: string) => text.replace(/[^\p{L}<>]/gu, "");
		fc.assert(
			fc.property(fc.array(mark, { maxLength: 40 }), (marks) => {
				const text = marks.join("");
				const nodes = parseMarkdown(text);
				for (const href of JSON.stringify(nodes).matchAll(/"href":"([^"]*)"/g))
					expect(safeHref(href[1] ?? "")).toBeDefined();
				const shown = letters(words(nodes));
				for (const kept of ["word", "ñ"]) {
					expect(shown.split(kept).length).toBeGreaterThanOrEqual(unlinked(text).split(kept).length);
				}
			}),
			{ numRuns: 1_000 },
		);
	});

	test.each([
		"*".repeat(20_000),
		"[".repeat(20_000),
		"`".repeat(20_000),
		"_a".repeat(10_000),
		"> ".repeat(5_000),
		">".repeat(100_000),
		Array.from({ length: 300 }, (_, depth) => `${" ".repeat(depth)}- x`).join("\n"),
		"**a".repeat(7_000),
	])("a text made to be slow is read all the same", (text) => {
		const nodes = parseMarkdown(text);
		expect(nodes.length).toBeGreaterThan(0);
		expect(depthOf(nodes)).toBeLessThan(50);
	});
});

function depthOf(nodes: readonly Node[]): number {
	return Math.max(0, ...nodes.map((node) => (typeof node === "string" ? 0 : 1 + depthOf(node.children))));
}

/** Without what a label stands for. */
function unlinked(text: string): string {
	return text.replace(/\]\([^)]*\)?/g, "");
}
