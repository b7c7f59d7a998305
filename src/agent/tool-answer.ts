import type { Json } from "../call/json.js";
import { plainCopy } from "../call/plain.js";
import { CallboardError } from "../errors.js";
import type { ToolDeclaration } from "./declaration.js";

/** Longest refusal a model is given; a longer one is no sentence. */
const LONGEST = 600;

/**
 * Longest result a model is given whole, in characters of JSON. It stays in the history for many turns, and is sent and
 * stored with each of them.
 */
const LONGEST_RESULT = 100_000;

/**
 * What the model is told of a result: all of it, its first rows and how many there are, or the beginning of one that is
 * too long, which says so.
 *
 * @throws CallboardError `NOT_SERIALISABLE` for what JSON cannot hold, and for instances of classes that do not say how
 * they are written: they may hold more than anyone meant to tell.
 */
export function answerOf(tool: ToolDeclaration, value: unknown): { result: Json; content: string; total?: number } {
	const result = plainCopy(value, { place: () => "result", as: "written" });
	if (result === undefined) return { result: null, content: JSON.stringify({ ok: true }) };
	if (tool.preview === undefined || !Array.isArray(result) || result.length <= tool.preview) {
		return { result, content: bounded(result) };
	}
	const total = result.length;
	return { result, content: bounded({ rows: result.slice(0, tool.preview), total }), total };
}

function bounded(told: Json): string {
	const text = JSON.stringify(told);
	if (text.length <= LONGEST_RESULT) return text;
	const cut = `too long to be shown: these are the first ${LONGEST_RESULT} of ${text.length} characters`;
	return JSON.stringify({ cut, beginning: text.slice(0, LONGEST_RESULT) });
}

/** A refusal as the model reads it. */
export function refusalText(sentence: string): string {
	return JSON.stringify({ error: sentence });
}

/**
 * What the model is told of a throw. A plain `new Error("…")` is a sentence that its author wrote for the model, and so
 * is a CallboardError that lays the fault on the model or the person; anything else is a breakdown, whose text may hold
 * secrets or somebody's data and is for the log alone.
 */
export function refusalOf(tool: string, error: unknown): { content: string; meant: boolean } {
	const sentence = sentenceIn(error);
	if (sentence !== undefined) return { content: refusalText(sentence.slice(0, LONGEST)), meant: true };
	return {
		content: refusalText(`${tool} did not work, for a technical reason; say so, or go on without it`),
		meant: false,
	};
}

function sentenceIn(error: unknown): string | undefined {
	if (typeof error === "string") return error || undefined;
	if (error instanceof CallboardError) {
		return error.fault === "model" || error.fault === "person" ? error.message : undefined;
	}
	if (!(error instanceof Error) || Object.getPrototypeOf(error)?.constructor?.name !== "Error") return undefined;
	const fromSystem = "code" in error || "errno" in error || "syscall" in error;
	return fromSystem || error.message === "" ? undefined : error.message;
}
