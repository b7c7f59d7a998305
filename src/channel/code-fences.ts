/** A fenced code block of a Markdown text, by positions in it. */
export interface CodeFence {
	/** Its first line as written, without the line break: "```js". */
	opener: string;
	/** What closes it: "```". */
	closer: string;
	/** Where the first line starts. */
	start: number;
	/** Where the code starts. */
	bodyStart: number;
	/** Where the closing line starts; the end of the text when there is none. */
	bodyEnd: number;
	/** Just after the closing line, its line break not included. */
	end: number;
}

const OPEN = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** Finds the fenced code blocks of a Markdown text, in order. A fence never closed reaches to the end. */
export function codeFences(text: string): CodeFence[] {
	const found: CodeFence[] = [];
	let open: CodeFence | undefined;
	for (const { line, start, end } of lines(text)) {
		const match = OPEN.exec(line);
		if (open === undefined) {
			if (match === null || (match[1]?.startsWith("`") && match[2]?.includes("`"))) continue;
			open = {
				opener: line,
				closer: match[1] ?? "",
				start,
				bodyStart: Math.min(end + 1, text.length),
				bodyEnd: text.length,
				end: text.length,
			};
			found.push(open);
		} else if (match?.[1]?.startsWith(open.closer) && match[2]?.trim() === "") {
			open.bodyEnd = start;
			open.end = end;
			open = undefined;
		}
	}
	return found;
}

function* lines(text: string): Generator<{ line: string; start: number; end: number }> {
	let start = 0;
	while (start <= text.length) {
		const found = text.indexOf("\n", start);
		const end = found === -1 ? text.length : found;
		yield { line: text.slice(start, end), start, end };
		start = end + 1;
	}
}
