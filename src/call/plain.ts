import { CallboardError } from "../errors.js";
import type { Json, JsonObject } from "./json.js";

/** Deeper nesting than any state needs; beyond it a value is taken for a mistake. */
const DEPTH = 100;

export interface PlainOptions {
	/** Where the value is going, for the refusal: `slots[2]`. Asked only when there is one. */
	place(): string;
	/** Gives an object that may stand in the copy as it is, because it is already part of the state written to. */
	known?(value: object): object | undefined;
	/**
	 * `written`: a value that says how JSON writes it is taken at its word, a Date as its ISO text; what is undefined in a
	 * list becomes null. `told`: besides, an Error is taken by its message, an instance of a class by its members.
	 */
	as?: "written" | "told";
}

/**
 * A copy of a value made of nothing but what can be stored: what a field holds. Unlike `JSON.stringify` it never changes
 * a value's meaning: a Date, a Map, a class instance, NaN or a list with empty places is refused.
 *
 * @throws CallboardError `NOT_SERIALISABLE` with the path of what cannot be stored and what to store instead.
 */
export function plainCopy(value: unknown, options: PlainOptions): Json | undefined {
	return copy(value, [], [], options);
}

/**
 * A copy of a value as it is told to somebody, cut off from the original. What JSON would lose without a word (a function,
 * a promise, a Map, bytes) is refused.
 *
 * @param what Names the value in the refusal: `call.send`.
 * @throws CallboardError `NOT_SERIALISABLE`, naming the path of what cannot be written.
 */
export function toldCopy(value: unknown, what: string): Json {
	return plainCopy(value, { place: () => what, as: "told" }) ?? null;
}

function copy(
	value: unknown,
	at: readonly (string | number)[],
	above: readonly object[],
	options: PlainOptions,
): Json | undefined {
	switch (typeof value) {
		case "string":
		case "boolean":
		case "undefined":
			return value;
		case "number":
			if (Number.isFinite(value)) return value;
			throw refusal(String(value), "store null, or leave the field out", at, options);
		case "bigint":
			throw refusal("a bigint", "store it as a string", at, options);
		case "function":
			throw refusal("a function", "make it a method", at, options);
		case "symbol":
			throw refusal("a symbol", "store a string", at, options);
	}
	if (typeof value !== "object" || value === null) return null;
	const known = options.known?.(value);
	if (known !== undefined) return known as Json;
	if (above.includes(value)) throw refusal("a value that holds itself", "store an id instead", at, options);
	if (above.length >= DEPTH) throw refusal(`more than ${DEPTH} levels of nesting`, "store less", at, options);
	const inner = [...above, value];
	if (Array.isArray(value)) return copyList(value, at, inner, options);
	const odd = oddObject(value);
	if (options.as === "told" && odd !== undefined) {
		if (value instanceof Error) return value.message;
		if (odd.lost) throw refusal(odd.what, odd.instead, at, options);
	}
	if (options.as !== undefined && "toJSON" in value && typeof value.toJSON === "function") {
		return copy(value.toJSON(), at, inner, options);
	}
	if (options.as === "told") return copyMembers(value, at, inner, options);
	if (odd !== undefined) throw refusal(odd.what, odd.instead, at, options);
	return copyObject(value, at, inner, options);
}

function copyList(
	value: readonly unknown[],
	at: readonly (string | number)[],
	above: readonly object[],
	options: PlainOptions,
): Json[] {
	const list: Json[] = [];
	for (let index = 0; index < value.length; index += 1) {
		const item = copy(value[index], [...at, index], above, options);
		if (item === undefined && options.as === undefined) {
			throw refusal("undefined in a list", "store null, or leave the item out", [...at, index], options);
		}
		list.push(item ?? null);
	}
	return list;
}

function copyObject(
	value: object,
	at: readonly (string | number)[],
	above: readonly object[],
	options: PlainOptions,
): JsonObject {
	const plain: JsonObject = {};
	for (const key of Reflect.ownKeys(value)) {
		if (typeof key === "symbol") throw refusal("a member named by a symbol", "name it by a string", at, options);
		const next = [...at, key];
		if (key === "__proto__") throw refusal("a member of that name", "name it otherwise", next, options);
		const member = copy((value as Record<string, unknown>)[key], next, above, options);
		if (member !== undefined) plain[key] = member;
	}
	return plain;
}

/** Those that JSON would write, whatever the object is. */
function copyMembers(
	value: object,
	at: readonly (string | number)[],
	above: readonly object[],
	options: PlainOptions,
): JsonObject {
	const members = Object.entries(value).map(([key, member]) => [key, copy(member, [...at, key], above, options)]);
	return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

/** What an object is when it is not a plain one. JSON would write one that is `lost` without what it holds. */
export function oddObject(value: object): { what: string; instead: string; lost?: true } | undefined {
	const prototype: unknown = Object.getPrototypeOf(value);
	if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined;
	const name = (prototype as object).constructor?.name || "an unnamed class";
	if (value instanceof Date) return { what: "a Date", instead: "store an ISO string: date.toISOString()" };
	if (value instanceof Map)
		return { what: "a Map", instead: "store a plain object: Object.fromEntries(map)", lost: true };
	if (value instanceof Set) return { what: "a Set", instead: "store a list: [...set]", lost: true };
	if (value instanceof Promise) return { what: "a promise", instead: "await it first", lost: true };
	if (value instanceof Error) return { what: `an error (${name})`, instead: "store its message" };
	if (ArrayBuffer.isView(value)) {
		return { what: `a ${name}`, instead: "store text, or where the bytes are kept", lost: true };
	}
	return { what: `an instance of ${name}`, instead: "store its plain data, or make it a method" };
}

function refusal(
	what: string,
	instead: string,
	at: readonly (string | number)[],
	options: PlainOptions,
): CallboardError {
	const path = at.map(step).join("");
	if (options.as === "told") {
		const place = path === "" ? "" : ` at ${path.replace(/^\./, "")}`;
		const message = `${options.place()} holds ${what}${place}, which JSON cannot hold`;
		return new CallboardError("NOT_SERIALISABLE", "author", message, {
			next: "give plain data: strings, finite numbers, booleans, null, arrays and plain objects",
		});
	}
	return new CallboardError(
		"NOT_SERIALISABLE",
		"author",
		`${options.place()}${path} was given ${what}, which cannot be stored`,
		{
			next: instead,
		},
	);
}

/** One step of a path as it is written in code: `[2]`, `.at`, `["full name"]`. */
export function step(key: string | number): string {
	if (typeof key === "number") return `[${key}]`;
	return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** A copy of what is known to be plain data. Members that are `undefined` are left out. */
export function cloneJson<T extends Json | undefined>(value: T): T {
	if (typeof value !== "object" || value === null) return value;
	if (Array.isArray(value)) return value.map(cloneJson) as T;
	const copied: JsonObject = {};
	for (const key of Object.keys(value)) {
		const member = (value as JsonObject)[key];
		if (member !== undefined) copied[key] = cloneJson(member);
	}
	return copied as T;
}

/** Whether two plain values say the same; a member that is `undefined` is as good as none. */
export function sameJson(a: unknown, b: unknown): boolean {
	if (a === b) return true;
	if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
	if (Array.isArray(a) || Array.isArray(b)) {
		if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
		for (let index = 0; index < a.length; index += 1) {
			if (!sameJson(a[index], b[index])) return false;
		}
		return true;
	}
	return coveredBy(a as JsonObject, b as JsonObject) && coveredBy(b as JsonObject, a as JsonObject);
}

function coveredBy(a: JsonObject, b: JsonObject): boolean {
	for (const key of Object.keys(a)) {
		if (a[key] !== undefined && !(Object.hasOwn(b, key) && sameJson(a[key], b[key]))) return false;
	}
	return true;
}
