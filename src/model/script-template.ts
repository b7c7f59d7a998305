import type { Json } from "../call/json.js";
import { dayInWords, dayNamed } from "./script-day.js";
import { fold } from "./script-pattern.js";

/** What a template can name, and how it says lists and days. */
export interface TemplateValues {
	/** Named groups, heard values, `said`, `result`, `results`, `args`. */
	readonly values: { readonly [name: string]: Json | undefined };
	readonly language: string;
	/** `YYYY-MM-DD`. */
	readonly today: string;
}

/** A template named something that is not there. */
export class MissingValue extends Error {
	override readonly name = "MissingValue";
	constructor(readonly expression: string) {
		super(`{{${expression}}} has no value`);
	}
}

type Filter = (value: Json, argument: string | undefined, given: TemplateValues) => Json | undefined;

/** What can stand behind a `|`. */
export const filters: Readonly<Record<string, Filter>> = {
	first: (value, count) => (Array.isArray(value) ? value.slice(0, Number(count ?? 1)) : value),
	join: (value, between) => (Array.isArray(value) ? value.map(asText).join(between ?? ", ") : value),
	list: (value, _none, { language }) =>
		Array.isArray(value) ? new Intl.ListFormat(language).format(value.map(asText)) : value,
	count: (value) => (Array.isArray(value) ? value.length : 0),
	digits: (value) => asText(value).replace(/(?!^\+)\D/g, ""),
	number: (value) => Number(asText(value)),
	title: (value) => asText(value).replace(/(?<![\p{L}'])\p{L}/gu, (letter) => letter.toUpperCase()),
	lower: (value) => asText(value).toLowerCase(),
	day: (value, _none, { today, language }) => dayNamed(asText(value), today, language),
	date: (value, _none, { language }) =>
		Array.isArray(value)
			? value.map((each) => dayInWords(asText(each), language))
			: dayInWords(asText(value), language),
};

/** Texts with `{{…}}` filled in, in every string of `template`. A string that is one `{{…}}` keeps the value's own kind. */
export function fill(template: Json, given: TemplateValues): Json {
	if (typeof template === "string") return fillText(template, given);
	if (Array.isArray(template)) return template.map((each) => fill(each, given));
	if (template === null || typeof template !== "object") return template;
	return Object.fromEntries(
		Object.entries(template).map(([key, value]) => [key, value === undefined ? undefined : fill(value, given)]),
	);
}

function fillText(template: string, given: TemplateValues): Json {
	const whole = /^\{\{([^{}]*)\}\}$/.exec(template);
	if (whole !== null) return evaluate(whole[1]!, given);
	return template.replace(/\{\{([^{}]*)\}\}/g, (_, expression: string) => asText(evaluate(expression, given)));
}

/** Expressions of a template, `{{…}}` taken off. */
export function expressionsIn(template: Json): readonly string[] {
	if (typeof template === "string") return [...template.matchAll(/\{\{([^{}]*)\}\}/g)].map((match) => match[1]!);
	if (Array.isArray(template)) return template.flatMap(expressionsIn);
	if (template === null || typeof template !== "object") return [];
	return Object.values(template).flatMap((value) => (value === undefined ? [] : expressionsIn(value)));
}

/** The name an expression begins with, and the filters it uses. */
export function namesIn(expression: string): { root: string; filters: readonly string[] } {
	const [path = "", ...used] = expression.split("|").map((part) => part.trim());
	return { root: /^[\w$]+/.exec(path)?.[0] ?? path, filters: used.map((filter) => filter.split(/\s/)[0]!) };
}

function evaluate(expression: string, given: TemplateValues): Json {
	const [path = "", ...used] = expression.split("|").map((part) => part.trim());
	let value = walk(given.values as Json, steps(path), given);
	for (const each of used) {
		const [, name = "", argument] = /^(\w+)\s*(.*)$/.exec(each) ?? [];
		if (value !== undefined) value = filters[name]?.(value, unquoted(argument), given);
	}
	if (value === undefined || value === null) throw new MissingValue(expression);
	return value;
}

function unquoted(argument: string | undefined): string | undefined {
	if (argument === undefined || argument === "") return undefined;
	return argument.replace(/^(["'])(.*)\1$/, "$2");
}

/** `results.freeSlots[time~hour].id` → `results`, `freeSlots`, `[time~hour]`, `id`. */
function steps(path: string): readonly string[] {
	return path.match(/[^.[\]]+|\[[^\]]*\]/g) ?? [];
}

/** The value at `path` in `value`: `patient.name`, `0.time`, `*.id`. */
export function valueAt(value: Json, path: string): Json | undefined {
	return walk(value, steps(path), { values: {}, language: "en", today: "1970-01-01" });
}

function walk(value: Json | undefined, path: readonly string[], given: TemplateValues): Json | undefined {
	const [step, ...rest] = path;
	if (step === undefined || value === undefined || value === null) return value;
	if (step.startsWith("[")) return walk(chosen(value, step.slice(1, -1), given), rest, given);
	if (Array.isArray(value)) {
		if (step === "*") return value.map((each) => walk(each, rest, given) ?? null).filter((each) => each !== null);
		if (step === "length") return value.length;
		return /^-?\d+$/.test(step) ? walk(value.at(Number(step)), rest, given) : undefined;
	}
	return typeof value === "object" ? walk(value[step], rest, given) : undefined;
}

/** The first item whose field holds (`~`) or equals (`=`) a named value or a quoted text. */
function chosen(value: Json, test: string, given: TemplateValues): Json | undefined {
	const [, field = "", how, wanted = ""] = /^\s*([\w.]+)\s*([~=])\s*(.+?)\s*$/.exec(test) ?? [];
	const quoted = /^(["'])(.*)\1$/.exec(wanted);
	const found = quoted === null ? walk(given.values as Json, steps(wanted), given) : quoted[2];
	if (!Array.isArray(value) || found === undefined || found === null) return undefined;
	const needle = fold(asText(found)).toLowerCase();
	return value.find((item) => {
		const text = fold(asText(valueAt(item, field) ?? "")).toLowerCase();
		return how === "=" ? text === needle : text.includes(needle);
	});
}

export function asText(value: Json): string {
	if (typeof value === "string") return value;
	if (Array.isArray(value)) return value.map(asText).join(", ");
	return value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
}
