/** The source of a regular expression (flag `u`) that finds any of these texts, letter for letter, the first one first. */
export function anyOf(texts: readonly string[]): string {
	return texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|");
}
