/** A number from 0 to 1 that looks random and depends on nothing but the seed and the words. */
export function chance(seed: number, ...words: readonly (string | number)[]): number {
	let hash = 0x811c9dc5 ^ seed;
	for (const char of words.join("\u0000")) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
	hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	return ((hash ^ (hash >>> 16)) >>> 0) / 4_294_967_296;
}

/** A whole number from `least` to `most`, both included, decided by the seed and the words. */
export function between(least: number, most: number, seed: number, ...words: readonly (string | number)[]): number {
	return least + Math.floor(chance(seed, "between", ...words) * (most - least + 1));
}
