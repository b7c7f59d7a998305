import { CallboardError } from "../errors.js";
import type { Json } from "./json.js";

/**
 * A copy of a value as JSON would write it, cut off from the original: members that are `undefined` are left
 * out, a Date becomes its ISO text, an Error its message. What JSON would lose without a word (a function, a promise, a
 * Map, bytes) is refused.
 *
 * @param what Names the value in the refusal: `call.send("cart", …)`.
 * @throws CallboardError `NOT_SERIALISABLE`, naming the path of what cannot be written.
 */
export function copyJson(value: unknown, what: string): Json {
	return copy(value, "", what, []) ?? null;
}

function copy(value: unknown, path: string, what: string, above: readonly object[]): Json | undefined {
	if (value === undefined) return undefined;
	if (typeof value === "function" || typeof value === "symbol") throw refusal(`a ${typeof value}`, path, what);
	if (value === null || typeof value === "string" || typeof value === "boolean") return value;
	if (typeof value === "number") {
		if (Number.isFinite(value)) return value;
		throw refusal(String(value), path, what);
	}
	if (typeof value === "bigint") throw refusal("a bigint", path, what);
	if (above.includes(value)) throw refusal("a value that holds itself", path, what);
	const next = [...above, value];
	if (Array.isArray(value)) return value.map((item, at) => copy(item, `${path}[${at}]`, what, next) ?? null);
	if (value instanceof Error) return value.message;
	if (value instanceof Promise || value instanceof Map || value instanceof Set || ArrayBuffer.isView(value)) {
		throw refusal(`a ${value.constructor.name}`, path, what);
	}
	const { toJSON } = value as { toJSON?: unknown };
	if (typeof toJSON === "function") return copy(toJSON.call(value), path, what, next);
	const members = Object.entries(value).map(([key, member]) => {
		return [key, copy(member, path === "" ? key : `${path}.${key}`, what, next)] as const;
	});
	return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

function refusal(found: string, path: string, what: string): CallboardError {
	const place = path === "" ? "" : ` at ${path}`;
	return new CallboardError("NOT_SERIALISABLE", "author", `${what} holds ${found}${place}, which JSON cannot hold`, {
		next: "give plain data: strings, finite numbers, booleans, null, arrays and plain objects",
	});
}
