import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Raised whenever the same sources would be read into another manifest than before. */
const READER = 1;

/**
 * SHA-256 over everything that shapes a manifest: the sources (relative to `root`, with their content; one that is gone
 * counts as such), this reader, and zod, whose types may stand in a signature.
 */
export function manifestDigest(root: string, files: readonly string[]): string {
	const hash = createHash("sha256").update(`reader ${READER}\0zod ${zodVersion()}\0`);
	for (const file of files)
		hash
			.update(file)
			.update("\0")
			.update(contentOf(join(root, file)))
			.update("\0");
	return hash.digest("hex");
}

function contentOf(path: string): Buffer | string {
	try {
		return readFileSync(path);
	} catch {
		return "\0gone";
	}
}

function zodVersion(): string {
	const { version } = createRequire(import.meta.url)("zod/package.json") as { version: string };
	return version;
}
