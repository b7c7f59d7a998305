import { fold } from "./script-pattern.js";

const dayMs = 86_400_000;

/**
 * The day a person means, as `YYYY-MM-DD`: an ISO date, `3/3`, `3/3/2026`, a day of the month with its month's name,
 * a weekday (the next one), or today and tomorrow in the words of `language`. Undefined when the text names no day.
 */
export function dayNamed(text: string, today: string, language: string): string | undefined {
	const start = Date.parse(`${today}T00:00:00Z`);
	const said = plain(text);
	const iso = /\b(\d{4}-\d{2}-\d{2})\b/.exec(said)?.[1];
	if (iso !== undefined) return iso;
	const numbers = /\b(\d{1,2})[/.](\d{1,2})(?:[/.](\d{2,4}))?\b/.exec(said);
	if (numbers !== null) return dated(start, Number(numbers[2]), Number(numbers[1]), numbers[3]);

	const months = names(language, { month: "long" }, (index) => Date.UTC(2026, index, 15), 12);
	for (const [index, month] of months.entries()) {
		const day =
			new RegExp(`\\b(\\d{1,2})\\D{0,8}${month}\\b`).exec(said) ??
			new RegExp(`\\b${month}\\D{0,4}(\\d{1,2})\\b`).exec(said);
		if (day !== null) return dated(start, index + 1, Number(day[1]), undefined);
	}
	const weekdays = names(language, { weekday: "long" }, (index) => start + index * dayMs, 7);
	for (const [index, weekday] of weekdays.entries()) {
		if (includesWord(said, weekday)) return isoDay(start + (index === 0 ? 7 : index) * dayMs);
	}
	const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
	for (const ahead of [2, 1, 0]) {
		const word = plain(relative.format(ahead, "day"));
		if (!/\d/.test(word) && includesWord(said, word)) return isoDay(start + ahead * dayMs);
	}
	return undefined;
}

/** A day as people say it: `martes, 3 de marzo`. */
export function dayInWords(day: string, language: string): string {
	const time = Date.parse(`${day.slice(0, 10)}T00:00:00Z`);
	if (Number.isNaN(time)) return day;
	return new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" }).format(
		time,
	);
}

function names(
	language: string,
	form: Intl.DateTimeFormatOptions,
	at: (index: number) => number,
	count: number,
): readonly string[] {
	const format = new Intl.DateTimeFormat(language, { ...form, timeZone: "UTC" });
	return Array.from({ length: count }, (_, index) => plain(format.format(at(index))));
}

/** The coming day of that month and number; undefined when there is no such day. */
function dated(start: number, month: number, day: number, year: string | undefined): string | undefined {
	const thisYear = new Date(start).getUTCFullYear();
	const given = year === undefined ? undefined : Number(year.length === 2 ? `20${year}` : year);
	const time = Date.UTC(given ?? thisYear, month - 1, day);
	if (new Date(time).getUTCMonth() !== month - 1) return undefined;
	return isoDay(given === undefined && time < start ? Date.UTC(thisYear + 1, month - 1, day) : time);
}

function isoDay(time: number): string {
	return new Date(time).toISOString().slice(0, 10);
}

function plain(text: string): string {
	return fold(text).toLowerCase();
}

function includesWord(text: string, word: string): boolean {
	return new RegExp(`(?<![\\p{L}\\d])${word}(?![\\p{L}\\d])`, "u").test(text);
}
