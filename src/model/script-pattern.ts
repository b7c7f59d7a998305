/**
 * A pattern of a script. Case and accents do not matter: `manana` and `mañana` find both `Mañana` and `MANANA`. Named
 * groups give back what the person wrote, accents included.
 */
export class Pattern {
	readonly #regex: RegExp;
	/** Names of its groups. */
	readonly groups: readonly string[];

	/** @throws SyntaxError when `source` is no regular expression */
	constructor(readonly source: string) {
		this.#regex = new RegExp(fold(source), "iud");
		this.groups = [...source.matchAll(/\(\?<([A-Za-z_]\w*)>/g)].map((match) => match[1]!);
	}

	/** The first match and the values of its named groups, or undefined. */
	find(text: string): { text: string; first: string | undefined; groups: Record<string, string> } | undefined {
		const original = text.normalize("NFC");
		const match = this.#regex.exec(fold(original));
		if (match === null) return undefined;
		const cut = (range: [number, number] | undefined) =>
			range === undefined ? undefined : original.slice(range[0], range[1]).trim();
		const groups: Record<string, string> = {};
		for (const name of this.groups) {
			const value = cut(match.indices?.groups?.[name]);
			if (value !== undefined) groups[name] = value;
		}
		return { text: match[0], first: cut(match.indices?.[1]), groups };
	}

	toString(): string {
		return `/${this.source}/`;
	}
}

/** The text without accents, each character in its old place. */
export function fold(text: string): string {
	let folded = "";
	for (const character of text.normalize("NFC")) {
		const [base = character] = character.normalize("NFD");
		folded += base.length === character.length ? base : character;
	}
	return folded;
}
