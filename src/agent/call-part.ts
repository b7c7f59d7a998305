import type { Choice, Part } from "../call/part.js";
import { toldCopy } from "../call/plain.js";
import { CallboardError } from "../errors.js";

/** The text itself when it says something. */
export function words(text: unknown, method: string): string {
	if (typeof text === "string" && text.trim() !== "") return text;
	const found = typeof text === "string" ? "blank text" : `${text === null ? "null" : typeof text} instead of text`;
	throw new CallboardError("CALL_BAD_TEXT", "author", `${method} was given ${found}`, {
		next: "give it a string with at least one visible character",
	});
}

/** A question with answers to tap. */
export function choicesPart(text: string, choices: readonly (Choice | string)[]): Part {
	const said = words(text, "call.say");
	if (!Array.isArray(choices) || choices.length === 0) throw badChoices("has no choice");
	const seen = new Set<string>();
	const checked = choices.map((given: unknown, at) => {
		const choice = typeof given === "string" ? { id: given, label: given } : asChoice(given);
		if (choice.id.trim() === "" || choice.label.trim() === "")
			throw badChoices(`choice ${at + 1} needs an id and a label`);
		if (seen.has(choice.id)) throw badChoices(`choice ${at + 1} has the id of an earlier one`);
		seen.add(choice.id);
		return choice;
	});
	return { kind: "choices", text: said, choices: checked };
}

/** A part as given, checked and copied; text becomes one. */
export function spokenPart(what: string | Part, choices?: readonly (Choice | string)[]): Part {
	if (typeof what === "string") return { kind: "text", text: words(what, "call.say") };
	if (choices !== undefined) throw badChoices("belong to a text, not to a part; give the part its own");
	switch (what?.kind) {
		case "text":
			return { kind: "text", text: words(what.text, "call.say") };
		case "choices":
			return choicesPart(what.text, what.choices);
		case "data":
			return { kind: "data", topic: words(what.topic, "call.say"), data: toldCopy(what.data, "call.say") };
		case "media":
			words(what.media?.ref, "call.say");
			return toldCopy(what, "call.say") as unknown as Part;
		default:
			throw new CallboardError("CALL_BAD_TEXT", "author", "call.say was given something that is no part", {
				next: 'give it text, or a part with kind "text", "choices", "media" or "data"',
			});
	}
}

function asChoice(given: unknown): Choice {
	const { id, label, description } = (given ?? {}) as Partial<Record<string, unknown>>;
	if (typeof id !== "string" || typeof label !== "string") throw badChoices("needs an id and a label in each choice");
	return typeof description === "string" ? { id, label, description } : { id, label };
}

function badChoices(why: string): CallboardError {
	return new CallboardError("CALL_BAD_CHOICES", "author", `call.say with choices: ${why}`, {
		next: 'write choices: [{ id: "yes", label: "Yes" }, …]',
	});
}
