import type { JsonSchema } from "./json-schema.js";

/** What the compiler knew of the agents: written by `callboard build`, read in production, where no compiler is. */
export interface Manifest {
	version: 1;
	/** SHA-256 over the sources that shaped it, so that a stale one is noticed. */
	digest: string;
	/** Those sources, relative to the project's folder, sorted. */
	files: readonly string[];
	/** By class name; two agents of one name are refused. */
	agents: Readonly<Record<string, AgentManifest>>;
}

export interface AgentManifest {
	/** Relative to the project's folder. */
	file: string;
	/** The class's docstring; "" when it has none. */
	doc: string;
	/** Values of the `stage` field in the order they were written; absent when the class has no such field. */
	stages?: readonly string[];
	fields: Readonly<Record<string, FieldManifest>>;
	/** Tools in the order they stand in the class, inherited ones first. */
	tools: Readonly<Record<string, ToolManifest>>;
}

export interface FieldManifest {
	doc: string;
	/** Whether the field's type is marked `Pii<…>`. */
	pii?: true;
}

export interface ToolManifest {
	/** `file:line`, for messages. */
	at: string;
	/** The method's docstring without its `@param` lines. */
	doc: string;
	/** Parameter names in their order: arguments arrive as an object and are passed by position. */
	order: readonly string[];
	/** Set when the one parameter is taken apart in the signature: it gets the whole arguments object. */
	whole?: true;
	/** Schema of the arguments object. Absent when the tool gives zod `params` instead. */
	parameters?: JsonSchema;
	/** Parameters whose type is `Pii<…>`. */
	pii: readonly string[];
}
