import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { CallboardError } from "../errors.js";

/** The class being declared, as its author has to be told about it. */
export interface Author {
	/** `ClinicaNorte`. */
	readonly title: string;
	/** Absolute path of the agent's file, when it is known: files it names lie beside it. */
	readonly file?: string;
	/** Where the class stands, for messages. */
	readonly where?: string;
}

/** A refusal at load: what is wrong and the way out. */
export function refusal(author: Author, code: string, message: string, next: string, where = author.where) {
	return new CallboardError(code, "author", message, where === undefined ? { next } : { next, where });
}

/** Whether a text is meant as the path of a file: one line that begins like a path or ends in a text file's ending. */
function isPath(text: string): boolean {
	return !text.includes("\n") && (/^\.{0,2}\/\S/.test(text) || /^\S+\.(md|markdown|txt)$/i.test(text));
}

/** A text written in the class, or the content of the file it names. */
export function textOrFile(author: Author, what: string, value: string): string {
	if (!isPath(value)) return value;
	if (author.file === undefined) {
		throw refusal(
			author,
			"NO_FILE",
			`${what} names ${value}, but the agent's own file is not known`,
			"give the text itself",
		);
	}
	const path = resolve(dirname(author.file), value);
	try {
		return readFileSync(path, "utf8");
	} catch (cause) {
		throw new CallboardError("NO_FILE", "author", `${what} names ${value}, and there is no readable file at ${path}`, {
			...(author.where === undefined ? {} : { where: author.where }),
			next: "write the path relative to the agent's own file",
			cause,
		});
	}
}

/**
 * The name of a class as its author wrote it. Where a class mentions itself in a static member (JSX does, when compiled
 * for development) esbuild calls it `_ClinicaNorte`.
 */
export function nameOfClass(Class: { readonly name: string }): string {
	return Class.name.replace(/^_(?=\p{Lu})/u, "");
}

/** `ClinicaNorte` → `clinica-norte`. */
export function kebab(name: string): string {
	return name
		.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1-$2")
		.replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1-$2")
		.replaceAll("_", "-")
		.toLowerCase();
}

/** Whether a function is `async`, as far as its kind shows. */
export function isAsync(value: unknown): boolean {
	return typeof value === "function" && value.constructor.name === "AsyncFunction";
}

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
