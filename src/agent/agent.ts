import type { JsonObject } from "../call/json.js";
import type { Contact } from "../call/message.js";
import { CallboardError } from "../errors.js";
import type { Call } from "./call.js";

const AGENT = Symbol.for("callboard.agent");
const LINE = Symbol.for("callboard.line");

/** What a live instance is connected to while it serves a call. */
export interface AgentLine {
	readonly call: Call;
	restore(snapshot: JsonObject): void;
	startIn(partial: JsonObject): void;
	collapse(sentence: string): void;
	last(contact: Contact): Promise<JsonObject | undefined>;
	/** A write to a field that the class does not declare. Throws, or has it ignored when it comes too late. */
	undeclared(field: string): void;
	read(field: string): unknown;
	write(field: string, value: unknown): void;
}

/**
 * What every agent extends. Fields are the state of one call, getters are derived state, methods marked with `@tool` are
 * what the model may do, docstrings are what it reads, and `render()` gives its view of the present moment.
 *
 * A subclass may have, by name:
 * - `render()`: the view, as JSX or text.
 * - `onCall(call)`, `onEnd(call)`: run when a call begins and when it is over. They may write state.
 * - `onEvent(name, data, { source })`: hears the events that `static events = { paid: { from: ["app"] } }` declares.
 * - `greeting`: said when a call begins, as words, `{ say: "…" }` or `{ reply: "instructions for the model" }`.
 * - `knowledge`: a page the model knows by heart, as text or as the path of a file beside the agent's own.
 * - `language`: the language it answers in.
 * - `static slug`, `static doc`, `static settings`, `static blocks`, `static visibility`, `static last`.
 */
export abstract class Agent {
	/** The conversation it is in. Readable in tools, hooks, handlers and `render()`. */
	get call(): Call {
		return connected(this, "this.call").call;
	}

	/** Puts back a whole state, as `last()` gives it: fields it does not name are cleared. In tools and hooks only. */
	protected restore(snapshot: JsonObject): void {
		connected(this, "restore()").restore(snapshot);
	}

	/** Writes the named fields and leaves the others. In tools and hooks only. */
	protected startIn(partial: JsonObject): void {
		connected(this, "startIn()").startIn(partial);
	}

	/** Replaces the record of changes so far by one sentence in the history. The state stays. In tools and hooks only. */
	protected collapse(sentence: string): void {
		connected(this, "collapse()").collapse(sentence);
	}

	/**
	 * The state in which the contact's last call ended, or undefined. It is asked of `static last`, which the class
	 * declares; without one it rejects with CallboardError `NO_LAST_STORE`.
	 */
	protected async last(contact: Contact = this.call.contact): Promise<JsonObject | undefined> {
		return connected(this, "last()").last(contact);
	}
}
Object.defineProperty(Agent.prototype, AGENT, { value: true });
// At the end of the prototype chain only writes to names that no class declares arrive.
Object.setPrototypeOf(
	Agent.prototype,
	new Proxy(
		{},
		{
			set(_target, field, value, instance) {
				const line = typeof field === "string" ? lineOf(instance) : undefined;
				if (line === undefined) {
					return Reflect.defineProperty(instance, field, {
						value,
						writable: true,
						enumerable: true,
						configurable: true,
					});
				}
				line.undeclared(String(field));
				return true;
			},
		},
	),
);

/** A class that extends `Agent`, be it of this copy of the package or another. */
export type AgentClass = { new (): Agent; readonly name: string; readonly prototype: Agent };

export function isAgentClass(value: unknown): value is AgentClass {
	return typeof value === "function" && (value.prototype as Record<symbol, unknown> | undefined)?.[AGENT] === true;
}

/** Connects an instance to the session that serves it. */
export function connect(instance: Agent, line: AgentLine): void {
	Object.defineProperty(instance, LINE, { value: line });
}

/**
 * What stands in the place of an instance's fields while it serves a call. Made once for a class: instances with the same
 * accessors have the same shape, which is what makes them fast.
 */
export function accessorsOf(fields: readonly string[]): PropertyDescriptorMap {
	const accessors: PropertyDescriptorMap = {};
	for (const field of fields) {
		accessors[field] = {
			get(this: Agent) {
				return lineOf(this)?.read(field);
			},
			set(this: Agent, value: unknown) {
				lineOf(this)?.write(field, value);
			},
			enumerable: true,
			configurable: false,
		};
	}
	return accessors;
}

function lineOf(instance: object): AgentLine | undefined {
	return (instance as Record<symbol, AgentLine | undefined>)[LINE];
}

function connected(instance: Agent, what: string): AgentLine {
	const line = lineOf(instance);
	if (line !== undefined) return line;
	throw new CallboardError("NO_CALL", "author", `${what} was used while ${instance.constructor.name} serves no call`, {
		next: "use it in a tool, a hook or render(), not in a field's first value or a constructor",
	});
}
