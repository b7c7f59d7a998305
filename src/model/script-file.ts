import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { LineCounter, parseDocument } from "yaml";
import { CallboardError } from "../errors.js";
import { type Script, script } from "./script.js";
import type { ScriptSource } from "./script-source.js";

/**
 * Reads a script in YAML, `agents/clinica-norte/demo.yaml` for example.
 *
 * @throws CallboardError `BAD_SCRIPT`, fault `author`, naming file and line; `NO_SCRIPT` when there is no such file
 */
export async function loadScript(path: string): Promise<Script> {
	let text: string;
	try {
		text = await readFile(path, "utf8");
	} catch (cause) {
		throw new CallboardError("NO_SCRIPT", "author", `there is no script at ${path}`, {
			next: "write one as docs/scripted-model.md shows, or correct the path",
			cause,
		});
	}
	return parseScript(text, path);
}

/** The same for a text; `file` is its name for messages. */
export function parseScript(text: string, file: string): Script {
	const lines = new LineCounter();
	const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
	const broken = document.errors[0];
	if (broken !== undefined) {
		throw new CallboardError("BAD_SCRIPT", "author", `this is not YAML: ${broken.message}`, {
			where: `${file}:${lines.linePos(broken.pos[0]).line}`,
			next: "a text with `: `, `#`, `{` or `[` in it goes in quotes",
		});
	}
	const place = (keys: readonly PropertyKey[]): string => {
		for (let depth = keys.length; depth > 0; depth -= 1) {
			const node = document.getIn(keys.slice(0, depth), true) as { range?: [number, number, number] } | undefined;
			if (node?.range !== undefined) return `${file}:${lines.linePos(node.range[0]).line}`;
		}
		return `${file}:1`;
	};
	return script(document.toJS() as ScriptSource, place, basename(file).replace(/\.[^.]+$/, ""));
}
