import type { Json, JsonObject } from "../call/json.js";
import { cloneJson, plainCopy } from "../call/plain.js";
import { CallboardError } from "../errors.js";
import type { Log } from "../observe/log.js";
import type { Change } from "./declaration.js";
import { suggestion } from "./nearest.js";
import { Scope } from "./scope.js";
import { Views } from "./views.js";

/** What is known of an agent's state before any call. */
export interface StateShape {
	/** Name of the class, for messages. */
	readonly title: string;
	readonly fields: readonly string[];
	readonly stages?: {
		readonly values: readonly string[];
		readonly initial: string;
		/** Whether `values` is all there may be, so that any other is refused. */
		readonly complete: boolean;
	};
}

/** In a stored state, the fields that were given `undefined` although the class begins with a value. */
const UNSET = "$unset";

/** What was warned of in this process, for each class: a field that is carried along is so in every turn. */
const warned = new WeakMap<StateShape, Set<string>>();

/** Whether the class has the stage that a call stands in. Where not, another version of it may. */
export function knowsStage({ stages }: StateShape, stage: Json | undefined): boolean {
	return stages?.complete !== true || stages.values.includes(stage as string);
}

/**
 * The state of one call during one turn. Tools, hooks and handlers write into a scope of their own; `apply` makes such
 * writes part of the state, replacing whole fields and changing none in place, so that a scope's start stays what it was.
 */
export class CallState {
	#fields: JsonObject;
	/** Fields the class does not declare, as another version of it wrote them: stored again untouched. */
	readonly #carried: JsonObject = {};
	/** Those of them that were given `undefined`. */
	readonly #carriedUnset = new Set<string>();
	/** What fields begin with, by those that were asked for. */
	readonly #initial: JsonObject = {};
	readonly #scopes = new WeakSet<Scope>();
	readonly #views = new Views(
		(field) => this.#refuse(field),
		(field) => this.#fields[field],
	);

	/**
	 * @param initial What the class's own fields begin with.
	 * @param stored The state of an earlier turn. Fields it does not know begin as the class says; those the class does not
	 * know are carried along.
	 */
	constructor(
		private readonly shape: StateShape,
		private readonly initial: Readonly<Record<string, unknown>>,
		stored: JsonObject | undefined,
		private readonly log: Log,
	) {
		this.#fields = stored === undefined ? this.#begun() : this.#revive(stored);
	}

	/** The fields now. Not to be changed. */
	get fields(): JsonObject {
		return this.#fields;
	}

	/** The fields as stored. */
	snapshot(): JsonObject {
		const snapshot = cloneJson({ ...this.#fields, ...this.#carried });
		const own = this.shape.fields.filter(
			(field) => this.#fields[field] === undefined && this.#first(field) !== undefined,
		);
		const unset = [...own, ...this.#carriedUnset];
		return unset.length === 0 ? snapshot : { ...snapshot, [UNSET]: unset };
	}

	fork(author: string, signal: AbortSignal, key?: string): Scope {
		const scope = new Scope(author, this.#fields, signal, (field) => this.#refuse(field), key);
		this.#scopes.add(scope);
		return scope;
	}

	/** The scope of this state that the running code is in, open or not. */
	scope(): Scope | undefined {
		const scope = Scope.current();
		return scope !== undefined && this.#scopes.has(scope) ? scope : undefined;
	}

	read(field: string): unknown {
		const scope = this.scope();
		return scope === undefined ? this.#views.show(this.#fields[field], field) : scope.read(field);
	}

	/**
	 * @throws CallboardError `UNAUTHORED_WRITE` outside of any tool, hook or handler, `NOT_A_STAGE`, `NOT_SERIALISABLE`.
	 */
	write(field: string, value: unknown): void {
		const scope = this.scope();
		if (scope?.open !== true) {
			this.#refuse(field);
			return;
		}
		if (field === "stage") this.#checkStage(value);
		scope.write(field, value);
	}

	/** Writes the named fields; with `whole`, clears the others. */
	put(fields: JsonObject, whole: boolean): void {
		for (const name of Object.keys(fields)) {
			if (name !== UNSET && !this.shape.fields.includes(name)) this.undeclared(name);
		}
		for (const field of this.shape.fields) {
			if (Object.hasOwn(fields, field)) this.write(field, fields[field]);
			else if (whole) this.write(field, field === "stage" ? this.#first("stage") : undefined);
		}
	}

	apply(changes: readonly Change[]): void {
		const next = { ...this.#fields };
		for (const { field, next: value } of changes) {
			if (this.shape.fields.includes(field)) next[field] = cloneJson(value);
			else this.#carry(field, value);
		}
		this.#fields = next;
	}

	/** @throws CallboardError `UNDECLARED_FIELD`, unless the write comes too late. */
	undeclared(field: string): void {
		if (this.late(field)) return;
		const { title, fields } = this.shape;
		throw new CallboardError(
			"UNDECLARED_FIELD",
			"author",
			`${title} declares no field ${field}, so nothing can be written to it${suggestion(field, fields)}`,
			{ next: `declare it in the class: ${field}: … = …` },
		);
	}

	/**
	 * Whether a write comes from code whose tool, hook or handler has ended: a timer, or work after a timeout. It is
	 * logged and not thrown, because nobody would catch it and the process must live on.
	 */
	late(field: string): boolean {
		const scope = Scope.current();
		if (scope === undefined || scope.open) return false;
		this.log.error("state.unauthored", {
			code: "UNAUTHORED_WRITE",
			agent: this.shape.title,
			field,
			author: scope.author,
			why: `${scope.author} had ended when it wrote ${field}`,
		});
		return true;
	}

	/** A write that no running tool, hook or handler makes: never taken. */
	#refuse(field: string): false {
		if (this.late(field)) return false;
		const message = `${this.shape.title}.${field} was written while no tool was running`;
		throw new CallboardError("UNAUTHORED_WRITE", "author", message, {
			next: "write state in a tool, a hook or onEvent, before it returns, on the `this` it was called with",
		});
	}

	#checkStage(value: unknown): void {
		const { stages, title } = this.shape;
		if (stages?.complete !== true || stages.values.includes(value as string)) return;
		const shown = typeof value === "string" ? JSON.stringify(value) : value === undefined ? "undefined" : typeof value;
		const meant = typeof value === "string" ? suggestion(value, stages.values) : "";
		throw new CallboardError("NOT_A_STAGE", "author", `${shown} is no stage of ${title}${meant}`, {
			next: `its stages are ${stages.values.join(", ")}`,
		});
	}

	#first(field: string): Json | undefined {
		if (!Object.hasOwn(this.#initial, field)) {
			this.#initial[field] = plainCopy(this.initial[field], { place: () => `${this.shape.title}.${field}` });
		}
		return this.#initial[field];
	}

	#begun(): JsonObject {
		const fields: JsonObject = {};
		for (const field of this.shape.fields) fields[field] = this.#first(field);
		return fields;
	}

	#revive(stored: JsonObject): JsonObject {
		const fields: JsonObject = {};
		const unset = Array.isArray(stored[UNSET]) ? stored[UNSET] : [];
		for (const field of this.shape.fields) {
			if (Object.hasOwn(stored, field)) fields[field] = cloneJson(stored[field]);
			else fields[field] = unset.includes(field) ? undefined : this.#first(field);
		}
		for (const name of Object.keys(stored)) {
			if (name !== UNSET && !this.shape.fields.includes(name)) this.#carry(name, stored[name]);
		}
		for (const name of unset) {
			if (typeof name === "string" && !this.shape.fields.includes(name)) this.#carry(name, undefined);
		}
		const { stages } = this.shape;
		if (stages !== undefined && !knowsStage(this.shape, fields.stage)) {
			this.log.warn("state.stage", { why: "the stored stage is none of the class's any more; the call begins anew" });
			fields.stage = stages.initial;
		}
		return fields;
	}

	#carry(field: string, value: Json | undefined): void {
		this.#carriedUnset.delete(field);
		delete this.#carried[field];
		if (value === undefined) this.#carriedUnset.add(field);
		else this.#carried[field] = cloneJson(value);
		const told = warned.get(this.shape) ?? new Set();
		if (told.has(field)) return;
		warned.set(this.shape, told.add(field));
		this.log.warn("state.carried", { field, why: "another version of the class declares it: it is kept as it is" });
	}
}
