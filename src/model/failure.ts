import { APIConnectionError, APIError } from "openai";
import type { Dialect, Extra } from "./dialect.js";

/**
 * Why one request to a model failed, in our own words. Nothing of the provider's text is kept: it may hold parts of a
 * key or of what a person said.
 *
 * - `down`: the server failed, broke off or was silent. Worth another try.
 * - `busy`: it asks to slow down. Worth another try, after `retryAfterMs` where it says so.
 * - `quota`, `key`: the account has no money, or the key is refused. Trying again changes nothing.
 * - `unknown-model`: the server has no such model.
 * - `overflow`: the request is longer than the model's window.
 * - `extra`: it refuses something that the framework added and can leave out.
 * - `request`: it refuses the request, at `param` where it says so.
 */
export interface Failure {
	kind: "down" | "busy" | "quota" | "key" | "unknown-model" | "overflow" | "extra" | "request";
	/** HTTP status, where an answer came. */
	status?: number;
	/** The provider's machine-readable code: `server_error`. */
	code?: string;
	retryAfterMs?: number;
	param?: string;
	extra?: Extra;
	/** The provider's own number of the request, for its support. */
	requestId?: string;
}

/** What was thrown by a request that ran under `dialect`, at `now`. */
export function failureOf(thrown: unknown, dialect: Dialect, now: number): Failure {
	if (!(thrown instanceof APIError) || thrown instanceof APIConnectionError) return { kind: "down" };
	const answer = thrown as APIError;
	const status = answer.status ?? statusInCode(answer.code);
	const code = word(answer.code) ?? word(answer.type);
	const requestId = word(answer.requestID);
	const retryAfterMs = retryAfter(answer.headers, now);
	return {
		...verdict(answer, status, dialect),
		...(status === undefined ? {} : { status }),
		...(code === undefined ? {} : { code }),
		...(requestId === undefined ? {} : { requestId }),
		...(retryAfterMs === undefined ? {} : { retryAfterMs }),
	};
}

function verdict(answer: APIError, status: number | undefined, dialect: Dialect): Failure {
	const text = `${answer.code ?? ""} ${answer.type ?? ""} ${answer.message}`;
	if (noMoney.test(text) || status === 402) return { kind: "quota" };
	if (status === 401 || status === 403 || /\binvalid_api_key\b/.test(text)) return { kind: "key" };
	if (status === 413 || tooLong.test(text)) return { kind: "overflow" };
	if (status === 429 || /\brate_limit/.test(text)) return { kind: "busy" };
	if (status === 404 || /\bmodel_not_found\b/.test(text)) return { kind: "unknown-model" };
	const extra = refusedExtra(answer, text, dialect);
	if (extra !== undefined) return { kind: "extra", extra };
	if (status === undefined || status === 408 || status === 409 || status >= 500) return { kind: "down" };
	const param = word(answer.param, /^[\w.[\]]{1,80}$/);
	return { kind: "request", ...(param === undefined ? {} : { param }) };
}

const noMoney = /insufficient_quota|insufficient[_ ]balance|billing_hard_limit|exceeded your current quota/i;

/** How the servers say that a request does not fit the model's window. */
const tooLong = new RegExp(
	[
		"context_length_exceeded",
		"context length exceeded",
		"maximum context length",
		"maximum prompt length",
		"maximum number of tokens allowed",
		"(prompt|input|request) (is )?too (long|large)",
		"input is too long",
		"exceeds? (the |this )?(model'?s? )?(available )?(maximum )?context",
		"context (window|size|length) (is )?(exceed|full|overflow)",
		"context window exceeds",
		"greater than the context length",
		"longer than the (model'?s? )?context",
		"reduce the length of (the|your) (messages|prompt|input)",
		"too many (input |prompt )?tokens",
		"exceed(s|ed)? (the )?(model )?token limit",
		"token limit exceeded",
		"prompt contains \\d+ tokens",
	].join("|"),
	"i",
);

/** What the framework added of itself, found in a refusal by its parameter's name or its wording. */
function refusedExtra(answer: APIError, text: string, dialect: Dialect): Extra | undefined {
	const status = answer.status;
	if (dialect.view === "message" && /system message must be at the beginning|only one system message/i.test(text)) {
		return "late_system";
	}
	if (status !== 400 && status !== 422) return undefined;
	const about = `${answer.param ?? ""} ${text}`;
	if (dialect.usage && /stream_options/.test(about)) return "stream_options";
	if (dialect.cacheKey && /prompt_cache_key/.test(about)) return "prompt_cache_key";
	if (dialect.visibility === "choice" && /tool_choice|allowed_tools/.test(about)) return "allowed_tools";
	if (dialect.strict && /\bstrict\b|response_format|additionalProperties/.test(about)) return "strict";
	if (about.includes(dialect.limit) && /unsupported|not supported|not permitted|extra/i.test(about)) return "limit";
	return undefined;
}

/** Some gateways put the status of the server behind them into the code of an error in mid-stream. */
function statusInCode(code: unknown): number | undefined {
	const number = Number(code);
	return Number.isInteger(number) && number >= 400 && number < 600 ? number : undefined;
}

/** Milliseconds the server wants to be left alone: `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfter(headers: Headers | undefined, now: number): number | undefined {
	const exact = headers?.get("retry-after-ms");
	if (exact !== null && exact !== undefined && Number(exact) >= 0) return Number(exact);
	const header = headers?.get("retry-after");
	if (header === null || header === undefined) return undefined;
	const seconds = Number(header);
	if (!Number.isNaN(seconds)) return Math.max(0, seconds * 1000);
	const date = Date.parse(header);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** A provider's value only if it is a plain word of theirs: neither a key nor a sentence passes. */
function word(value: unknown, form = /^[a-z][a-z_]{1,39}$|^req_[a-z0-9]{8,40}$/): string | undefined {
	return typeof value === "string" && form.test(value) ? value : undefined;
}
