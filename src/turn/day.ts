const formats = new Map<string, Intl.DateTimeFormat>();
/** The newest day written for each time zone, with the quarter of an hour it was written for. */
const days = new Map<string, { quarter: number; day: string }>();
/** No day begins within a quarter of an hour of the clock: time zones differ by whole ones. */
const QUARTER_MS = 15 * 60_000;
/** Before it some did not. */
const WHOLE_QUARTERS_SINCE = Date.UTC(1973, 0);

/** The day of a moment in a time zone, `YYYY-MM-DD`. */
export function dayOf(at: number, timeZone = "UTC"): string {
	if (at < WHOLE_QUARTERS_SINCE) return written(at, timeZone);
	const quarter = Math.floor(at / QUARTER_MS);
	const known = days.get(timeZone);
	if (known?.quarter === quarter) return known.day;
	const day = written(at, timeZone);
	days.set(timeZone, { quarter, day });
	return day;
}

function written(at: number, timeZone: string): string {
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
