import { Lexer, type MarkedToken, type Token, type Tokens } from "marked";

/**
 * Markdown as a person reads it where there is no markup: `**bold**` is bold, `[page](https://…)` is
 * `page (https://…)`, list items have a dot or their number. Words, lines and what only looks like markup stay.
 */
export function plainText(markdown: string): string {
	return blocks(new Lexer({ gfm: true }).lex(markdown)).replace(/\n+$/, "");
}

function blocks(tokens: readonly Token[]): string {
	return tokens.map((token) => block(token as MarkedToken).replace(/\n+$/, "") + lineBreaks(token.raw)).join("");
}

/** The line breaks a block ended with, so that spacing stays as it was written. */
function lineBreaks(raw: string): string {
	return raw.slice(raw.trimEnd().length).replace(/[^\n]/g, "");
}

function block(token: MarkedToken): string {
	switch (token.type) {
		case "space":
			return "";
		case "heading":
		case "paragraph":
			return inline(token.tokens);
		case "text":
			return token.tokens === undefined ? token.text : inline(token.tokens);
		case "code":
			return token.text;
		case "blockquote":
			return blocks(token.tokens).trimEnd().replace(/^/gm, "> ");
		case "list":
			return token.items.map(item).join("");
		case "hr":
			return "———";
		default:
			return token.raw;
	}
}

function item(token: Tokens.ListItem): string {
	const number = /^\s*(\d+[.)])/.exec(token.raw)?.[1];
	const body = blocks(token.tokens)
		.trimEnd()
		.replace(/\n(?=.)/g, "\n  ");
	return `${number ?? "•"} ${body}${lineBreaks(token.raw)}`;
}

function inline(tokens: readonly Token[]): string {
	return tokens.map((token) => span(token as MarkedToken)).join("");
}

function span(token: MarkedToken): string {
	switch (token.type) {
		case "strong":
		case "em":
		case "del":
			return inline(token.tokens);
		case "codespan":
		case "escape":
			return token.text;
		case "br":
			return "\n";
		case "link":
			return withAddress(inline(token.tokens), token.href);
		case "image":
			return withAddress(token.text, token.href);
		case "text":
			return token.tokens === undefined ? token.text : inline(token.tokens);
		default:
			return token.raw;
	}
}

function withAddress(label: string, href: string): string {
	if (label === "") return href;
	const shown = href.replace(/^(?:mailto:|tel:|https?:\/\/)/, "");
	return label === href || label === shown ? label : `${label} (${href})`;
}
