import { oddObject, plainCopy } from "../call/plain.js";
import type { AgentManifest } from "../schema/manifest.js";
import type { Agent, AgentClass } from "./agent.js";
import { type Author, isRecord, refusal } from "./author.js";
import type { StateShape } from "./call-state.js";
import type { StateField } from "./declaration.js";
import { configFields } from "./declare-config.js";
import { entriesOf } from "./metadata.js";
import { suggestion } from "./nearest.js";
import { stagesMarked } from "./stages.js";
import { STATE, type StateEntry, type Visibility } from "./state.js";

/** Names that mean something on every agent and cannot be a field. */
const reserved: readonly string[] = ["call", "restore", "startIn", "collapse", "last", "constructor", "$unset"];

const visibilities: readonly Visibility[] = ["tenant", "public", "pii"];

/** Fields of the class that are state, with who may see them. */
export function fieldsOf(
	author: Author,
	Class: AgentClass,
	probe: Agent,
	manifest: AgentManifest | undefined,
): readonly StateField[] {
	const decorated = entriesOf<StateEntry>(Class, STATE);
	for (const name of Object.keys(probe)) {
		if (!reserved.includes(name)) continue;
		const message = `field ${name} of ${author.title} has a name that belongs to Callboard`;
		throw refusal(author, "RESERVED_NAME", message, `call it otherwise; ${reserved.join(", ")} are taken`);
	}
	const values = probe as unknown as Readonly<Record<string, unknown>>;
	const known = new Set([...Object.keys(probe), ...Object.keys(manifest?.fields ?? {})]);
	const candidates = [...known].filter((name) => !configFields.includes(name) && typeof values[name] !== "function");
	for (const name of decorated.keys()) {
		if (candidates.includes(name)) continue;
		throw refusal(
			author,
			"BAD_STATE",
			`@state stands on ${name} of ${author.title}, which cannot be state`,
			"take it away",
		);
	}
	const names = decorated.size === 0 ? candidates : candidates.filter((name) => decorated.has(name));
	const map = visibilityMap(author, Class, names);
	return names.map((name) => {
		checkFirstValue(author, name, values[name]);
		return { name, visibility: visibilityOf(author, name, decorated.get(name), manifest, map[name]) };
	});
}

function visibilityMap(author: Author, Class: AgentClass, names: readonly string[]): Record<string, Visibility> {
	const written: unknown = Reflect.get(Class, "visibility");
	if (written === undefined) return {};
	const way = 'write static visibility = { patient: "pii" }';
	if (!isRecord(written)) throw refusal(author, "BAD_STATE", `static visibility of ${author.title} is no object`, way);
	for (const [name, value] of Object.entries(written)) {
		if (!names.includes(name)) {
			const message = `static visibility of ${author.title} names ${name}, which is no state field${suggestion(name, names)}`;
			throw refusal(author, "BAD_STATE", message, `its fields are ${names.join(", ")}`);
		}
		if (!visibilities.includes(value as Visibility)) {
			const message = `static visibility of ${author.title}.${name} is none of ${visibilities.join(", ")}`;
			throw refusal(author, "BAD_STATE", message, way);
		}
	}
	return written as Record<string, Visibility>;
}

function visibilityOf(
	author: Author,
	name: string,
	entry: StateEntry | undefined,
	manifest: AgentManifest | undefined,
	mapped: Visibility | undefined,
): Visibility {
	const { visibility, pii } = entry?.options ?? {};
	if (visibility !== undefined && !visibilities.includes(visibility)) {
		const message = `@state of ${author.title}.${name} has a visibility that does not exist`;
		throw refusal(author, "BAD_STATE", message, `the visibilities are ${visibilities.join(", ")}`);
	}
	const personal = pii === true || manifest?.fields[name]?.pii === true;
	const said = mapped ?? visibility;
	if (personal && said !== undefined && said !== "pii") {
		const message = `${author.title}.${name} is marked as personal data and also as visible to ${said}`;
		throw refusal(author, "BAD_STATE", message, "leave one of the two out");
	}
	return said ?? (personal ? "pii" : "tenant");
}

function checkFirstValue(author: Author, name: string, value: unknown): void {
	if (name === "stage" && stagesMarked(value) !== undefined) return;
	const odd = typeof value === "object" && value !== null && !Array.isArray(value) ? oddObject(value) : undefined;
	if (odd !== undefined) {
		const message = `field ${name} of ${author.title} begins with ${odd.what}, which cannot be stored`;
		throw refusal(
			author,
			"NOT_SERIALISABLE",
			message,
			`make it a method, which is never state: ${name}() { return … }`,
		);
	}
	plainCopy(value, { place: () => `${author.title}.${name}` });
}

/** Names of the getters that derive state, base first. */
export function gettersOf(
	author: Author,
	Class: AgentClass,
	probe: Agent,
	fields: readonly StateField[],
): readonly string[] {
	const names: string[] = [];
	for (const prototype of prototypesOf(Class)) {
		for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
			if (reserved.includes(name) && name !== "constructor") {
				const message = `${name} of ${author.title} has a name that belongs to Callboard`;
				throw refusal(author, "RESERVED_NAME", message, `call it otherwise; ${reserved.join(", ")} are taken`);
			}
			if (descriptor.get !== undefined && !names.includes(name)) names.push(name);
		}
	}
	const getters = names.filter((name) => !Object.hasOwn(probe, name) && !fields.some((field) => field.name === name));
	for (const name of getters) checkGetter(author, name, probe);
	return getters;
}

/** A getter that hands out a collaborator would be taken for state. One that throws on the first state says nothing. */
function checkGetter(author: Author, name: string, probe: Agent): void {
	let value: unknown;
	try {
		value = Reflect.get(probe, name);
	} catch {
		return;
	}
	const odd =
		typeof value === "function"
			? "a function"
			: typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)
				? oddObject(value)?.what
				: undefined;
	if (odd === undefined) return;
	const message = `getter ${name} of ${author.title} gives ${odd}, which is no state`;
	throw refusal(author, "NOT_SERIALISABLE", message, `make it a method: ${name}() { return … }`);
}

/** Prototypes of a class below `Agent`, base first. */
export function prototypesOf(Class: AgentClass): readonly object[] {
	const chain: object[] = [];
	for (let at: object | null = Class.prototype; at !== null && !isBase(at); at = Object.getPrototypeOf(at))
		chain.unshift(at);
	return chain;
}

function isBase(prototype: object): boolean {
	return Object.hasOwn(prototype, Symbol.for("callboard.agent"));
}

/**
 * The stages of a class: as `stages(…)` gives them, as its source types them, else as far as its own tools name them.
 *
 * @param named The stages that its tools name.
 */
export function stagesOf(
	author: Author,
	probe: Agent,
	manifest: AgentManifest | undefined,
	fields: readonly StateField[],
	named: readonly string[],
): StateShape["stages"] {
	if (!fields.some(({ name }) => name === "stage")) {
		if (!Object.hasOwn(probe, "stage")) return undefined;
		const message = `stage of ${author.title} is scratch, because other fields are marked @state and it is not`;
		throw refusal(author, "BAD_STATE", message, "write @state() before it");
	}
	const first: unknown = Reflect.get(probe, "stage");
	const marked = stagesMarked(first);
	if (marked !== undefined) return { values: unique(author, marked), initial: marked[0] as string, complete: true };
	const values = manifest?.stages;
	if (typeof first !== "string") {
		if (values === undefined && named.length === 0) return undefined;
		const message = `stage of ${author.title} begins with no value`;
		throw refusal(author, "BAD_STAGE", message, `write stage: Stages<"…"> = "${values?.[0] ?? named[0] ?? "…"}"`);
	}
	if (values === undefined) return { values: [...new Set([first, ...named])], initial: first, complete: false };
	if (!values.includes(first)) {
		const message = `stage of ${author.title} begins with "${first}", which is no stage of it${suggestion(first, values)}`;
		throw refusal(author, "NOT_A_STAGE", message, `its stages are ${values.join(", ")}`);
	}
	return { values, initial: first, complete: true };
}

function unique(author: Author, values: readonly string[]): readonly string[] {
	if (values.length > 0 && values.every((value) => typeof value === "string" && value !== ""))
		return [...new Set(values)];
	const message = `stages(…) of ${author.title} holds something that is no word`;
	throw refusal(author, "BAD_STAGE", message, 'write stage = stages("first", "second")');
}
