/**
 * A safe subset of Markdown as a tree: strings and elements of a fixed list. Whatever is not understood stays text.
 * @typedef {string | { tag: "p" | "strong" | "em" | "del" | "code" | "pre" | "ul" | "ol" | "li" | "blockquote" | "h3" | "br" | "hr" | "a", href?: string, start?: number, children: MarkdownNode[] }} MarkdownNode
 */

const LIST_ITEM = /^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/;
/** With at most the name of a language behind it: a line of code between three backticks is no block. */
const FENCE = /^\s*(```+|~~~+)[\w+#.-]*\s*$/;
/** Quotes and lists deeper inside each other than this stay text: nobody means them, and a browser's stack ends. */
const DEEPEST = 20;
/** How far a closing mark is looked for, so that no text is slow to read. */
const REACH = 2000;

/**
 * @param {string} text
 * @returns {MarkdownNode[]}
 */
export function parseMarkdown(text) {
	return blocks(text.replace(/\r\n?/g, "\n").split("\n"));
}

/**
 * @param {readonly MarkdownNode[]} nodes
 * @returns {DocumentFragment}
 */
export function markdownToDom(nodes) {
	const fragment = document.createDocumentFragment();
	for (const node of nodes) {
		if (typeof node === "string") {
			fragment.append(node);
			continue;
		}
		const element = document.createElement(node.tag);
		if (element instanceof HTMLAnchorElement && node.href !== undefined) {
			element.href = node.href;
			element.target = "_blank";
			element.rel = "noopener noreferrer nofollow ugc";
		}
		if (element instanceof HTMLOListElement && node.start !== undefined) element.start = node.start;
		if (["p", "ul", "ol", "blockquote", "h3"].includes(node.tag)) element.dir = "auto";
		element.append(markdownToDom(node.children));
		fragment.append(element);
	}
	return fragment;
}

/**
 * The address when a link may be followed.
 * @param {string} address
 * @returns {string | undefined}
 */
export function safeHref(address) {
	const trimmed = address.trim();
	return /^(https?:\/\/|mailto:|tel:)/i.test(trimmed) && !/\s/.test(trimmed) ? trimmed : undefined;
}

/**
 * @param {readonly string[]} lines
 * @param {number} [depth] how many quotes and lists stand around it
 * @returns {MarkdownNode[]}
 */
function blocks(lines, depth = 0) {
	if (depth > DEEPEST) return [{ tag: "p", children: withBreaks(lines) }];
	/** @type {MarkdownNode[]} */
	const out = [];
	let at = 0;
	while (at < lines.length) {
		const line = lines[at] ?? "";
		const fence = FENCE.exec(line)?.[1];
		const heading = /^#{1,6}\s+(.*)$/.exec(line);
		if (line.trim() === "") {
			at++;
		} else if (fence !== undefined) {
			let end = at + 1;
			while (end < lines.length && !(lines[end] ?? "").trim().startsWith(fence)) end++;
			out.push({ tag: "pre", children: [{ tag: "code", children: [lines.slice(at + 1, end).join("\n")] }] });
			at = end + 1;
		} else if (heading !== null) {
			out.push({ tag: "h3", children: inline(heading[1] ?? "") });
			at++;
		} else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
			out.push({ tag: "hr", children: [] });
			at++;
		} else if (/^\s*>/.test(line)) {
			let end = at;
			while (end < lines.length && /^\s*>/.test(lines[end] ?? "")) end++;
			const quoted = lines.slice(at, end).map((quote) => quote.replace(/^\s*> ?/, ""));
			out.push({ tag: "blockquote", children: blocks(quoted, depth + 1) });
			at = end;
		} else if (LIST_ITEM.test(line)) {
			const [list, next] = readList(lines, at, depth);
			out.push(list);
			at = next;
		} else {
			let end = at + 1;
			while (end < lines.length && !startsBlock(lines[end] ?? "")) end++;
			out.push({ tag: "p", children: withBreaks(lines.slice(at, end)) });
			at = end;
		}
	}
	return out;
}

/** @param {string} line */
function startsBlock(line) {
	return line.trim() === "" || FENCE.test(line) || LIST_ITEM.test(line) || /^(#{1,6}\s|\s*>)/.test(line);
}

/**
 * One list; lines indented below an item belong to it.
 * @param {readonly string[]} lines
 * @param {number} from
 * @param {number} depth
 * @returns {[MarkdownNode, number]}
 */
function readList(lines, from, depth) {
	const first = LIST_ITEM.exec(lines[from] ?? "");
	const indent = first?.[1]?.length ?? 0;
	const ordered = first?.[3] !== undefined;
	/** @type {MarkdownNode[]} */
	const items = [];
	let at = from;
	while (at < lines.length) {
		const item = LIST_ITEM.exec(lines[at] ?? "");
		if (item === null || (item[1]?.length ?? 0) !== indent || (item[3] !== undefined) !== ordered) break;
		let end = at + 1;
		while (end < lines.length && belongsTo(lines, end, indent)) end++;
		const below = lines
			.slice(at + 1, end)
			.map((line) => line.trimStart() && line.slice(Math.min(indent + 2, indentOf(line))));
		items.push({ tag: "li", children: [...inline(item[4] ?? ""), ...blocks(below, depth + 1)] });
		at = end;
		if ((lines[at] ?? "x").trim() === "" && LIST_ITEM.test(lines[at + 1] ?? "")) at++;
	}
	const start = Number(first?.[3] ?? 1);
	return [ordered ? { tag: "ol", start, children: items } : { tag: "ul", children: items }, at];
}

/**
 * @param {readonly string[]} lines
 * @param {number} at
 * @param {number} indent
 */
function belongsTo(lines, at, indent) {
	const line = lines[at] ?? "";
	if (line.trim() === "") return indentOf(lines[at + 1] ?? "") > indent && (lines[at + 1] ?? "").trim() !== "";
	return indentOf(line) > indent;
}

/** @param {string} line */
function indentOf(line) {
	return line.length - line.trimStart().length;
}

/**
 * @param {readonly string[]} lines
 * @returns {MarkdownNode[]}
 */
function withBreaks(lines) {
	return lines.flatMap((line, index) => {
		const words = inline(line.trimEnd());
		return index === 0 ? words : [{ tag: "br", children: [] }, ...words];
	});
}

/**
 * @param {string} text one line
 * @returns {MarkdownNode[]}
 */
function inline(text) {
	/** @type {MarkdownNode[]} */
	const out = [];
	let plain = "";
	let at = 0;
	/** @param {MarkdownNode} node @param {number} next */
	const push = (node, next) => {
		if (plain !== "") out.push(plain);
		plain = "";
		out.push(node);
		at = next;
	};
	while (at < text.length) {
		const char = text[at] ?? "";
		if (char === "\\" && /[\\`*_~[\]()#+\-.!>|]/.test(text[at + 1] ?? "")) {
			plain += text[at + 1];
			at += 2;
			continue;
		}
		const span = codeSpan(text, at) ?? emphasis(text, at) ?? link(text, at) ?? bareLink(text, at);
		if (span !== undefined) {
			push(span.node, span.next);
			continue;
		}
		plain += char;
		at++;
	}
	if (plain !== "") out.push(plain);
	return out;
}

/** @typedef {{ node: MarkdownNode, next: number } | undefined} Span */

/** @param {string} text @param {number} at @returns {Span} */
function codeSpan(text, at) {
	if (text[at] !== "`") return undefined;
	const ticks = /^`+/.exec(text.slice(at, at + 8))?.[0] ?? "`";
	const end = find(text, ticks, at + ticks.length);
	if (end < 0) return undefined;
	return { node: { tag: "code", children: [text.slice(at + ticks.length, end).trim()] }, next: end + ticks.length };
}

/** @param {string} text @param {number} at @returns {Span} */
function emphasis(text, at) {
	const mark = /^(\*\*\*|\*\*|__|~~|\*|_)/.exec(text.slice(at, at + 3))?.[0];
	if (mark === undefined || /\s/.test(text[at + mark.length] ?? " ")) return undefined;
	if (mark.startsWith("_") && /[\p{L}\p{N}]/u.test(text[at - 1] ?? " ")) return undefined;
	let end = find(text, mark, at + mark.length + 1);
	while (end > 0 && !closes(text, mark, end)) end = find(text, mark, end + 1);
	if (end < 0) return undefined;
	const children = inline(text.slice(at + mark.length, end));
	const next = end + mark.length;
	if (mark === "***") return { node: { tag: "strong", children: [{ tag: "em", children }] }, next };
	return { node: { tag: mark === "~~" ? "del" : mark.length === 2 ? "strong" : "em", children }, next };
}

/** @param {string} text @param {string} mark @param {number} end */
function closes(text, mark, end) {
	if (/\s/.test(text[end - 1] ?? " ")) return false;
	if (mark.length === 1 && (text[end + 1] === mark || text[end - 1] === mark)) return false;
	return !mark.startsWith("_") || !/[\p{L}\p{N}]/u.test(text[end + mark.length] ?? " ");
}

/** @param {string} text @param {number} at @returns {Span} */
function link(text, at) {
	if (text[at] !== "[") return undefined;
	const middle = find(text, "](", at + 1);
	const end = middle < 0 ? -1 : find(text, ")", middle + 2);
	if (end < 0) return undefined;
	const href = safeHref(text.slice(middle + 2, end));
	const label = text.slice(at + 1, middle);
	if (href === undefined || label.trim() === "") return undefined;
	return { node: { tag: "a", href, children: [label] }, next: end + 1 };
}

/** @param {string} text @param {number} at @returns {Span} */
function bareLink(text, at) {
	if (text[at] !== "h" || /[\p{L}\p{N}]/u.test(text[at - 1] ?? " ")) return undefined;
	const address = /^https?:\/\/[^\s<>"'`]{1,2000}/.exec(text.slice(at, at + REACH))?.[0].replace(/[.,;:!?*_)\]]+$/, "");
	if (address === undefined || address.length < 9) return undefined;
	return { node: { tag: "a", href: address, children: [address] }, next: at + address.length };
}

/** @param {string} text @param {string} mark @param {number} from */
function find(text, mark, from) {
	const end = text.slice(from, from + REACH).indexOf(mark);
	return end < 0 ? -1 : from + end;
}
