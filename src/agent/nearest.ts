/** The word among `known` that a misspelled one most likely meant; undefined when none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
	let best: string | undefined;
	let least = Math.max(2, Math.floor(word.length / 3)) + 1;
	for (const candidate of known) {
		const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
		if (distance < least) {
			best = candidate;
			least = distance;
		}
	}
	return best;
}

/** ` did you mean "quote"?` with its leading punctuation, or nothing. */
export function suggestion(word: string, known: readonly string[]): string {
	const meant = nearest(word, known);
	return meant === undefined ? "" : `; did you mean "${meant}"?`;
}

/** Letters to insert, delete, replace or swap with their neighbour to make `b` of `a`. */
function editDistance(a: string, b: string): number {
	const rows: number[][] = [];
	for (let i = 0; i <= a.length; i += 1) {
		const row = [i];
		for (let j = 1; j <= b.length; j += 1) {
			if (i === 0) {
				row.push(j);
				continue;
			}
			const same = a[i - 1] === b[j - 1] ? 0 : 1;
			let least = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + same);
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
				least = Math.min(least, rows[i - 2]![j - 2]! + 1);
			row.push(least);
		}
		rows.push(row);
	}
	return rows[a.length]![b.length]!;
}
