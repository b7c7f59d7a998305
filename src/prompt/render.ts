import type { Child, PromptNode } from "../agent/child.js";
import { CallboardError } from "../errors.js";
import { Fragment } from "./jsx-runtime.js";
import { noOutsideWords, type OutsideWords, poses, quoted } from "./outside-words.js";
import type { Tag } from "./tags.js";

/** A tag of the prompt: components, fragments and arrays are resolved. */
interface Element {
	tag: Tag;
	props: PromptNode["props"];
}

interface Place {
	/** Heading level of the next section. */
	level: number;
	words: OutsideWords;
}

/**
 * Text of what `render()` returned. Blocks are separated by exactly one blank line, with none at either end; `null`,
 * `undefined`, `false`, `true` and `""` leave no trace; a fragment or array adds nothing.
 *
 * A string inside JSX is one line: line breaks in it become a space (write `<br/>` or another `<p>`), and a line that
 * begins like a heading, a fence or a speaker (`SYSTEM:`) is shown in quotes. A bare string that is the whole of it keeps
 * its lines.
 *
 * @param words Strings from outside, shown in quotes wherever they appear.
 * @throws CallboardError `NOT_A_CHILD` for what is no text: an object, a function, a promise.
 */
export function renderText(child: Child, words: OutsideWords = noOutsideWords): string {
	if (typeof child === "string") return words.quoteIn(child.replaceAll("\r\n", "\n"), "keep").trim();
	return joined(blocks(child, { level: 2, words }));
}

function joined(parts: readonly string[]): string {
	return parts.join("\n\n");
}

function blocks(child: Child, place: Place): string[] {
	const out: string[] = [];
	let run: (string | Element)[] = [];
	const close = () => {
		const text = paragraph(run, place);
		if (text !== "") out.push(text);
		run = [];
	};
	for (const item of flat(child)) {
		if (typeof item === "string" || item.tag === "br" || item.tag === "quote") run.push(item);
		else {
			close();
			const text = block(item, place);
			if (text !== "") out.push(text);
		}
	}
	close();
	return out;
}

function block({ tag, props }: Element, place: Place): string {
	const { children } = props;
	switch (tag) {
		case "section":
			return section(title(props, place), children, place);
		case "rules":
			return section(
				title(props, place) || "Rules",
				items(children, "rule", "rules", place, () => "- "),
				place,
			);
		case "protocol":
			return section(`Protocol: ${title(props, place)}`, children, place);
		case "example":
			return example(title(props, place), children, place);
		case "ul":
			return items(children, "li", "ul", place, () => "- ").text;
		case "ol":
			return items(children, "li", "ol", place, (at) => `${at}. `).text;
		case "li":
		case "rule":
			return item(children, "- ", place);
		case "table":
			return table(props, place);
		default:
			return joined(blocks(children, place));
	}
}

function section(heading: string, body: Child | { text: string }, place: Place): string {
	const below = { ...place, level: heading === "" ? place.level : Math.min(place.level + 1, 6) };
	const text = isReady(body) ? body.text : joined(blocks(body, below));
	if (text === "" || heading === "") return text;
	return `${"#".repeat(place.level)} ${heading}\n${text}`;
}

function isReady(body: Child | { text: string }): body is { text: string } {
	return typeof body === "object" && body !== null && "text" in body;
}

function example(name: string, children: Child, place: Place): string {
	const text = joined(blocks(children, place));
	return text === "" ? "" : `${name === "" ? "Example" : `Example, ${name}`}:\n${indented(text, "  ", "  ")}`;
}

function items(children: Child, of: Tag, within: Tag, place: Place, mark: (at: number) => string): { text: string } {
	const lines: string[] = [];
	for (const child of flat(children)) {
		if (typeof child === "string" && child.trim() === "") continue;
		if (typeof child === "string" || child.tag !== of) {
			const found = typeof child === "string" ? "text" : `<${child.tag}>`;
			throw new CallboardError("NOT_A_CHILD", "author", `<${within}> holds ${found}, but takes only <${of}>`, {
				next: `put it into a <${of}>`,
			});
		}
		const text = item(child.props.children, mark(lines.length + 1), place);
		if (text !== "") lines.push(text);
	}
	return { text: lines.join("\n") };
}

function item(children: Child, mark: string, place: Place): string {
	const text = blocks(children, place).join("\n");
	return text === "" ? "" : indented(text, mark, " ".repeat(mark.length));
}

function table({ head, rows }: PromptNode["props"], place: Place): string {
	const row = (cells: readonly Child[]) =>
		`| ${cells.map((cell) => line(flat(cell), place).replaceAll("\n", " ").replaceAll("|", "\\|").trim()).join(" | ")} |`;
	const lines = ((rows ?? []) as readonly (readonly Child[])[]).map(row);
	if (lines.length === 0) return "";
	if (head === undefined) return lines.join("\n");
	const names = head as readonly Child[];
	return [row(names), `|${" --- |".repeat(names.length)}`, ...lines].join("\n");
}

function indented(text: string, first: string, rest: string): string {
	return first + text.replace(/\n(?=.)/g, `\n${rest}`);
}

function title({ title }: PromptNode["props"], place: Place): string {
	if (title === undefined || title === null) return "";
	return place.words
		.quoteIn(String(title), "join")
		.replace(/^[\s#]+/, "")
		.trim();
}

/** A run of text: its lines, none of which begins as more than words. */
function paragraph(run: readonly (string | Element)[], place: Place): string {
	return line(run, place)
		.split("\n")
		.map((part) => part.trim())
		.map((part) => (poses(part) ? quoted(part) : part))
		.join("\n")
		.trim();
}

function line(run: readonly (string | Element)[], place: Place): string {
	return run
		.map((piece) => {
			if (typeof piece === "string") return place.words.quoteIn(piece, "join");
			if (piece.tag === "br") return "\n";
			if (piece.tag === "quote") return quoted(plain(piece.props.children));
			throw new CallboardError("NOT_A_CHILD", "author", `<${piece.tag}> cannot stand inside a line of text`, {
				next: "move it out of the cell",
			});
		})
		.join("");
}

/** The bare words inside a quote. */
function plain(child: Child): string {
	return flat(child)
		.map((piece) => (typeof piece === "string" ? piece : piece.tag === "br" ? "\n" : plain(piece.props.children)))
		.join("");
}

function flat(child: Child): (string | Element)[] {
	if (child === null || child === undefined || typeof child === "boolean" || child === "") return [];
	if (typeof child === "string") return [child];
	if (typeof child === "number" || typeof child === "bigint") return [String(child)];
	if (Array.isArray(child)) return child.flatMap(flat);
	const node = child as PromptNode;
	if (node.$ !== "callboard.node") throw notAChild(child);
	if (typeof node.type === "function") return flat(node.type(node.props as never));
	if (node.type === Fragment) return flat(node.props.children);
	return [{ tag: node.type as Tag, props: node.props }];
}

function notAChild(found: unknown): CallboardError {
	const what =
		found instanceof Promise
			? "a promise"
			: typeof found === "object"
				? `an object of class ${found?.constructor?.name ?? "without a name"}`
				: `a ${typeof found}`;
	return new CallboardError("NOT_A_CHILD", "author", `a prompt was given ${what}, which is no text`, {
		next: "show one of its members, or text made of it; render() and its components are synchronous",
	});
}
