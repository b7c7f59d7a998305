import type { Json } from "../call/json.js";
import { anyOf } from "./any-of.js";

/** Direction marks, invisible characters and controls: nothing a reader sees, much that a model may be misled by. */
const INVISIBLE =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what it removes
	/[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;
const HALF_CHARACTER = /\p{Surrogate}/gu;
const LINE_BREAK = /[^\S\r\n\u0085\u2028\u2029]*[\r\n\v\f\u0085\u2028\u2029]\s*/gu;

/** Marks by which chat templates, and our own requests, tell speakers apart; some servers read them inside of content. */
const SPEAKER_MARK =
	/<\||\|>|<<(?=\/?SYS)|\[(?=\/?INST\])|<(?=\/?(?:s|bos|eos|start_of_turn|end_of_turn)>|\s*\/?\s*callboard)/gi;

/** Beginnings that make a line more than words: headings, fences, rulers, quotes, and whoever speaks with authority. */
const POSING =
	/^[\s>*_[(<-]*(?:#{1,6}(?:\s|$)|```|~~~|(?:[-=*_]\s*){3,}$|(?:system|developer|assistant|(?:tool|function)[ _-]?(?:call|result|output|response)s?)\b[^:\n]{0,24}[\])>]*:)|^\s*>/i;

/** One word such as an id, a day, an hour, an address: too little to instruct anybody. */
const TOKEN = /^[\p{L}\p{M}\p{N}_.:,@+/'’-]{1,64}$/u;

/** Removes what cannot be seen and breaks up the marks of chat templates. Line breaks stay. */
function visible(text: string): string {
	return text
		.replace(INVISIBLE, "")
		.replace(HALF_CHARACTER, "\ufffd")
		.replace(SPEAKER_MARK, (mark) => `${mark[0]} ${mark.slice(1)}`);
}

/** A text on one line: a run of line breaks is one space, inner spacing stays. */
export function oneLine(text: string): string {
	return visible(text).replace(LINE_BREAK, " ").replaceAll("\t", " ");
}

/** Words as one JSON string. */
export function quoted(text: string): string {
	const shown = visible(text).trim();
	if (shown === "") return "";
	return JSON.stringify(shown).replace(/[\u0085\u2028\u2029]/g, "\\n");
}

/** Whether a line would be read as more than words. */
export function poses(line: string): boolean {
	return POSING.test(line);
}

/**
 * Strings that came from outside: all that stand in an agent's state, and what else is named. Shown in a view they are
 * quoted, whether or not its author thought of it.
 */
export class OutsideWords {
	readonly #exact = new Set<string>();
	/** Those quoted also in the midst of a longer string, longest first, in small letters too. */
	readonly #inside: { words: string; lower: string }[] = [];

	constructor(values: Iterable<Json | undefined>) {
		for (const value of values) this.#collect(value);
		this.#inside.sort((a, b) => b.words.length - a.words.length);
	}

	/** A string with the outside words in it quoted, and all else on one line or, if `lines` stay, as it is. */
	quoteIn(text: string, lines: "join" | "keep"): string {
		const rest = (part: string) => (lines === "join" ? oneLine(part) : visible(part));
		if (this.#exact.has(text)) return quoted(text);
		const lowerText = text.toLowerCase();
		const found = this.#inside.filter(({ lower }) => lowerText.includes(lower)).map(({ words }) => words);
		if (found.length === 0) return rest(text);
		const anyFound = new RegExp(anyOf(found), "giu");
		let shown = "";
		let from = 0;
		for (const match of text.matchAll(anyFound)) {
			shown += rest(text.slice(from, match.index)) + quoted(match[0]);
			from = match.index + match[0].length;
		}
		return shown + rest(text.slice(from));
	}

	#collect(value: Json | undefined): void {
		if (typeof value === "string") this.#add(value);
		else if (Array.isArray(value)) for (const item of value) this.#collect(item);
		else if (typeof value === "object" && value !== null) {
			for (const [key, member] of Object.entries(value)) {
				this.#add(key);
				this.#collect(member);
			}
		}
	}

	#add(text: string): void {
		const words = text.trim();
		if (TOKEN.test(words) || words === "" || this.#exact.has(text)) return;
		this.#exact.add(text).add(words);
		if (/\S\s+\S+\s+\S/u.test(words) || poses(words) || oneLine(words) !== words) {
			this.#inside.push({ words, lower: words.toLowerCase() });
		}
	}
}

export const noOutsideWords = new OutsideWords([]);
