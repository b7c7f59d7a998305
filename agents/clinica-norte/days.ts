const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;
const DAY_MS = 86_400_000;

/**
 * The day a patient means: `today`, `tomorrow`, a weekday (the next one to come, `next` or not), or a date.
 * @param today YYYY-MM-DD
 * @returns YYYY-MM-DD, or undefined when the words name no day to come
 */
export function dayMeant(words: string, today: string): string | undefined {
	const said = words.toLowerCase();
	const date = said.match(/\d{4}-\d{2}-\d{2}/)?.[0];
	if (date !== undefined) return isDay(date) && date >= today ? date : undefined;
	if (/\btoday\b/.test(said)) return today;
	if (/\btomorrow\b/.test(said)) return plusDays(today, 1);
	const weekday = WEEKDAYS.findIndex((name) => said.includes(name));
	if (weekday < 0) return undefined;
	const ahead = (weekday - new Date(`${today}T00:00:00Z`).getUTCDay() + 7) % 7;
	return plusDays(today, ahead === 0 ? 7 : ahead);
}

/** `Tuesday 1 December` */
export function dayInWords(day: string): string {
	return new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" })
		.format(new Date(`${day}T00:00:00Z`))
		.replace(",", "");
}

function plusDays(day: string, days: number): string {
	return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

function isDay(text: string): boolean {
	const at = Date.parse(`${text}T00:00:00Z`);
	return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
