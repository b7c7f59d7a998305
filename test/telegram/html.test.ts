import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { telegramHtml, visibleText, withoutTags } from "../../channels/telegram/html.js";
import { renderPart } from "../../channels/telegram/render-part.js";
import { markupMax } from "../../channels/telegram/telegram-capabilities.js";
import { plainText } from "../../src/channel/plain-text.js";
import { parseTelegramHtml } from "../../src/testing/telegram-html.js";

const htmls = (text: string) =>
	renderPart({ kind: "text", text }).map((payload) => (payload.kind === "text" ? payload.html : ""));

/** What a model writes, well or badly formed. */
const markdown = fc
	.array(
		fc.oneof(
			fc.constantFrom("**", "*", "_", "__", "`", "```", "~~", "[", "](", ")", "<", ">", "&", "\n", "\n\n", "> ", "- "),
			fc.constantFrom(
				"1. ",
				"# ",
				"| a | b |\n|---|---|\n",
				"\\",
				"![",
				"<b>",
				"</b>",
				"&amp;",
				"https://a.es/?b=1&c=2",
			),
			fc.constantFrom(
				"```js\nlet a = 1 < 2;\n```\n",
				"[page](https://a.es)",
				"**bold _and_ `code`**",
				"---\n",
				"👩‍👩‍👧‍👦",
			),
			fc.string({ unit: "grapheme", maxLength: 12 }),
		),
		{ maxLength: 40 },
	)
	.map((pieces) => pieces.join(""));

describe("Markdown as Telegram's HTML", () => {
	it.each([
		["bold", "**Hola** y __adiós__", "<b>Hola</b> y <b>adiós</b>"],
		["italic and struck", "*uno* _dos_ ~~tres~~", "<i>uno</i> <i>dos</i> <s>tres</s>"],
		["code", "use `a < b && c`", "use <code>a &lt; b &amp;&amp; c</code>"],
		[
			"a block with its language",
			"```ts\nconst a = 1 < 2;\n```",
			'<pre><code class="language-ts">const a = 1 &lt; 2;</code></pre>',
		],
		["a block without one", "```\nplain\n```", "<pre>plain</pre>"],
		["a link", "[agenda](https://a.es/?x=1&y=2)", '<a href="https://a.es/?x=1&amp;y=2">agenda</a>'],
		["a quote in an address", '[a](<https://a.es/"onclick="x>)', '<a href="https://a.es/&quot;onclick=&quot;x">a</a>'],
		["a bare link stays bare", "see https://a.es/b?c=1&d=2", "see https://a.es/b?c=1&amp;d=2"],
		["a mail address", "[us](mailto:hola@a.es)", '<a href="mailto:hola@a.es">us</a>'],
		["a link Telegram does not know", "[x](javascript:alert(1))", "x (javascript:alert(1))"],
		["a heading", "# Your *visit*", "<b>Your <i>visit</i></b>"],
		["a list", "- one\n- **two**\n  - three", "• one\n• <b>two</b>\n  • three"],
		["numbers", "3. three\n4. four", "3. three\n4. four"],
		["a quote", "> said **you**", "<blockquote>said <b>you</b></blockquote>"],
		["a quote in a quote", "> a\n>> b", "<blockquote>a\n&gt; b</blockquote>"],
		["a table", "| a | b |\n|---|---|\n| 1 | 2 |", "<pre>| a | b |\n|---|---|\n| 1 | 2 |</pre>"],
		["tags of others", "<b>no</b> <script>x</script>", "&lt;b&gt;no&lt;/b&gt; &lt;script&gt;x&lt;/script&gt;"],
		["bold in bold", "**a __b__ c**", "<b>a b c</b>"],
	])("%s", (_, source, html) => {
		expect(telegramHtml(source)).toBe(html);
		expect(() => parseTelegramHtml(html)).not.toThrow();
	});

	it("D4: what only looks like markup is delivered exactly so, without a backslash", () => {
		for (const text of [
			"1.5 - (ok)! _x a<b",
			"2 * 3 = 6 & 7 > 5",
			"snake_case_name",
			"a_b_c *",
			"C:\\temp",
			"100% [sic]",
		]) {
			const [html = ""] = htmls(text);
			expect(parseTelegramHtml(html).text).toBe(text);
		}
	});

	it("always parses, whatever the model wrote", () => {
		fc.assert(
			fc.property(markdown, (text) => {
				for (const html of htmls(text)) {
					const parsed = parseTelegramHtml(html);
					expect(parsed.text).toBe(visibleText(html));
					expect(parsed.text.trim()).not.toBe("");
					expect(parsed.text.length).toBeLessThanOrEqual(4096);
				}
			}),
			{ numRuns: 400 },
		);
	});

	it("shows what the source says, and says it the same without markup", () => {
		const words = (text: string) => text.replace(/[\s>]+/g, "");
		fc.assert(
			fc.property(markdown, (text) => {
				expect(words(withoutTags(telegramHtml(text)))).toBe(words(plainText(text)));
			}),
			{ numRuns: 400 },
		);
	});
});

describe("cutting", () => {
	it("D1: 9,000 characters become 3 messages, and joined they are the source", () => {
		const text = "palabra ".repeat(1125);
		const texts = htmls(text).map((html) => parseTelegramHtml(html).text);
		expect(texts).toHaveLength(3);
		expect(texts.join("")).toBe(text);
		for (const each of texts) expect(each.length).toBeLessThanOrEqual(4000);
	});

	it("D2: what counts is what is seen: 4,000 characters with 1,500 of markup are one message", () => {
		const bold = "**12345678901234567890123456**";
		const text = `${bold} `.repeat(148);
		expect(text.length).toBeGreaterThan(4500);
		expect(htmls(text)).toHaveLength(1);
	});

	it("D2: and the markup has its own bound", () => {
		const text = "&".repeat(4000);
		const pieces = htmls(text);
		for (const html of pieces) expect(html.length).toBeLessThanOrEqual(markupMax);
		expect(pieces.map((html) => parseTelegramHtml(html).text).join("")).toBe(text);
	});

	it("D3: a block of code of 6,000 characters is cut in parts that each parse, each a block of its language", () => {
		const code = Array.from({ length: 300 }, (_, n) => `const line${n} = a < ${n};`).join("\n");
		const pieces = htmls(`\`\`\`js\n${code}\n\`\`\``);
		expect(pieces.length).toBeGreaterThan(1);
		const parsed = pieces.map(parseTelegramHtml);
		for (const { entities } of parsed)
			expect(entities).toEqual([expect.objectContaining({ type: "pre", language: "js" })]);
		expect(parsed.map(({ text }) => text).join("\n")).toBe(code);
	});

	it("a long caption goes below the picture, whole", () => {
		const media = { kind: "image", mime: "image/png", ref: "https://a.es/a.png" } as const;
		expect(renderPart({ kind: "media", media, text: "short" })).toHaveLength(1);
		const [picture, below] = renderPart({ kind: "media", media, text: "x".repeat(1001) });
		expect(picture).toEqual({ kind: "media", media });
		expect(below).toEqual({ kind: "text", html: "x".repeat(1001) });
	});

	it("a file that Telegram cannot be given is named", () => {
		const media = { kind: "document", mime: "application/pdf", ref: "/files/1", name: "plan.pdf" } as const;
		expect(renderPart({ kind: "media", media, text: "Your plan" })).toEqual([
			{ kind: "text", html: "Your plan\n[document: plan.pdf]" },
		]);
	});
});

describe("choices", () => {
	const choices = (count: number, label = (n: number) => `${9 + n}:00`) =>
		Array.from({ length: count }, (_, n) => ({ id: `s${n}`, label: label(n) }));
	const rows = (payloads: ReturnType<typeof renderPart>) =>
		payloads
			.flatMap((payload) => (payload.kind === "text" ? (payload.buttons ?? []) : []))
			.map((row) => row.map(({ text }) => text));

	it("stand side by side when they are short, one below the other when they are long", () => {
		expect(rows(renderPart({ kind: "choices", text: "When?", choices: choices(5) }))).toEqual([
			["9:00", "10:00", "11:00"],
			["12:00", "13:00"],
		]);
		const long = choices(3, (n) => `Cardiology with Dr. Iborra, ${n}`);
		expect(rows(renderPart({ kind: "choices", text: "Which?", choices: long }))).toHaveLength(3);
	});

	it("become numbered text when there are too many rows, or a label is too long", () => {
		const many = renderPart({
			kind: "choices",
			text: "Which?",
			choices: choices(9, (n) => `A long label, number ${n}`),
		});
		expect(rows(many)).toEqual([]);
		expect(many[0]).toMatchObject({ html: expect.stringContaining("9. A long label, number 8") });
		const tooLong = renderPart({ kind: "choices", text: "Which?", choices: [{ id: "a", label: "x".repeat(41) }] });
		expect(tooLong[0]).toMatchObject({ html: `Which?\n\n1. ${"x".repeat(41)}` });
	});

	it("carry their id, or its hash where there is no room, in at most 64 bytes", () => {
		const ids = ["s1", "é".repeat(32), "é".repeat(33), "#1", "x".repeat(300)];
		const [payload] = renderPart({ kind: "choices", text: "?", choices: ids.map((id, n) => ({ id, label: `${n}` })) });
		const data = payload?.kind === "text" ? (payload.buttons ?? []).flat().map((button) => button.data) : [];
		expect(data.slice(0, 2)).toEqual(ids.slice(0, 2));
		for (const each of data) expect(Buffer.byteLength(each)).toBeLessThanOrEqual(64);
		expect(new Set(data).size).toBe(ids.length);
	});
});
