import type { Capabilities } from "./capabilities.js";

export type TextUnit = Capabilities["text"]["unit"];

/** How long a text is, counted as the platform counts. */
export function measure(text: string, unit: TextUnit): number {
	if (unit === "utf16") return text.length;
	return unitCounts(text, unit)[text.length] ?? 0;
}

/** For every index of `text`, how many units stand before it. A surrogate pair counts at its first half. */
export function unitCounts(text: string, unit: TextUnit): Uint32Array {
	const counts = new Uint32Array(text.length + 1);
	let sum = 0;
	for (let index = 0; index < text.length; index += 1) {
		counts[index] = sum;
		sum += weigh(text, index, unit);
	}
	counts[text.length] = sum;
	return counts;
}

function weigh(text: string, index: number, unit: TextUnit): number {
	if (unit === "utf16") return 1;
	if (isPairEnd(text, index)) return 0;
	if (unit === "codepoints") return 1;
	const code = text.charCodeAt(index);
	if (code < 0x80) return 1;
	if (code < 0x800) return 2;
	return isPairEnd(text, index + 1) ? 4 : 3;
}

/** Whether the unit at `index` is the second half of a surrogate pair. */
export function isPairEnd(text: string, index: number): boolean {
	if (index <= 0 || index >= text.length) return false;
	const code = text.charCodeAt(index);
	const before = text.charCodeAt(index - 1);
	return code >= 0xdc00 && code <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}
