import { CallboardError } from "../errors.js";
import type { Json } from "./json.js";

/**
 * A copy of a value that can be stored between turns, cut off from the original so that later changes do not reach it.
 * Members that are `undefined` are left out; a Date becomes its ISO text, as `JSON.stringify` would write it.
 *
 * @param what Names the value in the refusal: `call.send("cart", …)`.
 * @throws CallboardError `NOT_SERIALISABLE`, naming the path of what cannot be stored.
 */
export function copyJson(value: unknown, what: string): Json {
	return copy(value, "", what, []);
}

function copy(value: unknown, path: string, what: string, above: readonly object[]): Json {
	if (value === null || typeof value === "string" || typeof value === "boolean") return value;
	if (typeof value === "number") {
		if (Number.isFinite(value)) return value;
		throw refusal(String(value), path, what);
	}
	if (typeof value !== "object") throw refusal(kindOf(value), path, what);
	if (above.includes(value)) throw refusal("a value that holds itself", path, what);
	const next = [...above, value];
	if (Array.isArray(value)) return value.map((item, at) => copy(item, `${path}[${at}]`, what, next));
	const written = (value as { toJSON?: unknown }).toJSON;
	if (typeof written === "function") return copy(written.call(value), path, what, next);
	const prototype = Object.getPrototypeOf(value);
	if (prototype !== Object.prototype && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
		throw refusal(`an object of class ${prototype.constructor?.name || "without a name"}`, path, what);
	}
	const plain: { [key: string]: Json } = {};
	for (const [key, member] of Object.entries(value)) {
		if (member === undefined) continue;
		Object.defineProperty(plain, key, {
			value: copy(member, path === "" ? key : `${path}.${key}`, what, next),
			enumerable: true,
			configurable: true,
			writable: true,
		});
	}
	return plain;
}

function kindOf(value: unknown): string {
	return value === undefined ? "undefined" : `a ${typeof value}`;
}

function refusal(found: string, path: string, what: string): CallboardError {
	const place = path === "" ? "" : ` at ${path}`;
	return new CallboardError("NOT_SERIALISABLE", "author", `${what} holds ${found}${place}, which cannot be stored`, {
		next: "give plain data: strings, finite numbers, booleans, null, arrays and plain objects",
	});
}
