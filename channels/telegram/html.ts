import { Lexer, type MarkedToken, type Token, type Tokens } from "marked";

/** What a span stands in, so that no tag is put inside itself. */
interface Within {
	bold?: true;
	italic?: true;
	struck?: true;
	quote?: true;
}

/**
 * Markdown in Telegram's HTML. What Telegram has tags for gets them; all else is text as a person would read it. Words,
 * lines and what only looks like markup stay: only this function escapes, so that nothing of a value becomes a tag.
 */
export function telegramHtml(markdown: string): string {
	return blocks(new Lexer({ gfm: true }).lex(markdown), {}).replace(/\n+$/, "");
}

/** What a person sees of it: no tags, and links without their addresses. */
export function visibleText(html: string): string {
	return unescaped(html.replace(/<[^>]*>/g, ""));
}

/** The same without markup, for where tags are refused: the address of a link stands behind its words. */
export function withoutTags(html: string): string {
	return visibleText(
		html
			.replace(/<blockquote>(.*?)<\/blockquote>/gs, (_, quoted: string) => quoted.replace(/^/gm, "&gt; "))
			.replace(/<a href="([^"]*)">(.*?)<\/a>/gs, (_, href: string, label: string) => `${label} (${href})`),
	);
}

function blocks(tokens: readonly Token[], within: Within): string {
	return tokens
		.map((token) => block(token as MarkedToken, within).replace(/\n+$/, "") + lineBreaks(token.raw))
		.join("");
}

/** The line breaks a block ended with, so that spacing stays as it was written. */
function lineBreaks(raw: string): string {
	return raw.slice(raw.trimEnd().length).replace(/[^\n]/g, "");
}

function block(token: MarkedToken, within: Within): string {
	switch (token.type) {
		case "space":
			return "";
		case "heading":
			return within.bold ? inline(token.tokens, within) : tag("b", inline(token.tokens, { ...within, bold: true }));
		case "paragraph":
			return inline(token.tokens, within);
		case "text":
			return token.tokens === undefined ? escaped(token.text) : inline(token.tokens, within);
		case "code":
			return codeBlock(token);
		case "table":
			return tag("pre", escaped(token.raw.trimEnd()));
		case "blockquote":
			return quote(token, within);
		case "list":
			return token.items.map((each) => item(each, within)).join("");
		case "hr":
			return "———";
		default:
			return escaped(token.raw);
	}
}

/** Telegram has no quote within a quote: the inner one is written with its sign. */
function quote(token: Tokens.Blockquote, within: Within): string {
	const inner = blocks(token.tokens, { ...within, quote: true }).trimEnd();
	return within.quote && inner !== "" ? inner.replace(/^/gm, "&gt; ") : tag("blockquote", inner);
}

function codeBlock({ text, lang }: Tokens.Code): string {
	const language = /^[\w+#.-]{1,40}/.exec(lang ?? "")?.[0];
	if (text === "") return "";
	if (language === undefined) return tag("pre", escaped(text));
	return `<pre><code class="language-${language}">${escaped(text)}</code></pre>`;
}

function item(token: Tokens.ListItem, within: Within): string {
	const number = /^\s*(\d+[.)])/.exec(token.raw)?.[1];
	const body = blocks(token.tokens, within)
		.trimEnd()
		.replace(/\n(?=.)/g, "\n  ");
	return `${number ?? "•"} ${body}${lineBreaks(token.raw)}`;
}

function inline(tokens: readonly Token[], within: Within): string {
	return tokens.map((token) => span(token as MarkedToken, within)).join("");
}

function span(token: MarkedToken, within: Within): string {
	switch (token.type) {
		case "strong":
			return within.bold ? inline(token.tokens, within) : tag("b", inline(token.tokens, { ...within, bold: true }));
		case "em":
			return within.italic ? inline(token.tokens, within) : tag("i", inline(token.tokens, { ...within, italic: true }));
		case "del":
			return within.struck ? inline(token.tokens, within) : tag("s", inline(token.tokens, { ...within, struck: true }));
		case "codespan":
			return tag("code", escaped(token.text));
		case "escape":
			return escaped(token.text);
		case "br":
			return "\n";
		case "link":
			return link(inline(token.tokens, within), token.href);
		case "image":
			return link(escaped(token.text), token.href);
		case "text":
			return token.tokens === undefined ? escaped(token.text) : inline(token.tokens, within);
		default:
			return escaped(token.raw);
	}
}

/** Telegram makes a bare address tappable by itself, and knows these kinds of addresses only. */
function link(label: string, href: string): string {
	const bare = escaped(href);
	if (label === "") return bare;
	const shown = escaped(href.replace(/^(?:mailto:|tel:|https?:\/\/)/, ""));
	if (label === bare || label === shown) return label;
	if (/^(?:https?|tg|mailto):/i.test(href)) return `<a href="${bare}">${label}</a>`;
	return `${label} (${bare})`;
}

function tag(name: string, inner: string): string {
	return inner === "" ? "" : `<${name}>${inner}</${name}>`;
}

function escaped(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function unescaped(html: string): string {
	return html.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}
