import { type CodeFence, codeFences } from "./code-fences.js";
import { graphemeBorders } from "./grapheme-borders.js";
import { isPairEnd, measure, type TextUnit, unitCounts } from "./measure.js";

export interface SplitOptions {
	/** Longest piece, in `unit`. At least 16. */
	max: number;
	unit: TextUnit;
}

/** One message of a longer text. */
export interface TextPiece {
	/** What to send. Differs from `source` only where a code fence was closed and opened again. */
	text: string;
	/** The piece of the source it carries; all of them joined are the source. */
	source: string;
}

/**
 * Cuts a Markdown text into pieces that each fit one message. Nothing is lost: the `source` of the pieces joined is the
 * text. It cuts after a paragraph where it can, else after a line, a sentence, a word; never inside a character as a
 * reader sees it, nor inside a link, `code` or bold words that would fit. A code block that must be cut is closed and opened again.
 */
export function splitText(text: string, options: SplitOptions): TextPiece[] {
	if (options.max < 16) throw new RangeError(`a message of ${options.max} ${options.unit} is too short to cut into`);
	if (measure(text, options.unit) <= options.max) return text === "" ? [] : [{ text, source: text }];
	return new Splitter(text, options).run();
}

/** Links, `code` and bold words: cut in two, neither half would be what it was. */
const WHOLE = /!?\[[^\]\n]*\]\([^)\s]*\)|<?https?:\/\/[^\s>]+>?|`[^`\n]+`|\*\*[^*\n]+\*\*|__[^_\n]+__/g;
const SENTENCE_END = /[.!?…。！？]["')\]»”’*_]*$/u;

const PARAGRAPH = 0;
const LINE = 1;
const SENTENCE = 2;
const WORD = 3;
const CHARACTER = 4;

class Splitter {
	readonly #text: string;
	readonly #max: number;
	readonly #unit: TextUnit;
	readonly #counts: Uint32Array;
	readonly #fences: readonly CodeFence[];
	/** Where a reader's character starts. */
	readonly #borders: Uint8Array;
	/** Set for every index inside what is not cut. */
	readonly #inWhole: Uint8Array;

	constructor(text: string, options: SplitOptions) {
		this.#text = text;
		this.#max = options.max;
		this.#unit = options.unit;
		this.#counts = unitCounts(text, options.unit);
		this.#fences = codeFences(text).filter((fence) => this.#overhead(fence) * 2 <= options.max);
		this.#borders = graphemeBorders(text);
		this.#inWhole = new Uint8Array(text.length + 1);
		for (const match of text.matchAll(WHOLE)) {
			if (measure(match[0], options.unit) <= options.max) {
				this.#inWhole.fill(1, match.index + 1, match.index + match[0].length);
			}
		}
	}

	run(): TextPiece[] {
		const pieces: TextPiece[] = [];
		let start = 0;
		while (start < this.#text.length) {
			const end = this.#cut(start);
			pieces.push({ source: this.#text.slice(start, end), text: this.#dress(start, end) });
			start = end;
		}
		return pieces;
	}

	/** The best place to end the piece that begins at `start`. */
	#cut(start: number): number {
		const furthest = this.#furthest(start);
		if (furthest === this.#text.length) return furthest;
		const enough = start + Math.ceil((furthest - start) / 3);
		const best: (number | undefined)[] = [];
		let last: number | undefined;
		for (let at = furthest; at > start; at -= 1) {
			if (!this.#mayCut(at)) continue;
			last ??= at;
			if (at < enough) break;
			const rank = this.#rank(at);
			if (rank === PARAGRAPH) return at;
			best[rank] ??= at;
		}
		return best[LINE] ?? best[SENTENCE] ?? best[WORD] ?? last ?? this.#evenInside(start, furthest);
	}

	/** The largest end whose piece fits. */
	#furthest(start: number): number {
		let low = start;
		let high = this.#text.length;
		while (low < high) {
			const middle = Math.ceil((low + high) / 2);
			if (this.#cost(start, middle) <= this.#max) low = middle;
			else high = middle - 1;
		}
		return low;
	}

	#cost(start: number, end: number): number {
		const opened = this.#fenceAround(start);
		const closed = end === this.#text.length ? undefined : this.#fenceAround(end);
		const bare = (this.#counts[end] ?? 0) - (this.#counts[start] ?? 0);
		return bare + (opened ? measure(opened.opener, this.#unit) + 1 : 0) + (closed ? closed.closer.length + 1 : 0);
	}

	#overhead(fence: CodeFence): number {
		return measure(fence.opener, this.#unit) + fence.closer.length + 2;
	}

	/** The code block in whose code `at` stands. */
	#fenceAround(at: number): CodeFence | undefined {
		return this.#fences.find((fence) => fence.bodyStart <= at && at < Math.max(fence.bodyEnd, fence.end));
	}

	#mayCut(at: number): boolean {
		if (this.#borders[at] === 0 || this.#inWhole[at] !== 0) return false;
		for (const fence of this.#fences) {
			if (fence.start < at && at <= fence.bodyStart) return false;
			if (fence.bodyEnd <= at && at < fence.end) return false;
		}
		return true;
	}

	#rank(at: number): number {
		const before = this.#text[at - 1] ?? "";
		const inCode = this.#fenceAround(at) !== undefined;
		if (before === "\n")
			return !inCode && /\n[ \t]*\n$/.test(this.#text.slice(Math.max(0, at - 80), at)) ? PARAGRAPH : LINE;
		if (/\s/.test(before)) {
			return !inCode && SENTENCE_END.test(this.#text.slice(Math.max(0, at - 12), at).trimEnd()) ? SENTENCE : WORD;
		}
		return /\s/.test(this.#text[at] ?? "") ? WORD : CHARACTER;
	}

	/** Where nothing better is left: one character as a reader sees it is longer than a message. */
	#evenInside(start: number, furthest: number): number {
		return isPairEnd(this.#text, furthest) && furthest - 1 > start ? furthest - 1 : furthest;
	}

	#dress(start: number, end: number): string {
		const opened = this.#fenceAround(start);
		const closed = end === this.#text.length ? undefined : this.#fenceAround(end);
		const source = this.#text.slice(start, end);
		const closing = closed === undefined ? "" : `${source.endsWith("\n") ? "" : "\n"}${closed.closer}`;
		return `${opened === undefined ? "" : `${opened.opener}\n`}${source}${closing}`;
	}
}
