import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import type { Manifest } from "./manifest.js";
import { manifestDigest } from "./manifest-digest.js";
import { manifestFormat } from "./manifest-format.js";

const format = z.object({
	manifest: manifestFormat,
	configs: z.array(z.string()),
	/** Digest of the tsconfig files and of what is installed, which shape what is read but are not shipped. */
	configDigest: z.string(),
});
type Kept = Omit<z.infer<typeof format>, "manifest"> & { manifest: Manifest };

/** What a cached manifest is kept for: these files of this project. */
interface Key {
	root: string;
	files: readonly string[];
	cache?: string;
}

/** The manifest read before from the same sources; undefined when there is none or one of them has changed. */
export function readCached(key: Key): Manifest | undefined {
	for (const folder of foldersOf(key)) {
		const kept = parsed(join(folder, nameOf(key)));
		if (kept === undefined || surroundings(key.root, kept.configs) !== kept.configDigest) continue;
		if (manifestDigest(key.root, kept.manifest.files) === kept.manifest.digest) return kept.manifest;
	}
	return undefined;
}

/**
 * Keeps a manifest in the first folder that can be written; a cache that cannot be written is no failure. One without
 * any agent is not kept: something around the sources is wrong, and will be put right without a change in them.
 */
export function writeCached(key: Key, built: { manifest: Manifest; configs: readonly string[] }): void {
	if (Object.keys(built.manifest.agents).length === 0) return;
	const configDigest = surroundings(key.root, built.configs);
	const text = JSON.stringify({ manifest: built.manifest, configs: built.configs, configDigest });
	for (const folder of foldersOf(key)) {
		const path = join(folder, nameOf(key));
		try {
			mkdirSync(folder, { recursive: true, mode: 0o700 });
			writeFileSync(`${path}.${process.pid}.new`, text);
			renameSync(`${path}.${process.pid}.new`, path);
			return;
		} catch {}
	}
}

/** What package managers write down of all they installed, in `node_modules`: types of packages stand in signatures. */
const INSTALLED = [".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".yarn-integrity"];

function surroundings(root: string, configs: readonly string[]): string {
	const folders = ["node_modules"];
	for (let at = root, up = ".."; dirname(at) !== at; at = dirname(at), up = join("..", up)) {
		folders.push(join(up, "node_modules"));
	}
	const installed = folders.flatMap((folder) => INSTALLED.map((name) => join(folder, name)));
	return manifestDigest(root, [...configs, ...installed.filter((file) => existsSync(join(root, file)))]);
}

function foldersOf({ root, cache }: Key): string[] {
	if (cache !== undefined) return [resolve(root, cache)];
	const modules = join(root, "node_modules");
	const user = process.getuid?.() ?? "all";
	return [
		...(existsSync(modules) ? [join(modules, ".cache", "callboard")] : []),
		join(tmpdir(), `callboard-${user}`, createHash("sha256").update(root).digest("hex").slice(0, 16)),
	];
}

function nameOf({ root, files }: Key): string {
	const names = files.map((file) => resolve(root, file)).sort();
	return `manifest-${createHash("sha256").update(names.join("\0")).digest("hex").slice(0, 16)}.json`;
}

function parsed(path: string): Kept | undefined {
	try {
		return format.parse(JSON.parse(readFileSync(path, "utf8"))) as Kept;
	} catch {
		return undefined;
	}
}
