/** Lines with aligned columns, for a person. The first row is the head. */
export function tableOf(rows: readonly (readonly (string | number)[])[]): string[] {
	const columns = Math.max(0, ...rows.map((row) => row.length));
	const widths = Array.from({ length: columns }, (_, at) =>
		Math.max(...rows.map((row) => String(row[at] ?? "").length)),
	);
	return rows.map((row) =>
		row
			.map((cell, at) => String(cell).padEnd(widths[at] ?? 0))
			.join("  ")
			.trimEnd(),
	);
}

/** How long something took or is ago, in its two greatest units: `3 min 20 s`. */
export function spanOf(ms: number): string {
	const units = [
		["d", 86_400_000],
		["h", 3_600_000],
		["min", 60_000],
		["s", 1_000],
	] as const;
	const first = units.findIndex(([, size]) => ms >= size);
	if (first === -1) return `${Math.max(0, Math.round(ms))} ms`;
	let rest = ms;
	const shown = units.slice(first, first + 2).flatMap(([unit, size]) => {
		const count = Math.floor(rest / size);
		rest -= count * size;
		return count === 0 ? [] : [`${count} ${unit}`];
	});
	return shown.join(" ");
}

/** A moment as people read it. */
export function timeOf(at: number): string {
	return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}
