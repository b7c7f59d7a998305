import type { Json } from "../call/json.js";
import type { Pattern } from "./script-pattern.js";
import { ownWords, type Scene, type SceneResult } from "./script-scene.js";
import { asText, valueAt } from "./script-template.js";

/** What a request must be like. Every member that is there must hold; see docs/scripted-model.md. */
export interface Conditions {
	said?: readonly Pattern[];
	choice?: readonly string[];
	asked?: readonly Pattern[];
	tool?: readonly string[];
	noTool?: readonly string[];
	tools?: readonly string[];
	toolChoice?: "auto" | "none";
	after?: readonly string[];
	result?: Json;
	heard?: readonly string[];
	justHeard?: readonly string[];
	unheard?: readonly string[];
	called?: readonly string[];
	uncalled?: readonly string[];
	view?: readonly Pattern[];
	first?: boolean;
}

/** Values found in what the person said, with those that came with the last message apart. */
export interface Heard {
	values: Readonly<Record<string, string>>;
	just: ReadonlySet<string>;
}

export interface HeardRule {
	said: Pattern;
	asked?: Pattern;
}

/** Finds each named value in the newest message that holds it. */
export function hear(rules: Readonly<Record<string, HeardRule>>, scene: Scene): Heard {
	const values: Record<string, string> = {};
	const just = new Set<string>();
	for (const [name, rule] of Object.entries(rules)) {
		for (const exchange of scene.exchanges.toReversed()) {
			if (rule.asked !== undefined && rule.asked.find(exchange.asked) === undefined) continue;
			const match = rule.said.find(ownWords(exchange.said));
			if (match === undefined) continue;
			values[name] = match.groups[name] ?? match.first ?? match.text;
			if (exchange === scene.exchanges.at(-1)) just.add(name);
			break;
		}
	}
	return { values, just };
}

/** One condition that does not hold, in words. */
export interface Miss {
	condition: keyof Conditions;
	expected: string;
	got: string;
}

export interface Verdict {
	misses: readonly Miss[];
	/** Named groups of `said` and `asked`. */
	groups: Readonly<Record<string, string>>;
	/** The result the conditions speak of: that of the tool in `after`, else the newest. */
	result: Json | undefined;
}

export function check(conditions: Conditions, scene: Scene, heard: Heard): Verdict {
	const misses: Miss[] = [];
	const groups: Record<string, string> = {};
	const miss = (condition: keyof Conditions, expected: string, got: string) =>
		misses.push({ condition, expected, got });

	const match = (condition: "said" | "asked" | "view", ...texts: readonly string[]) => {
		const patterns = conditions[condition];
		if (patterns === undefined) return;
		const found = texts
			.flatMap((text) => patterns.map((pattern) => pattern.find(text)))
			.find((each) => each !== undefined);
		if (found === undefined) miss(condition, patterns.join(" or "), JSON.stringify(texts.at(-1)));
		else Object.assign(groups, found.groups);
	};
	const all = (condition: keyof Conditions, wanted: readonly string[] | undefined, there: readonly string[]) => {
		if (wanted?.every((each) => there.includes(each)) === false) miss(condition, words(wanted), words(there));
	};
	const none = (condition: keyof Conditions, unwanted: readonly string[] | undefined, there: readonly string[]) => {
		if (unwanted?.some((each) => there.includes(each))) miss(condition, `none of ${words(unwanted)}`, words(there));
	};

	const { request } = scene;
	const called = scene.results.map((result) => result.tool);
	const names = Object.keys(heard.values);
	match("said", ownWords(scene.said), scene.said);
	match("asked", scene.asked);
	match("view", request.view);
	if (conditions.choice?.some((id) => isChoice(scene.said, id)) === false) {
		miss("choice", words(conditions.choice), JSON.stringify(scene.said));
	}
	all("tool", conditions.tool, request.allowed);
	none("noTool", conditions.noTool, request.allowed);
	if (conditions.tools !== undefined && words(conditions.tools.toSorted()) !== words(request.allowed.toSorted())) {
		miss("tools", words(conditions.tools), words(request.allowed));
	}
	if (conditions.toolChoice !== undefined && conditions.toolChoice !== request.toolChoice) {
		miss("toolChoice", conditions.toolChoice, request.toolChoice);
	}
	all("heard", conditions.heard, names);
	none("unheard", conditions.unheard, names);
	if (conditions.justHeard?.some((name) => heard.just.has(name)) === false) {
		miss("justHeard", `one of ${words(conditions.justHeard)}`, words([...heard.just]));
	}
	all("called", conditions.called, called);
	none("uncalled", conditions.uncalled, called);
	if (conditions.first !== undefined && conditions.first !== (scene.spoken.length === 0)) {
		miss("first", String(conditions.first), String(scene.spoken.length === 0));
	}
	if (conditions.after !== undefined && !conditions.after.includes("*")) {
		all(
			"after",
			conditions.after,
			scene.fresh.map((result) => result.tool),
		);
	}
	const about = resultOf(conditions, scene);
	if (conditions.result !== undefined && !fits(about?.value, conditions.result)) {
		miss("result", JSON.stringify(conditions.result), JSON.stringify(about?.value) ?? "no result");
	}
	return { misses, groups, result: about?.value };
}

function resultOf(conditions: Conditions, scene: Scene): SceneResult | undefined {
	const wanted = conditions.after?.find((tool) => tool !== "*");
	if (wanted !== undefined) return scene.fresh.findLast((result) => result.tool === wanted);
	return scene.results.at(-1);
}

/** A tapped choice reaches the model as its label and a line with its id; where the two are one, as that alone. */
function isChoice(said: string, id: string): boolean {
	return said.trim() === id || said.includes(`[tapped the answer with id ${JSON.stringify(id)}]`);
}

/** `none` and `some` ask whether there is anything; `/…/` is a pattern; a mapping asks of paths; all else must be equal. */
function fits(value: Json | undefined, expected: Json): boolean {
	if (expected === "none") return isNothing(value);
	if (expected === "some") return !isNothing(value);
	if (typeof expected === "string" && /^\/.+\/$/.test(expected)) {
		return value !== undefined && new RegExp(expected.slice(1, -1), "iu").test(asText(value));
	}
	if (expected !== null && typeof expected === "object" && !Array.isArray(expected)) {
		return Object.entries(expected).every(
			([path, wanted]) => wanted === undefined || fits(value === undefined ? undefined : valueAt(value, path), wanted),
		);
	}
	return JSON.stringify(value ?? null) === JSON.stringify(expected);
}

function isNothing(value: Json | undefined): boolean {
	return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

function words(names: readonly string[]): string {
	return names.length === 0 ? "nothing" : names.join(", ");
}
