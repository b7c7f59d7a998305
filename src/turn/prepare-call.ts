import type { PreparedCall, ToolDeclaration } from "../agent/declaration.js";
import type { ToolCall } from "../call/history.js";
import type { Json, JsonObject } from "../call/json.js";
import type { Checked, Issue } from "../schema/json-schema.js";
import { jsonBreak } from "./json-break.js";
import type { TurnDraft } from "./turn-draft.js";

export interface Runnable {
	prepared: PreparedCall;
	tool: ToolDeclaration;
}

/** Why a call of the model is not run. `content` tells the model what it can do about it; it never repeats a value. */
export interface Refusal {
	reason: "unknown" | "hidden" | "json" | "arguments";
	content: string;
	/** For the log: what hides the tool. */
	why?: string;
}

export type Prepared = ({ ok: true } & Runnable) | ({ ok: false } & Refusal);

export interface PrepareOptions {
	/** Idempotency key of the call, stable over replays. */
	key: string;
	/** Whether the answer was cut, so that missing arguments are not "none". */
	cut: boolean;
}

/** Checks one call against the present state: the tool is known and visible, the arguments parse and fit. */
export function prepareCall(draft: TurnDraft, call: ToolCall, { key, cut }: PrepareOptions): Prepared {
	const tool = draft.agent.tools.find((each) => each.name === call.name);
	const hidden = hiddenNow(draft, call.name);
	if (hidden !== undefined) return { ok: false, ...hidden };
	if (tool === undefined) return { ok: false, ...noSuchTool(draft, call.name) };
	const text = call.arguments.trim() === "" && !cut ? "{}" : call.arguments;
	const broken = jsonBreak(text);
	if (broken !== undefined) {
		const message = `the arguments of ${tool.name} are not JSON: they break at position ${broken} of ${text.length}`;
		return { ok: false, ...refusal("json", `${message}; it did not run, send one complete JSON object`) };
	}
	const checked = checkedBy(draft, tool, JSON.parse(text) as Json);
	if (checked === undefined) {
		const message = `the arguments of ${tool.name} could not be checked, for a technical reason`;
		return { ok: false, ...refusal("arguments", `${message}; it did not run: say so, or go on without it`) };
	}
	if (!checked.ok) {
		const issues = checked.issues.map(({ path, expected, got }) => ({ path, expected, got }));
		const message = `the arguments of ${tool.name} do not fit: ${checked.issues.map(inWords).join("; ")}`;
		return { ok: false, ...refusal("arguments", `${message}; it did not run`, { issues }) };
	}
	return { ok: true, tool, prepared: { id: call.id, tool: tool.name, args: checked.value, key } };
}

/** Undefined, and logged, when the author's check itself broke: a turn that failed by it would fail again each time. */
function checkedBy(draft: TurnDraft, tool: ToolDeclaration, args: Json): Checked<JsonObject> | undefined {
	try {
		return tool.check(args);
	} catch (error) {
		draft.log.error("tool.check", { tool: tool.name, error });
		return undefined;
	}
}

/** Why a tool of the agent may not be called in the present state; undefined when it may, or is none of the agent's. */
export function hiddenNow(draft: TurnDraft, name: string): Refusal | undefined {
	const shown = draft.session.visibility().find((each) => each.tool === name);
	if (shown === undefined || shown.visible) return undefined;
	const why = shown.why === undefined ? {} : { why: shown.why };
	return { ...refusal("hidden", `tool ${name} is not available now; ${availableNow(draft)}`), ...why };
}

function noSuchTool(draft: TurnDraft, name: string): Refusal {
	return refusal("unknown", `there is no tool ${shortened(name)}; ${availableNow(draft)}`);
}

function availableNow(draft: TurnDraft): string {
	const names = draft.session.visibility().flatMap(({ tool, visible }) => (visible ? [tool] : []));
	return names.length === 0 ? "none is available now: answer in words" : `available now: ${names.join(", ")}`;
}

function refusal(reason: Refusal["reason"], error: string, more: JsonObject = {}): Refusal {
	return { reason, content: JSON.stringify({ error, ...more }) };
}

function inWords({ path, expected, got }: Issue): string {
	return `${path === "" ? "the whole" : path}: expected ${expected}, got ${got}`;
}

/** A name the model made up, quoted and not longer than a name is. */
function shortened(name: string): string {
	return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
}
