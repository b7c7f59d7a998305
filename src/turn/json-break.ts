const space = /[ \t\n\r]*/y;
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const string = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;

/** What may come next: a value, a key, a colon, a comma; `]` and `}` where the bracket may also close at once. */
type Wanted = "value" | "value or ]" | "key" | "key or }" | ":" | "comma";

const closing: Partial<Record<Wanted, string>> = { "value or ]": "]", "key or }": "}" };

/**
 * Where a text stops being JSON, in UTF-16 units from 0; its length when it ends too early. Engines word this
 * differently or leave it out, and some quote the text, which may be personal.
 */
export function jsonBreak(text: string): number | undefined {
	const open: ("{" | "[")[] = [];
	let wanted = "value" as Wanted;
	let at = 0;

	const take = (token: RegExp): boolean => {
		token.lastIndex = at;
		const found = token.exec(text)?.[0];
		at += found?.length ?? 0;
		return found !== undefined && found !== "";
	};

	for (;;) {
		take(space);
		const char = text[at];
		if (char === undefined) return wanted === "comma" && open.length === 0 ? undefined : at;
		if (wanted === "comma") {
			const inside = open.at(-1);
			if (inside === undefined) return at;
			if (char === (inside === "{" ? "}" : "]")) open.pop();
			else if (char === ",") wanted = inside === "{" ? "key" : "value";
			else return at;
			at += 1;
		} else if (wanted === ":") {
			if (char !== ":") return at;
			at += 1;
			wanted = "value";
		} else if (char === closing[wanted]) {
			open.pop();
			at += 1;
			wanted = "comma";
		} else if (char === '"') {
			take(string);
			if (text[at] !== '"') return at;
			at += 1;
			wanted = wanted === "key" || wanted === "key or }" ? ":" : "comma";
		} else if (wanted === "key" || wanted === "key or }") {
			return at;
		} else if (char === "{" || char === "[") {
			open.push(char);
			at += 1;
			wanted = char === "{" ? "key or }" : "value or ]";
		} else {
			if (!take(scalar)) return at;
			wanted = "comma";
		}
	}
}
