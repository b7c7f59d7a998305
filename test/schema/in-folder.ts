import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** This repository. */
export const repository = resolve(import.meta.dirname, "../..");

/**
 * A project of somebody who installed callboard, in a folder of its own that is gone after `use`. The package is a
 * stand-in that leads to this repository's sources.
 */
export async function inProject<T>(
	files: Readonly<Record<string, string>>,
	use: (root: string) => T | Promise<T>,
): Promise<T> {
	const root = mkdtempSync(join(tmpdir(), "callboard-schema-"));
	const source = (path: string) => JSON.stringify(join(repository, "src", path));
	const installed = {
		"node_modules/callboard/package.json": JSON.stringify({
			name: "callboard",
			type: "module",
			exports: { ".": "./index.ts", "./jsx-runtime": "./jsx-runtime.ts" },
		}),
		"node_modules/callboard/index.ts": `export * from ${source("index.js")};`,
		"node_modules/callboard/jsx-runtime.ts": `export * from ${source("prompt/jsx-runtime.js")};`,
	};
	try {
		for (const [name, text] of Object.entries({ ...installed, ...files })) write(root, name, text);
		return await use(root);
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}

export function write(root: string, name: string, text: string): void {
	mkdirSync(dirname(join(root, name)), { recursive: true });
	writeFileSync(join(root, name), text);
}
