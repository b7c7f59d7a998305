import type { HistoryEntry } from "../call/history.js";
import type { Content } from "../call/message.js";
import type { Choice } from "../call/part.js";
import type { Capabilities } from "./capabilities.js";
import { measure } from "./measure.js";

/** How a platform shows tappable answers: the first of these that loses nothing. */
export type ShownChoices =
	| { form: "buttons"; text: string; choices: readonly Choice[] }
	| { form: "rows"; text: string; choices: readonly Choice[] }
	/** Numbered lines are part of the text; the person answers with a number or the words. */
	| { form: "text"; text: string };

/**
 * Steps down from buttons to list rows to numbered text, until every answer can be shown whole. Descriptions stand
 * beside rows and numbered lines; buttons have no room for them, so they go into the text.
 */
export function degradeChoices(
	part: { text: string; choices: readonly Choice[] },
	capabilities: Pick<Capabilities, "choices" | "text">,
): ShownChoices {
	const { text, choices } = part;
	const { buttons, rows, labelMax, idMaxBytes } = capabilities.choices;
	const fits = choices.every(
		({ id, label }) =>
			measure(label, capabilities.text.unit) <= labelMax && measure(id, "bytes") <= idMaxBytes && !label.includes("\n"),
	);
	if (choices.length > 0 && fits) {
		const described = choices.filter((choice) => choice.description !== undefined);
		if (choices.length <= buttons && (described.length === 0 || rows < choices.length)) {
			const lines = described.map(({ label, description }) => `${label}: ${description}`);
			return { form: "buttons", text: [text, lines.join("\n")].filter(Boolean).join("\n\n"), choices };
		}
		if (choices.length <= rows) return { form: "rows", text, choices };
	}
	return { form: "text", text: [text, numberedChoices(choices)].filter(Boolean).join("\n\n") };
}

/** `1. Monday`, one a line, in order. */
export function numberedChoices(choices: readonly Choice[]): string {
	return choices
		.map(
			({ label, description }, index) =>
				`${index + 1}. ${description === undefined ? label : `${label}: ${description}`}`,
		)
		.join("\n");
}

/**
 * Reads a typed answer as one of the choices offered: its words, in any case and with or without accents, else its
 * number ("2", "2.", "(2)", "2️⃣", "٢"). Anything else, and words that two choices share, is no choice: the text is
 * then what the person said.
 */
export function readChoice(answer: string, choices: readonly Choice[]): Choice | undefined {
	const said = plain(answer);
	if (said === "") return undefined;
	const named = choices.filter((choice) => plain(choice.label) === said);
	if (named.length > 0) return named.length === 1 ? named[0] : undefined;
	const digits = /^[([]?(\p{Nd}{1,3})[)\].:]?$/u.exec(said)?.[1];
	return digits === undefined ? undefined : choices[readNumber(digits) - 1];
}

/**
 * What a typed text says after these rows of a transcript: a choice when it names one of those offered last and nobody
 * has said anything since.
 */
export function readTyped(text: string, entries: readonly HistoryEntry[]): Content {
	const last = entries.findLast(
		(entry) => entry.role === "user" || (entry.role === "said" && entry.part.kind === "choices"),
	);
	if (last?.role !== "said" || last.part.kind !== "choices") return { kind: "text", text };
	const chosen = readChoice(text, last.part.choices);
	if (chosen === undefined) return { kind: "text", text };
	return { kind: "choice", choice: chosen.id, text: chosen.label, of: last.id };
}

function plain(text: string): string {
	return text
		.normalize("NFKD")
		.replace(/[\p{Mn}\p{Me}\p{Cf}]/gu, "")
		.toLowerCase()
		.replace(/\s+/gu, " ")
		.replace(/^[\s"'“”«»¡¿*_]+|[\s"'“”«»!?.,;*_]+$/gu, "");
}

/** Digits of any script: every script's ten digits stand together, zero first. */
function readNumber(digits: string): number {
	let value = 0;
	for (const digit of digits) {
		let zero = digit.codePointAt(0) ?? 0;
		while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && (digit.codePointAt(0) ?? 0) - zero < 9) zero -= 1;
		value = value * 10 + ((digit.codePointAt(0) ?? 0) - zero);
	}
	return value;
}
