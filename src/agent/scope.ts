import { AsyncLocalStorage } from "node:async_hooks";
import type { Json, JsonObject } from "../call/json.js";
import { cloneJson, plainCopy, sameJson } from "../call/plain.js";
import type { Log } from "../observe/log.js";
import type { CallFrame } from "./call.js";
import type { Act, Change } from "./declaration.js";
import { Views } from "./views.js";

const running = new AsyncLocalStorage<Scope | undefined>();

/** Told of a write that no open scope makes. Throws, or answers false to have the write ignored. */
export type RefuseWrite = (field: string) => boolean;

/**
 * One run of a tool, a hook or an event handler: its own copy of the state, taken field by field as it reads and writes,
 * and what it asks of the call. Whatever code it started is in it too, over every `await` and timer. Once closed nothing
 * more is taken.
 */
export class Scope implements CallFrame {
	readonly acts: Act[] = [];
	declare readonly key?: string;
	open = true;
	readonly #values = new Map<string, unknown>();
	readonly #views: Views;
	/** What fields were given, as long as nobody has written into them since. */
	readonly #given = new Map<string, object>();

	constructor(
		/** A tool's name, `hook:onCall`, `event:<name>`. */
		readonly author: string,
		/** The state it started from. Never changed in place by anyone. */
		private readonly base: JsonObject,
		readonly signal: AbortSignal,
		refuse: RefuseWrite,
		key?: string,
	) {
		if (key !== undefined) this.key = key;
		this.#views = new Views(
			(field) => {
				const now = running.getStore();
				if (!this.open || (now !== this && now !== undefined)) return refuse(field);
				this.#given.delete(field);
				return true;
			},
			(field) => this.#values.get(field),
		);
	}

	/** The scope that the running code is in, open or not. */
	static current(): Scope | undefined {
		return running.getStore();
	}

	run<T>(body: () => T): T {
		return running.run(this, body);
	}

	/** Runs code that may read the state and write nothing. */
	static readOnly<T>(body: () => T): T {
		return running.run(undefined, body);
	}

	read(field: string): unknown {
		if (!this.#values.has(field)) {
			const stored = this.base[field];
			if (typeof stored !== "object" || stored === null) return stored;
			this.#values.set(field, cloneJson(stored));
		}
		return this.#views.show(this.#values.get(field), field);
	}

	/** @throws CallboardError `NOT_SERIALISABLE` with the path of what cannot be stored. */
	write(field: string, value: unknown): void {
		this.#values.set(
			field,
			this.#views.take(value, () => field),
		);
		if (typeof value === "object" && value !== null) this.#given.set(field, value);
	}

	/**
	 * The net writes, in the order the fields were first touched. A field holds a copy of what it was given; when that was
	 * changed afterwards, the change is lost, and the log says so.
	 *
	 * @throws CallboardError `NOT_SERIALISABLE` for a list with empty places.
	 */
	changes(at: number, log: Log): Change[] {
		for (const [field, given] of this.#given) {
			if (sameJson(this.#values.get(field), given)) continue;
			const why = `what ${field} was given was changed afterwards, outside of it; change this.${field} instead`;
			log.warn("state.lost", { field, author: this.author, why });
		}
		const changes: Change[] = [];
		for (const [field, value] of this.#values) {
			const prev = this.base[field];
			if (sameJson(prev, value)) continue;
			const next = plainCopy(value, { place: () => field });
			changes.push({ seq: 0, field, prev, next: next as Json | undefined, author: this.author, at });
		}
		return changes;
	}
}
