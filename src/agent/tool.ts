import type { z } from "zod";
import type { Agent } from "./agent.js";
import type { Effect } from "./declaration.js";
import { addEntry } from "./metadata.js";

declare const refused: unique symbol;

/** The stages of a class: the values of its `stage` field. Without one, a sentence that the compiler shows. */
type StageOf<This> = This extends { stage: infer S extends string }
	? S
	: "this class has no stage field; add to it: stage: Stages<…> = …" & { readonly [refused]: never };

/** What `@tool` is told of its method beside the signature and the docstring. */
export interface ToolOptions<This> {
	/** The stage or stages it may be called in; in all of them when absent. */
	stage?: StageOf<This> | readonly StageOf<This>[];
	/** Whether it may be called now. Holds together with `stage`; must not write. */
	when?: (state: This) => boolean;
	/** Parameters whose values logs mask. `Pii<…>` in the signature says the same and cannot be misspelled. */
	pii?: readonly string[];
	/** How many rows of an array result the model is shown; all when absent. The result itself stays whole. */
	preview?: number;
	/** Seconds it may take before its call fails and its writes are discarded. Default 30. */
	timeout?: number;
	/** What a run does to the world outside. Default `once`: never again when its outcome is unknown. */
	effect?: Effect;
	/** Whether running it ends the call. */
	end?: boolean;
	/** The description, for code whose comments are stripped. Default: the docstring. */
	doc?: string;
}

/** What `@tool` wrote down of one method. */
export interface ToolEntry {
	readonly name: string;
	/** As written: unchecked where there was no compiler. */
	readonly options: object;
	/** `#name`, a symbol or a static method cannot be called by a model. */
	readonly unreachable?: "private" | "symbol" | "static";
}

/** Where the entries of `@tool` stand in a class's metadata. */
export const TOOLS = Symbol.for("callboard.tools");

// biome-ignore lint/suspicious/noExplicitAny: a decorator stands on methods of any signature, and only `any[]` takes them all
type Arguments = any[];

type Method<This, A extends Arguments> = (this: This, ...args: A) => unknown;
type ToolDecorator<This, A extends Arguments> = (
	method: Method<This, A>,
	context: ClassMethodDecoratorContext<This, Method<This, A>>,
) => void;

/**
 * Makes a method a tool that the model may call. Its docstring is what the model reads, its signature is the schema of
 * the arguments; `params` gives a zod schema instead, and the method then gets one object.
 *
 * What the tool writes to the state and asks of `this.call` counts only when it returns: a throw or a timeout discards
 * all of it. Throw `new Error("a sentence")` to tell the model what to do instead.
 */
export function tool<This extends Agent, P extends z.ZodType>(
	options: NoInfer<ToolOptions<This>> & { params: P },
): ToolDecorator<This, [z.output<P>]>;
export function tool<This extends Agent>(
	options?: NoInfer<ToolOptions<This>> & { params?: never },
): ToolDecorator<This, Arguments>;
export function tool(options: object = {}) {
	return (_method: unknown, context: Pick<ClassMethodDecoratorContext, "name" | "private" | "static" | "metadata">) => {
		const name = String(context.name);
		const unreachable = context.private
			? "private"
			: typeof context.name === "symbol"
				? "symbol"
				: context.static
					? "static"
					: undefined;
		addEntry<ToolEntry>(
			context.metadata,
			TOOLS,
			name,
			unreachable ? { name, options, unreachable } : { name, options },
		);
	};
}
