/** The day of a moment in a time zone, `YYYY-MM-DD`. */
export function dayOf(at: number, timeZone = "UTC"): string {
	const parts = new Intl.DateTimeFormat("en", {
		timeZone,
		calendar: "gregory",
		numberingSystem: "latn",
		year: "numeric",
		month: "2-digit",
		day: "2-digit",
	}).formatToParts(at);
	const part = (type: string) => parts.find((each) => each.type === type)?.value ?? "";
	return `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`;
}
