const formats = new Map<string, Intl.DateTimeFormat>();

/** The day of a moment in a time zone, `YYYY-MM-DD`. */
export function dayOf(at: number, timeZone = "UTC"): string {
	const parts = formatFor(timeZone).formatToParts(at);
	const part = (type: string) => parts.find((each) => each.type === type)?.value ?? "";
	return `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`;
}

/** Kept for each time zone: making one costs more than the rest of a short turn. */
function formatFor(timeZone: string): Intl.DateTimeFormat {
	const known = formats.get(timeZone);
	if (known !== undefined) return known;
	const format = new Intl.DateTimeFormat("en", {
		timeZone,
		calendar: "gregory",
		numberingSystem: "latn",
		year: "numeric",
		month: "2-digit",
		day: "2-digit",
	});
	formats.set(timeZone, format);
	return format;
}
