import type * as z from "zod";
import type { Json } from "../call/json.js";
import { CallboardError } from "../errors.js";
import type { Conditions, HeardRule } from "./script-conditions.js";
import { Pattern } from "./script-pattern.js";
import { type ScriptSource, scriptSchema } from "./script-source.js";
import { expressionsIn, filters, namesIn } from "./script-template.js";

/** A script, checked and ready to play. */
export interface Script {
	readonly name: string;
	readonly language: string;
	readonly pace: number;
	readonly heard: Readonly<Record<string, HeardRule>>;
	readonly play:
		| { readonly mode: "steps"; readonly steps: readonly Step[] }
		| { readonly mode: "rules"; readonly rules: readonly Rule[]; readonly otherwise: readonly string[] };
}

export interface ScriptCall {
	readonly tool: string;
	/** A text is sent as it is. */
	readonly args: Json;
}

export interface Rule {
	/** Where it stands, for logs: `demo.yaml:12`. */
	readonly at: string;
	readonly when: readonly Conditions[];
	readonly unless: Conditions | undefined;
	/** Whether it answers on a result instead of on what the person said. */
	readonly onResult: boolean;
	readonly say: readonly string[];
	readonly calls: readonly ScriptCall[];
}

export interface Step {
	readonly at: string;
	readonly expect: Conditions;
	readonly say: string;
	readonly calls: readonly ScriptCall[];
	readonly finish: "length" | "filtered" | "refused" | undefined;
	readonly fail: string | undefined;
	readonly usage: { readonly input: number; readonly cached: number; readonly output: number } | undefined;
}

/** Where a member of the script stands: `demo.yaml:12`, or `rules[2].when` of an object. */
export type Place = (path: readonly PropertyKey[]) => string;

type Checked = z.output<typeof scriptSchema>;
type CheckedConditions = NonNullable<NonNullable<Checked["steps"]>[number]["expect"]>;

/**
 * Checks a script and makes it ready.
 *
 * @throws CallboardError `BAD_SCRIPT`, fault `author`, naming the place and what to write there
 */
export function script(source: ScriptSource, place: Place = (path) => placeInObject(path), name = "script"): Script {
	const parsed = scriptSchema.safeParse(source);
	if (!parsed.success) {
		const issue = parsed.error.issues[0]!;
		throw bad(place(issue.path), issue.message);
	}
	return new Reader(parsed.data, place).read(name);
}

class Reader {
	readonly #heard: Record<string, HeardRule> = {};

	constructor(
		private readonly source: Checked,
		private readonly place: Place,
	) {}

	read(name: string): Script {
		const { source } = this;
		for (const [key, rule] of Object.entries(source.heard ?? {})) {
			const path = ["heard", key];
			const { said, asked } = typeof rule === "string" ? { said: rule, asked: undefined } : rule;
			this.#heard[key] = {
				said: this.#pattern(said, path),
				...(asked === undefined ? {} : { asked: this.#pattern(asked, path) }),
			};
		}
		const common = { name: source.script ?? name, language: source.language ?? "en", heard: this.#heard };
		if (source.steps !== undefined) {
			const steps = source.steps.map((step, index) => this.#step(step, ["steps", index]));
			return { ...common, pace: source.pace ?? 0, play: { mode: "steps", steps } };
		}
		const rules = (source.rules ?? []).map((rule, index) => this.#rule(rule, ["rules", index]));
		const otherwise = list(source.otherwise);
		this.#checkNames(otherwise, [], ["otherwise"]);
		if (otherwise.every((line) => expressionsIn(line).length > 0)) {
			throw bad(this.place(["otherwise"]), "`otherwise` needs one line without {{…}}, for when nothing is known yet");
		}
		return { ...common, pace: source.pace ?? 15, play: { mode: "rules", rules, otherwise } };
	}

	#rule(source: NonNullable<Checked["rules"]>[number], path: readonly PropertyKey[]): Rule {
		const when = (source.when ?? [{}]).map((each) => this.#conditions(each, [...path, "when"]));
		const unless = source.unless === undefined ? undefined : this.#conditions(source.unless, [...path, "unless"]);
		const calls = callsOf(source.call);
		const say = list(source.say);
		const groups = when.flatMap(groupsOf);
		this.#checkNames([...say], groups, [...path, "say"]);
		for (const call of calls) this.#checkNames(call.args, groups, [...path, "call"]);
		const onResult = when.some((each) => each.after !== undefined);
		if (onResult && when.some((each) => each.after === undefined)) {
			throw bad(
				this.place([...path, "when"]),
				"`after` stands in one alternative only; write it in each, or make two rules",
			);
		}
		return { at: this.place(path), when, unless, onResult, say, calls };
	}

	#step(source: NonNullable<Checked["steps"]>[number], path: readonly PropertyKey[]): Step {
		const expect = this.#conditions(source.expect ?? {}, [...path, "expect"]);
		const calls = callsOf(source.call);
		const say = source.say ?? "";
		this.#checkNames([say, ...calls.map((call) => call.args)], groupsOf(expect), path);
		const usage = source.usage === undefined ? undefined : { cached: 0, ...source.usage };
		return {
			at: this.place(path),
			expect,
			say,
			calls,
			finish: source.finish,
			fail: source.fail,
			usage: usage as Step["usage"],
		};
	}

	#conditions(source: CheckedConditions, path: readonly PropertyKey[]): Conditions {
		const patterns = (key: "said" | "asked" | "view") =>
			source[key] === undefined ? {} : { [key]: list(source[key]).map((each) => this.#pattern(each, [...path, key])) };
		const names = (
			key: "choice" | "tool" | "noTool" | "after" | "heard" | "justHeard" | "unheard" | "called" | "uncalled",
		) => (source[key] === undefined ? {} : { [key]: list(source[key]) });
		for (const key of ["heard", "justHeard", "unheard"] as const) {
			for (const name of list(source[key])) {
				if (this.#heard[name] === undefined) {
					throw bad(this.place([...path, key]), `nothing is heard as \`${name}\`; add it under \`heard:\` at the top`);
				}
			}
		}
		return {
			...patterns("said"),
			...patterns("asked"),
			...patterns("view"),
			...names("choice"),
			...names("tool"),
			...names("noTool"),
			...names("after"),
			...names("heard"),
			...names("justHeard"),
			...names("unheard"),
			...names("called"),
			...names("uncalled"),
			...(source.tools === undefined ? {} : { tools: source.tools }),
			...(source.toolChoice === undefined ? {} : { toolChoice: source.toolChoice }),
			...(source.result === undefined ? {} : { result: source.result }),
			...(source.first === undefined ? {} : { first: source.first }),
		};
	}

	#pattern(source: string, path: readonly PropertyKey[]): Pattern {
		try {
			return new Pattern(source);
		} catch (error) {
			throw bad(
				this.place(path),
				`${source} is not a regular expression: ${(error as Error).message.split(": ").at(-1)}`,
			);
		}
	}

	/** Every name of a template must be one that can ever have a value here. */
	#checkNames(template: Json, groups: readonly string[], path: readonly PropertyKey[]): void {
		const known = ["result", "results", "args", "said", "today", ...Object.keys(this.#heard), ...groups];
		for (const expression of expressionsIn(template)) {
			const used = namesIn(expression);
			if (!known.includes(used.root)) {
				throw bad(this.place(path), `{{${expression}}} names \`${used.root}\`; here there are ${known.join(", ")}`);
			}
			const unknown = used.filters.find((filter) => filters[filter] === undefined);
			if (unknown !== undefined) {
				throw bad(this.place(path), `there is no filter \`${unknown}\`; there are ${Object.keys(filters).join(", ")}`);
			}
		}
	}
}

function groupsOf(conditions: Conditions): readonly string[] {
	return [conditions.said, conditions.asked, conditions.view].flatMap((patterns) =>
		(patterns ?? []).flatMap((pattern) => pattern.groups),
	);
}

function callsOf(source: Record<string, Json> | Record<string, Json>[] | undefined): readonly ScriptCall[] {
	if (source === undefined) return [];
	return (Array.isArray(source) ? source : [source]).flatMap((each) =>
		Object.entries(each).map(([tool, args]) => ({ tool, args: args ?? {} })),
	);
}

function list(value: string | readonly string[] | undefined): string[] {
	if (value === undefined) return [];
	return typeof value === "string" ? [value] : [...value];
}

function placeInObject(path: readonly PropertyKey[]): string {
	const where = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
	return where === "" ? "the script" : where.replace(/^\./, "");
}

function bad(where: string, what: string): CallboardError {
	return new CallboardError("BAD_SCRIPT", "author", what, { where });
}
