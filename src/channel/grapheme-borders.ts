import { isPairEnd } from "./measure.js";

const FIRST_WINDOW = 256;

/**
 * Marks every index at which a reader's character starts. It looks at windows of the text one after the other: over a
 * long text at once the segmenter of older Node versions takes time that grows with its square.
 */
export function graphemeBorders(text: string): Uint8Array {
	const borders = new Uint8Array(text.length + 1);
	const segmenter = new Intl.Segmenter();
	let start = 0;
	let size = FIRST_WINDOW;
	while (start < text.length) {
		let end = Math.min(text.length, start + size);
		if (isPairEnd(text, end)) end += 1;
		let last = 0;
		for (const { index } of segmenter.segment(text.slice(start, end))) {
			borders[start + index] = 1;
			last = index;
		}
		if (end === text.length) break;
		// The last character may go on beyond the window, so the next window begins with it.
		size = last === 0 ? size * 2 : FIRST_WINDOW;
		start += last;
	}
	borders[text.length] = 1;
	return borders;
}
