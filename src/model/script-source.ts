import * as z from "zod";
import type { Json } from "../call/json.js";

/**
 * A script as it is written, in YAML or as an object. The words are explained in docs/scripted-model.md, and the shape
 * is checked here; `script.ts` makes it ready to play.
 */
export interface ScriptSource {
	/** Its name, for logs. */
	script?: string;
	/** For days and lists: `es`, `en`. Default `en`. */
	language?: string;
	/** Milliseconds between two streamed words; 0 for all at once. Default 15 with rules, 0 with steps. */
	pace?: number;
	/** Values to keep in mind from whatever the person said. */
	heard?: Record<string, string | { said: string; asked?: string }>;
	/** A conversation in one order only, for tests. */
	steps?: readonly StepSource[];
	/** A conversation in any order, for a demo. The first rule that holds answers. */
	rules?: readonly RuleSource[];
	/** What is said when no rule holds. */
	otherwise?: string | readonly string[];
}

type Words = string | readonly string[];

export interface ConditionsSource {
	/** What the person said last. */
	said?: Words;
	/** Id of the choice the person tapped. */
	choice?: Words;
	/** What the agent had said before that. */
	asked?: Words;
	/** Tools that can be called now. */
	tool?: Words;
	noTool?: Words;
	/** All tools that can be called now, and no other. */
	tools?: readonly string[];
	toolChoice?: "auto" | "none";
	/** The model's last calls were of these tools, and their results are there. `"*"`: of any. */
	after?: Words;
	/** What the result of that tool, or the newest one, is like. */
	result?: Json;
	heard?: Words;
	justHeard?: Words;
	unheard?: Words;
	called?: Words;
	uncalled?: Words;
	/** What the view says is true now. */
	view?: Words;
	/** Whether the agent has not said anything yet. */
	first?: boolean;
}

/** Tool to arguments. Arguments given as a text are sent as they are, so that a test can send malformed ones. */
export type CallsSource = Record<string, Json> | readonly Record<string, Json>[];

export interface RuleSource {
	/** Several: one of them must hold. */
	when?: ConditionsSource | readonly ConditionsSource[];
	unless?: ConditionsSource;
	/** Several: they take turns. */
	say?: Words;
	call?: CallsSource;
}

export interface StepSource {
	/** What the request must be like. */
	expect?: ConditionsSource;
	say?: string;
	call?: CallsSource;
	finish?: "length" | "filtered" | "refused";
	/** Fails with this code, `MODEL_UNAVAILABLE` for example, instead of answering. */
	fail?: string;
	usage?: { input: number; cached?: number; output: number };
}

const conditionWords = [
	...["said", "choice", "asked", "tool", "noTool", "tools", "toolChoice", "after", "result"],
	...["heard", "justHeard", "unheard", "called", "uncalled", "view", "first"],
];
const ruleWords = ["when", "unless", "say", "call"];
const stepWords = ["expect", "say", "call", "finish", "fail", "usage"];
const scriptWords = ["script", "language", "pace", "heard", "rules", "otherwise", "steps"];

const textOrTexts = z.union([z.string(), z.array(z.string()).min(1)], {
	error: "write a text, or a list of texts",
});
const json: z.ZodType<Json> = z.json();
const calls = z.union([z.record(z.string(), json), z.array(z.record(z.string(), json)).min(1)], {
	error: "write the tool and its arguments: `call: { findPatient: { name: Ana } }`",
});
const yesOrNo = z.boolean({ error: "write true or false" });

const conditions = z.strictObject(
	{
		said: textOrTexts.optional(),
		choice: textOrTexts.optional(),
		asked: textOrTexts.optional(),
		tool: textOrTexts.optional(),
		noTool: textOrTexts.optional(),
		tools: z.array(z.string(), { error: "write a list of tool names: `tools: [findPatient]`" }).optional(),
		toolChoice: z.enum(["auto", "none"], { error: "write auto or none" }).optional(),
		after: textOrTexts.optional(),
		result: json.optional(),
		heard: textOrTexts.optional(),
		justHeard: textOrTexts.optional(),
		unheard: textOrTexts.optional(),
		called: textOrTexts.optional(),
		uncalled: textOrTexts.optional(),
		view: textOrTexts.optional(),
		first: yesOrNo.optional(),
	},
	{ error: shaped("conditions: `{ said: hola, tool: findPatient }`", "a condition", conditionWords) },
);

const rule = z
	.strictObject(
		{
			when: z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(conditions).min(1)).optional(),
			unless: conditions.optional(),
			say: textOrTexts.optional(),
			call: calls.optional(),
		},
		{ error: shaped("a rule: `when: …` with `say: …` or `call: …`", "a word of a rule", ruleWords) },
	)
	.refine((value) => value.say !== undefined || value.call !== undefined, {
		error: "a rule that does nothing: add `say: …` or `call: …`",
	});

const count = z.int({ error: "write a number of tokens" }).min(0);
const step = z
	.strictObject(
		{
			expect: conditions.optional(),
			say: z.string({ error: "write a text" }).optional(),
			call: calls.optional(),
			finish: z.enum(["length", "filtered", "refused"], { error: "write length, filtered or refused" }).optional(),
			fail: z.string({ error: "write an error code: MODEL_UNAVAILABLE" }).optional(),
			usage: z.strictObject({ input: count, cached: count.optional(), output: count }).optional(),
		},
		{ error: shaped("a step: `expect: …` with `say: …` or `call: …`", "a word of a step", stepWords) },
	)
	.refine((value) => value.say !== undefined || value.call !== undefined || value.fail !== undefined, {
		error: "a step that does nothing: add `say: …`, `call: …` or `fail: …`; an empty answer is `say: ''`",
	});

const heardRule = z.union([z.string(), z.strictObject({ said: z.string(), asked: z.string().optional() })], {
	error: "write a pattern, or `{ said: pattern, asked: pattern }`",
});

/** The shape of a script file. */
export const scriptSchema = z
	.strictObject(
		{
			script: z.string({ error: "write the script's name" }).optional(),
			language: z
				.string()
				.refine((tag) => canonical(tag), { error: "write a language tag: es, en, pt-BR" })
				.optional(),
			pace: z.number({ error: "write milliseconds, 0 for none" }).min(0).optional(),
			heard: z.record(z.string().regex(/^[A-Za-z_]\w*$/), heardRule).optional(),
			steps: z.array(step, { error: "write a list of steps" }).min(1).optional(),
			rules: z.array(rule, { error: "write a list of rules" }).optional(),
			otherwise: textOrTexts.optional(),
		},
		{ error: shaped("a script: `rules:` for a demo, or `steps:` for a test", "a word of a script", scriptWords) },
	)
	.refine((value) => (value.steps === undefined) !== (value.rules === undefined), {
		error: "a script has either `steps:`, for a test, or `rules:`, for a demo",
	})
	.refine((value) => value.rules === undefined || value.otherwise !== undefined, {
		error: "rules need `otherwise: …`, said when none of them holds",
	});

/** Tells an unknown member by its name with those there are, and anything else by what to write. */
function shaped(what: string, member: string, members: readonly string[]) {
	return (issue: { code?: string | undefined; keys?: readonly string[] }) =>
		issue.code === "unrecognized_keys"
			? `${(issue.keys ?? []).map((key) => `\`${key}\``).join(", ")} is not ${member}; there are ${members.join(", ")}`
			: `write ${what}`;
}

function canonical(tag: string): boolean {
	try {
		return Intl.getCanonicalLocales(tag).length === 1;
	} catch {
		return false;
	}
}
