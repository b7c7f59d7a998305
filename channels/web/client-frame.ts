import type { Json } from "../../src/call/json.js";
import type { ClientFrame, VisitorContent } from "./protocol.js";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$/;
const ID_MAX = 512;
const NAME_MAX = 200;
/** Nesting of an event's data that nobody needs more of; whoever walks over it must not run out of stack. */
const DEPTH_MAX = 32;

/** Reads one frame of a stranger; undefined when it is not exactly one we know. Lengths of words are checked later. */
export function readClientFrame(text: string): ClientFrame | undefined {
	const value = parseObject(text);
	switch (value?.type) {
		case "ping":
			return { type: "ping" };
		case "hello":
			return {
				type: "hello",
				...optional("token", shortText(value.token, 2048)),
				...optional("last", shortText(value.last, ID_MAX)),
				...optional("language", languageTag(value.language)),
			};
		case "message": {
			const { id } = value;
			const content = readContent(value.content);
			if (typeof id !== "string" || !UUID.test(id) || content === undefined) return undefined;
			return { type: "message", id, content };
		}
		case "event": {
			const { id, data = null } = value;
			const name = shortText(value.name, NAME_MAX);
			if (typeof id !== "string" || !UUID.test(id) || name === undefined || !isPlain(data, DEPTH_MAX)) return undefined;
			return { type: "event", id, name, data };
		}
		default:
			return undefined;
	}
}

/** The id in what is no frame that we know, so that its sender learns which one was refused. */
export function frameId(text: string): string | undefined {
	const id = parseObject(text)?.id;
	return typeof id === "string" && UUID.test(id) ? id : undefined;
}

/** Parses JSON that must be an object. */
export function parseObject(text: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return isObject(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

/** A BCP 47 tag, or undefined for anything else. */
export function languageTag(value: unknown): string | undefined {
	return typeof value === "string" && LANGUAGE.test(value) ? value : undefined;
}

function readContent(value: unknown): VisitorContent | undefined {
	if (!isObject(value)) return undefined;
	switch (value.kind) {
		case "open":
			return { kind: "open" };
		case "text": {
			const { text } = value;
			return typeof text === "string" && text.trim() !== "" ? { kind: "text", text } : undefined;
		}
		case "choice": {
			const choice = shortText(value.choice, ID_MAX);
			const { text } = value;
			if (choice === undefined || typeof text !== "string") return undefined;
			return { kind: "choice", choice, text, ...optional("of", shortText(value.of, ID_MAX)) };
		}
		default:
			return undefined;
	}
}

/** Whether parsed JSON is not too deep, and has no member that could change what its object is. */
function isPlain(value: unknown, depth: number): value is Json {
	if (typeof value !== "object" || value === null) return true;
	if (depth === 0 || Object.hasOwn(value, "__proto__")) return false;
	return Object.values(value).every((member) => isPlain(member, depth - 1));
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shortText(value: unknown, max: number): string | undefined {
	return typeof value === "string" && value !== "" && value.length <= max ? value : undefined;
}

function optional<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
	return value === undefined ? {} : ({ [key]: value } as { [P in K]?: string });
}
