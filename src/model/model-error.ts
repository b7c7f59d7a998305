import { CallboardError } from "../errors.js";
import type { Failure } from "./failure.js";

/**
 * The error of a model that could not be asked, in our words only. No failure means that the breakers of all models
 * were open; the next probe goes in `waitMs`.
 */
export function modelError(failure: Failure | undefined, model: string, host: string, waitMs: number): CallboardError {
	const what = `model ${model} at ${host}`;
	switch (failure?.kind) {
		case undefined:
			return error("MODEL_UNAVAILABLE", `${what} keeps failing and is left alone`, {
				next: `it is asked again in ${Math.ceil(waitMs / 1000)} s; name a second model in \`fallbacks\` to answer meanwhile`,
			});
		case "key":
			return error("MODEL_REFUSED_KEY", `${host} refused the key for model ${model}`, {
				next: "set a valid key: for OpenAI, OPENAI_API_KEY in .env",
			});
		case "quota":
			return error("MODEL_QUOTA", `the account at ${host} has no quota left for model ${model}`, {
				next: "add credit or raise the limit at the provider; trying again does not help",
			});
		case "overflow":
			return error("MODEL_CONTEXT_OVERFLOW", `the request is longer than the window of ${what}`, {
				next: "lower the agent's `window`, shorten its knowledge, or use a model with a larger window",
			});
		case "unknown-model":
			return error("MODEL_UNAVAILABLE", `${host} has no model ${model}, or not for this key`, {
				next: "correct the model's name and the base URL",
			});
		case "request":
		case "extra":
			return error(
				"MODEL_BAD_REQUEST",
				failure.param === undefined ? `${what} refused the request` : `${what} refused the parameter ${failure.param}`,
				{ next: "remove the setting it refuses, or use a model that takes it" },
			);
		case "busy":
			return error("MODEL_UNAVAILABLE", `${what} is over its rate limit`, {
				next: "wait, raise the limit at the provider, or name a second model in CALLBOARD_FALLBACK_MODELS",
			});
		case "down":
			return error("MODEL_UNAVAILABLE", `${what} did not answer${status(failure)}`, {
				next: "check that the server is up and reachable, or name a second model in CALLBOARD_FALLBACK_MODELS",
			});
	}
}

function status(failure: Failure): string {
	return failure.status === undefined ? "" : ` (HTTP ${failure.status})`;
}

function error(code: string, message: string, options: { next: string }): CallboardError {
	return new CallboardError(code, "platform", message, options);
}
