import type { Json, JsonObject } from "../call/json.js";
import { argumentChecker, refuseBadSchema } from "../schema/check-arguments.js";
import type { JsonSchema } from "../schema/json-schema.js";
import { strictSchema } from "../schema/strict.js";
import { type Author, isRecord, refusal } from "./author.js";
import type { Effect, ToolDeclaration } from "./declaration.js";
import { isWords } from "./declare-config.js";
import { suggestion } from "./nearest.js";

/** One function as the OpenAI format describes it. */
export interface FunctionDefinition {
	/** Letters, digits, `_` and `-`, 64 at most. */
	name: string;
	/** What the model reads. */
	description: string;
	/** JSON Schema of the arguments object; none takes no arguments. Members it does not name are refused. */
	parameters?: object;
	strict?: boolean | null;
}

/** What Callboard takes beside the function. */
export interface FunctionToolOptions {
	/** What a run does to the world outside. Default `once`: never again when its outcome is unknown. */
	effect?: Effect;
	/** Seconds until a call without a result fails. Default 30. */
	timeout?: number;
	/** Arguments whose values logs mask. */
	pii?: readonly string[];
	/** How many rows of an array result the model is shown; all when absent. */
	preview?: number;
	/** Whether a result of it ends the call, once what was said has left. */
	end?: boolean;
}

/** One tool: in the whole OpenAI format, or its function alone. */
export type FunctionTool = FunctionToolOptions &
	({ type: "function"; function: FunctionDefinition } | FunctionDefinition);

const effects: readonly Effect[] = ["read", "idempotent", "once"];
const functionMembers = ["name", "description", "parameters", "strict"];
const ourMembers = ["effect", "timeout", "pii", "preview", "end"];

/**
 * The tools of a function-calling agent.
 *
 * @throws CallboardError `BAD_TOOL`, `BAD_SCHEMA` or `BAD_PII`, naming agent, tool and the way out.
 */
export function functionTools(author: Author, written: unknown): readonly ToolDeclaration[] {
	if (written === undefined) return [];
	if (!Array.isArray(written)) {
		throw refusal(
			author,
			"BAD_TOOL",
			`tools of agent ${author.title} is no list`,
			'write tools: [{ type: "function", function: { … } }]',
		);
	}
	const tools = written.map((tool: unknown, at) => functionTool(author, tool, at));
	for (const [at, { name }] of tools.entries()) {
		if (tools.findIndex((tool) => tool.name === name) === at) continue;
		throw refusal(author, "BAD_TOOL", `agent ${author.title} has two tools named ${name}`, "rename one of the two");
	}
	return tools;
}

function functionTool(author: Author, written: unknown, at: number): ToolDeclaration {
	const place = `tool ${at + 1} of agent ${author.title}`;
	const way = 'write { type: "function", function: { name: "…", description: "…", parameters: { … } } }';
	if (!isRecord(written)) throw refusal(author, "BAD_TOOL", `${place} is no object`, way);
	const whole = "function" in written || "type" in written;
	if (whole && written.type !== "function")
		throw refusal(author, "BAD_TOOL", `${place} is not of type "function"`, way);
	const definition = whole ? written.function : written;
	if (!isRecord(definition)) throw refusal(author, "BAD_TOOL", `${place} has no function`, way);

	const name = nameOf(author, definition.name, place);
	const called = `tool ${name} of agent ${author.title}`;
	const bad = (message: string, next: string) => refusal(author, "BAD_TOOL", `${called}: ${message}`, next);
	refuseUnknown(written, whole ? ["type", "function", ...ourMembers] : [...functionMembers, ...ourMembers], bad);
	if (whole) refuseUnknown(definition, functionMembers, bad);
	const { description } = definition;
	if (!isWords(description)) {
		throw bad(
			"it has no description, and the model would not know what it is for",
			'write description: "what it does"',
		);
	}
	const { effect = "once", timeout = 30, preview, end = false } = written;
	if (!effects.includes(effect as Effect)) {
		throw bad(
			`effect is none there is${suggestion(String(effect), effects)}`,
			`write ${effects.map((one) => `"${one}"`).join(", ")}`,
		);
	}
	if (!(Number.isFinite(timeout) && (timeout as number) > 0))
		throw bad("timeout is not a number of seconds", "write timeout: 30");
	if (preview !== undefined && !(Number.isSafeInteger(preview) && (preview as number) > 0)) {
		throw bad("preview is not a number of rows", "write preview: 3");
	}
	if (typeof end !== "boolean") throw bad("end is neither true nor false", "write end: true");
	const parameters = parametersOf(definition.parameters, called, bad);
	return {
		name,
		description,
		parameters,
		strict: strictSchema(parameters) !== undefined,
		effect: effect as Effect,
		pii: piiOf(author, written.pii, parameters, called),
		...(preview === undefined ? {} : { preview: preview as number }),
		timeoutMs: (timeout as number) * 1000,
		conditional: false,
		end,
		check: argumentChecker(parameters),
	};
}

function nameOf(author: Author, name: unknown, place: string): string {
	if (typeof name === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
	const message =
		typeof name === "string" ? `${place} has the name "${name}", which models cannot call` : `${place} has no name`;
	throw refusal(author, "BAD_TOOL", message, "use letters, digits, _ and -, 64 at most");
}

function refuseUnknown(
	written: Readonly<Record<string, unknown>>,
	known: readonly string[],
	bad: (message: string, next: string) => Error,
): void {
	for (const name of Object.keys(written)) {
		if (!known.includes(name)) throw bad(`it has no ${name}${suggestion(name, known)}`, `it takes ${known.join(", ")}`);
	}
}

function parametersOf(written: unknown, called: string, bad: (message: string, next: string) => Error): JsonSchema {
	if (written === undefined) return { type: "object", properties: {}, required: [], additionalProperties: false };
	const way = 'write parameters: { type: "object", properties: { … }, required: [ … ] }';
	if (!isRecord(written) || written.type !== "object") throw bad('parameters are no schema with type: "object"', way);
	const parameters = closed(written as JsonObject) as JsonSchema;
	const { properties, required } = parameters;
	if (properties !== undefined && !isRecord(properties)) throw bad("properties of its parameters is no object", way);
	const names = Object.keys(properties ?? {});
	for (const name of Array.isArray(required) ? required : []) {
		if (names.includes(String(name))) continue;
		throw bad(
			`it requires ${String(name)}, which is no property${suggestion(String(name), names)}`,
			"add it to properties",
		);
	}
	refuseBadSchema(parameters, called);
	return parameters;
}

/** The schema with every object closed whose author did not say otherwise: what it does not name is a model's invention. */
function closed(schema: Json): Json {
	if (Array.isArray(schema)) return schema.map(closed);
	if (!isRecord(schema)) return schema;
	const members = Object.entries(schema as JsonObject).map(([key, member]) => {
		const data = key === "enum" || key === "const" || key === "default" || key === "examples";
		if (data || member === undefined) return [key, member] as const;
		if (!named.has(key) || !isRecord(member)) return [key, closed(member)] as const;
		return [
			key,
			Object.fromEntries(Object.entries(member).map(([name, each]) => [name, closed(each as Json)])),
		] as const;
	});
	const copy: JsonObject = Object.fromEntries(members);
	const open = ["additionalProperties", "unevaluatedProperties", "patternProperties", "allOf", "$ref"];
	if (isRecord(copy.properties) && !open.some((key) => key in copy)) copy.additionalProperties = false;
	return copy;
}

/** Keywords whose members are schemas under names of the author's own. */
const named: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);

function piiOf(author: Author, written: unknown, parameters: JsonSchema, called: string): readonly string[] {
	if (written === undefined) return [];
	const names = Object.keys(isRecord(parameters.properties) ? parameters.properties : {});
	for (const name of Array.isArray(written) ? written : [written]) {
		if (Array.isArray(written) && names.includes(name)) continue;
		const message = Array.isArray(written)
			? `${called}: pii names "${String(name)}", which is no parameter${suggestion(String(name), names)}`
			: `${called}: pii is no list of parameter names`;
		throw refusal(
			author,
			"BAD_PII",
			message,
			names.length === 0 ? "it has no parameters" : `it has ${names.join(", ")}`,
		);
	}
	return written as readonly string[];
}
