import type { Json, JsonObject } from "../call/json.js";
import { argumentChecker } from "../schema/check-arguments.js";
import type { Checked, JsonSchema } from "../schema/json-schema.js";
import type { AgentManifest, ToolManifest } from "../schema/manifest.js";
import { positional } from "../schema/positional.js";
import { strictSchema } from "../schema/strict.js";
import { zodParams } from "../schema/zod-params.js";
import type { AgentClass } from "./agent.js";
import { type Author, isAsync, isRecord, refusal } from "./author.js";
import type { Effect, ToolDeclaration } from "./declaration.js";
import { isWords } from "./declare-config.js";
import { entriesOf } from "./metadata.js";
import { suggestion } from "./nearest.js";
import { TOOLS, type ToolEntry } from "./tool.js";
import type { RunnableTool } from "./tool-run.js";

/** One tool while it is declared. */
interface Writing {
	author: Author;
	/** `tool findPatient of ClinicaNorte`. */
	called: string;
	name: string;
	options: Readonly<Record<string, unknown>>;
	manifest?: ToolManifest;
	where?: string;
}

const effects: readonly Effect[] = ["read", "idempotent", "once"];
const optionNames = ["stage", "when", "pii", "preview", "timeout", "effect", "end", "doc", "params"];

/** Names of methods that Callboard itself calls or gives. */
const taken = ["call", "restore", "startIn", "collapse", "last", "render", "onCall", "onEnd", "onEvent", "constructor"];

/** The tools of a class in the order they stand in it, inherited ones first. */
export function toolsOf(author: Author, Class: AgentClass, manifest?: AgentManifest): readonly RunnableTool[] {
	return [...entriesOf<ToolEntry>(Class, TOOLS).values()].map((entry) => {
		const { name, options } = entry;
		const known = manifest?.tools[name];
		const where = known?.at ?? author.where;
		const writing: Writing = {
			author,
			called: `tool ${name} of ${author.title}`,
			name,
			options: isRecord(options) ? options : {},
			...(known === undefined ? {} : { manifest: known }),
			...(where === undefined ? {} : { where }),
		};
		checkName(writing, entry);
		checkMethod(writing, Class);
		checkOptions(writing);
		return runnable(writing, Class, manifest !== undefined);
	});
}

function refuse({ author, where }: Writing, code: string, message: string, next: string): never {
	throw refusal(author, code, message, next, where);
}

function checkName(writing: Writing, { name, unreachable }: ToolEntry): void {
	const { called } = writing;
	if (unreachable !== undefined) {
		refuse(
			writing,
			"BAD_TOOL_NAME",
			`${called} is ${unreachable}, and a model cannot call it`,
			"make it a public method",
		);
	}
	if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name)) {
		const next = "begin with a letter and use letters, digits and underscores, 64 at most";
		refuse(writing, "BAD_TOOL_NAME", `${called} has a name that models cannot call`, next);
	}
	if (taken.includes(name)) {
		refuse(
			writing,
			"RESERVED_NAME",
			`${called} has a name that belongs to Callboard`,
			`call it otherwise than ${name}`,
		);
	}
}

/** What a generator gives is no answer: none of its code would run. */
function checkMethod(writing: Writing, Class: AgentClass): void {
	const method: unknown = Reflect.get(Class.prototype, writing.name);
	if (typeof method !== "function" || !/^(Async)?GeneratorFunction$/.test(method.constructor.name)) return;
	refuse(
		writing,
		"BAD_TOOL_METHOD",
		`${writing.called} is a generator, and a tool answers once`,
		"take away the * and return a list",
	);
}

function checkOptions(writing: Writing): void {
	const { called, options } = writing;
	const bad = (message: string, next: string) => refuse(writing, "BAD_TOOL_OPTION", `${called}: ${message}`, next);
	for (const name of Object.keys(options)) {
		if (optionNames.includes(name)) continue;
		bad(`${name} is no option of @tool${suggestion(name, optionNames)}`, `the options are ${optionNames.join(", ")}`);
	}
	const { when, preview, timeout, effect, end, doc, pii } = options;
	if (when !== undefined && (typeof when !== "function" || isAsync(when))) {
		bad("when is no function that answers at once", "write when: (s) => …, without async");
	}
	if (preview !== undefined && !(Number.isSafeInteger(preview) && (preview as number) > 0)) {
		bad("preview is not a number of rows", "write preview: 3");
	}
	if (timeout !== undefined && !(Number.isFinite(timeout) && (timeout as number) > 0)) {
		bad("timeout is not a number of seconds", "write timeout: 30");
	}
	if (effect !== undefined && !effects.includes(effect as Effect)) {
		bad(
			`effect is none there is${suggestion(String(effect), effects)}`,
			`write ${effects.map((one) => `"${one}"`).join(", ")}`,
		);
	}
	if (end !== undefined && typeof end !== "boolean") bad("end is neither true nor false", "write end: true");
	if (doc !== undefined && !isWords(doc)) bad("doc says nothing", 'write doc: "what it does"');
	if (pii !== undefined && !isNames(pii)) bad("pii is no list of parameter names", 'write pii: ["phone"]');
}

function runnable(writing: Writing, Class: AgentClass, read: boolean): RunnableTool {
	const { name, options, called, manifest } = writing;
	const description = (options.doc ?? manifest?.doc ?? "") as string;
	if (description === "") {
		const next = `write /** what it does */ above ${name}`;
		refuse(writing, "NO_DOCSTRING", `${called} has no docstring, and the model would not know what it is for`, next);
	}
	const contract = contractOf(writing, Class, read);
	const stages = options.stage === undefined ? undefined : stagesNamed(writing, options.stage);
	const declaration: ToolDeclaration = {
		name,
		description,
		parameters: contract.parameters,
		strict: strictSchema(contract.parameters) !== undefined,
		effect: (options.effect as Effect | undefined) ?? "once",
		pii: piiOf(writing, contract.parameters),
		...(options.preview === undefined ? {} : { preview: options.preview as number }),
		timeoutMs: ((options.timeout as number | undefined) ?? 30) * 1000,
		...(stages === undefined ? {} : { stages }),
		conditional: options.when !== undefined,
		end: options.end === true,
		check: contract.check,
	};
	const invoke = (instance: object, args: JsonObject) => {
		const method = Reflect.get(instance, name) as (...given: readonly unknown[]) => unknown;
		return Reflect.apply(method, instance, contract.spread(args));
	};
	if (options.when === undefined) return { declaration, invoke };
	return { declaration, invoke, when: options.when as (state: object) => unknown };
}

interface Contract {
	parameters: JsonSchema;
	check(args: Json): Checked<JsonObject>;
	/** Arguments as the method takes them. */
	spread(args: JsonObject): readonly unknown[];
}

function contractOf(writing: Writing, Class: AgentClass, read: boolean): Contract {
	const { called, manifest, name, options } = writing;
	if (options.params !== undefined) {
		if (!isRecord(options.params) || !("_zod" in options.params)) {
			refuse(writing, "BAD_TOOL_OPTION", `${called}: params is no zod 4 schema`, "write params: z.object({ … })");
		}
		return { ...zodParams(options.params as never, called), spread: (args) => [args] };
	}
	if (manifest?.parameters !== undefined) {
		const { parameters } = manifest;
		return { parameters, check: argumentChecker(parameters), spread: (args) => positional(manifest, args) };
	}
	if (read) {
		const next = "run `callboard build` again";
		refuse(writing, "NOT_IN_MANIFEST", `${called} is not in the manifest, which is older than the class`, next);
	}
	const method: unknown = Reflect.get(Class.prototype, name);
	if (typeof method === "function" && /^[^(]*\(\s*\)/.test(Function.prototype.toString.call(method))) {
		const parameters: JsonSchema = { type: "object", properties: {}, required: [], additionalProperties: false };
		return { parameters, check: argumentChecker(parameters), spread: () => [] };
	}
	const next = "load it with its manifest (`callboard build`), or give the tool zod `params`";
	return refuse(writing, "NO_SCHEMA", `${called} has parameters whose types are not known`, next);
}

function stagesNamed(writing: Writing, stage: unknown): readonly string[] {
	const stages: readonly unknown[] = Array.isArray(stage) ? stage : [stage];
	if (isNames(stages) && stages.length > 0) return [...new Set(stages)];
	return refuse(
		writing,
		"BAD_TOOL_OPTION",
		`${writing.called}: stage names no stage`,
		'write stage: "first" or stage: ["first"]',
	);
}

function piiOf(writing: Writing, parameters: JsonSchema): readonly string[] {
	const properties = isRecord(parameters.properties) ? parameters.properties : {};
	const names = Object.keys(properties);
	const listed = (writing.options.pii ?? []) as readonly string[];
	for (const name of listed) {
		if (names.includes(name)) continue;
		const message = `${writing.called}: pii names "${name}", which is no parameter${suggestion(name, names)}`;
		refuse(writing, "BAD_PII", message, names.length === 0 ? "it has no parameters" : `it has ${names.join(", ")}`);
	}
	const marked = names.filter((name) => isRecord(properties[name]) && properties[name]["x-pii"] === true);
	return [...new Set([...listed, ...(writing.manifest?.pii ?? []), ...marked])];
}

function isNames(value: unknown): value is readonly string[] {
	return Array.isArray(value) && value.every((item) => typeof item === "string" && item !== "");
}

/**
 * Refuses stages that the class does not have.
 *
 * @throws CallboardError `NO_STAGE_FIELD`, `UNKNOWN_STAGE`.
 */
export function checkStages(
	author: Author,
	tools: readonly RunnableTool[],
	stages: { values: readonly string[]; complete: boolean } | undefined,
	manifest: AgentManifest | undefined,
): void {
	for (const { declaration } of tools) {
		const where = manifest?.tools[declaration.name]?.at ?? author.where;
		for (const stage of declaration.stages ?? []) {
			if (stages === undefined) {
				const message = `tool ${declaration.name}: stage names a value of this agent's own stage field, and ${author.title} declares none`;
				const next = 'add `stage: Stages<"…"> = "…"` to the class, or ask when(state) instead';
				throw refusal(author, "NO_STAGE_FIELD", message, next, where);
			}
			if (stages.complete && !stages.values.includes(stage)) {
				const message = `tool ${declaration.name} of ${author.title} names the stage "${stage}", which it does not have${suggestion(stage, stages.values)}`;
				throw refusal(author, "UNKNOWN_STAGE", message, `its stages are ${stages.values.join(", ")}`, where);
			}
		}
	}
}
