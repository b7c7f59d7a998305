import type { JsonObject } from "../call/json.js";

/** A JSON Schema (draft 2020-12 subset that providers accept). `x-pii` marks a value that logs must mask. */
export type JsonSchema = JsonObject;

/** One reason why arguments do not fit. `path` is like `patient.phone`, "" for the whole. */
export interface Issue {
	path: string;
	/** In words: `a string`, `one of "mon", "tue"`. */
	expected: string;
	/** The kind of value that came, never the value itself: `a number`, `nothing`, `an unknown member`. */
	got: string;
}

export type Checked<T> = { ok: true; value: T } | { ok: false; issues: readonly Issue[] };
