import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Choice } from "../../src/call/part.js";
import { degradeChoices, readChoice } from "../../src/channel/choices.js";

const platform = (choices: { buttons: number; rows: number; labelMax?: number; idMaxBytes?: number }) => ({
	choices: { labelMax: 20, idMaxBytes: 64, ...choices },
	text: { max: 1000, unit: "utf16" as const, markup: "plain" as const },
});
const days: Choice[] = [
	{ id: "mon", label: "Monday" },
	{ id: "tue", label: "Tuesday" },
	{ id: "wed", label: "Miércoles" },
];

describe("choices step down to what the platform has", () => {
	const part = { text: "Which day?", choices: days };

	it("shows buttons where they fit", () => {
		expect(degradeChoices(part, platform({ buttons: 3, rows: 10 }))).toMatchObject({
			form: "buttons",
			text: "Which day?",
		});
	});

	it("shows rows when there are too many for buttons", () => {
		expect(degradeChoices(part, platform({ buttons: 2, rows: 10 }))).toMatchObject({ form: "rows", choices: days });
	});

	it("shows numbered lines when there are no buttons, or a label or an id is too long", () => {
		const text = "Which day?\n\n1. Monday\n2. Tuesday\n3. Miércoles";
		expect(degradeChoices(part, platform({ buttons: 0, rows: 0 }))).toEqual({ form: "text", text });
		expect(degradeChoices(part, platform({ buttons: 3, rows: 10, labelMax: 8 }))).toEqual({ form: "text", text });
		expect(degradeChoices(part, platform({ buttons: 3, rows: 10, idMaxBytes: 2 }))).toEqual({ form: "text", text });
	});

	it("keeps descriptions: beside rows, else in the text above the buttons, else in the numbered line", () => {
		const described = { text: "Which?", choices: [{ id: "a", label: "Basic", description: "one visit" }] };
		expect(degradeChoices(described, platform({ buttons: 3, rows: 10 })).form).toBe("rows");
		expect(degradeChoices(described, platform({ buttons: 3, rows: 0 }))).toMatchObject({
			form: "buttons",
			text: "Which?\n\nBasic: one visit",
		});
		expect(degradeChoices(described, platform({ buttons: 0, rows: 0 })).text).toBe("Which?\n\n1. Basic: one visit");
	});

	it("J: loses no label, whatever the platform", () => {
		const choices = fc.uniqueArray(
			fc.record({ id: fc.string({ minLength: 1, maxLength: 90 }), label: fc.string({ minLength: 1, maxLength: 40 }) }),
			{ maxLength: 15, selector: (choice) => choice.id },
		);
		fc.assert(
			fc.property(choices, fc.nat(5), fc.nat(12), (offered, buttons, rows) => {
				const shown = degradeChoices({ text: "Which?", choices: offered }, platform({ buttons, rows }));
				const visible = shown.form === "text" ? shown.text : shown.choices.map((choice) => choice.label).join("\n");
				for (const { label } of offered) expect(visible).toContain(label);
				if (shown.form !== "text") expect(shown.choices.length).toBeLessThanOrEqual(Math.max(buttons, rows));
			}),
		);
	});
});

describe("a typed answer is read as a choice", () => {
	it.each([
		["Tuesday", "tue"],
		["  tuesday! ", "tue"],
		["2", "tue"],
		["2.", "tue"],
		["(2)", "tue"],
		["2️⃣", "tue"],
		["٢", "tue"],
		["２", "tue"],
		["miercoles", "wed"],
		["MIÉRCOLES", "wed"],
		["«Monday»", "mon"],
	])("%s is %s", (answer, id) => {
		expect(readChoice(answer, days)?.id).toBe(id);
	});

	it.each(["0", "4", "22", "-1", "2 o'clock", "not tuesday", "", "?", "tue sday", "1 2"])("%j is none", (answer) => {
		expect(readChoice(answer, days)).toBeUndefined();
	});

	it("prefers the words to the number, and takes neither of two alike", () => {
		const people = ["2", "3", "1"].map((label) => ({ id: `for-${label}`, label }));
		expect(readChoice("3", people)?.id).toBe("for-3");
		const alike = [
			{ id: "a", label: "Sí" },
			{ id: "b", label: "si" },
		];
		expect(readChoice("si", alike)).toBeUndefined();
		expect(readChoice("2", alike)?.id).toBe("b");
	});

	it("reads every label and every number back to the choice it came from", () => {
		const labels = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 20 });
		fc.assert(
			fc.property(labels, (given) => {
				const choices = given.map((label) => ({ id: `id-${label}`, label }));
				choices.forEach((choice, index) => {
					expect(readChoice(choice.label.toUpperCase(), choices)).toBe(choice);
					expect(readChoice(`${index + 1})`, choices)).toBe(choice);
				});
			}),
		);
	});
});
