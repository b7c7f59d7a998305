import { describe, expect, test } from "vitest";
import { dayInWords, dayNamed } from "../../src/model/script-day.js";
import { Pattern } from "../../src/model/script-pattern.js";
import { fill, MissingValue, valueAt } from "../../src/model/script-template.js";

const monday = "2026-03-02";

describe("the day a person means", () => {
	test.each([
		["2026-05-01", "2026-05-01"],
		["hoy", monday],
		["mañana por la mañana", "2026-03-03"],
		["manana", "2026-03-03"],
		["pasado mañana", "2026-03-04"],
		["el martes", "2026-03-03"],
		["el lunes que viene", "2026-03-09"],
		["SABADO", "2026-03-07"],
		["el 15 de abril", "2026-04-15"],
		["1 de marzo", "2027-03-01"],
		["3/4", "2026-04-03"],
		["3/4/27", "2027-04-03"],
		["31/2", undefined],
		["cuando sea", undefined],
	])("in Spanish: %s", (text, day) => {
		expect(dayNamed(text, monday, "es")).toBe(day);
	});

	test.each([
		["tomorrow", "2026-03-03"],
		["next Friday", "2026-03-06"],
		["April 15", "2026-04-15"],
	])("in English: %s", (text, day) => {
		expect(dayNamed(text, monday, "en")).toBe(day);
	});

	test("is said in the script's language", () => {
		expect(dayInWords("2026-03-03", "es")).toBe("martes, 3 de marzo");
		expect(dayInWords("2026-03-03T10:00", "en")).toBe("Tuesday, March 3");
		expect(dayInWords("soon", "en")).toBe("soon");
	});
});

describe("a pattern", () => {
	test("minds neither case nor accents, and gives groups as they were written", () => {
		const match = new Pattern("me llamo (?<name>\\p{L}+)").find("Hola, ME LLAMÓ Íñigo.");
		expect(match?.groups).toEqual({ name: "Íñigo" });
	});

	test("finds what was written with combining accents", () => {
		expect(new Pattern("(?<word>mañana)").find("man\u0303ana")?.groups.word).toBe("mañana");
	});

	test("finds nothing in other words", () => {
		expect(new Pattern("^sí$").find("siempre")).toBeUndefined();
	});
});

describe("a template", () => {
	const given = {
		language: "en",
		today: monday,
		values: {
			day: "tuesday",
			n: 3,
			hour: "11",
			slots: [
				{ id: 1, at: { time: "10:00" } },
				{ id: 2, at: { time: "11:30" } },
			],
		},
	};

	test.each([
		["on {{day}}", "on tuesday"],
		["{{n}}", 3],
		["{{n}} slots", "3 slots"],
		["{{slots.*.at.time}}", ["10:00", "11:30"]],
		["at {{slots.*.at.time}}", "at 10:00, 11:30"],
		["{{slots.*.at.time | list}}", "10:00 and 11:30"],
		["{{slots.*.at.time | join ' / '}}", "10:00 / 11:30"],
		["{{slots | count}}", 2],
		["{{slots.-1.id}}", 2],
		["{{slots[at.time~hour].id}}", 2],
		["{{slots[id='1'].at.time}}", "10:00"],
		["{{day | day | date}}", "Tuesday, March 3"],
		["{{day | title}}", "Tuesday"],
	])("%s", (template, value) => {
		expect(fill(template, given)).toEqual(value);
	});

	test("fills nested arguments and leaves the rest", () => {
		expect(fill({ a: ["{{n}}", 1], b: { c: "{{day}}" }, d: null }, given)).toEqual({
			a: [3, 1],
			b: { c: "tuesday" },
			d: null,
		});
	});

	test.each(["{{none}}", "{{slots.7.id}}", "{{slots[id='9'].id}}", "a {{n.x}}", "{{hour | day}}"])(
		"%s has no value",
		(template) => {
			expect(() => fill(template, given)).toThrow(MissingValue);
		},
	);

	test("a path leads nowhere without a fuss", () => {
		expect(valueAt({ a: [] }, "a.0.b.c")).toBeUndefined();
	});
});
