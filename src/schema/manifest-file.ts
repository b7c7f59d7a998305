import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { CallboardError } from "../errors.js";
import type { Problem } from "./agent-class.js";
import type { AgentManifest, Manifest } from "./manifest.js";
import { readCached, writeCached } from "./manifest-cache.js";
import { manifestDigest } from "./manifest-digest.js";
import { manifestFormat } from "./manifest-format.js";
import type { TypeMistake } from "./signature.js";

export interface ManifestSource {
	/** The project's folder, absolute. Every path in the manifest is relative to it. */
	root: string;
	/** The agent files, absolute or relative to `root`. */
	files: readonly string[];
}

export interface ManifestBuilt {
	manifest: Manifest;
	/** What the compiler itself says against the agent files; empty unless it was asked. */
	typeMistakes: readonly TypeMistake[];
	/** The tsconfig files that were followed, relative to the root. */
	configs: readonly string[];
}

/**
 * Reads the agents with the compiler, whatever is cached.
 *
 * @throws CallboardError `NO_COMPILER`; `BAD_SIGNATURE` with every place that cannot be told to a model.
 */
export async function buildManifest(source: ManifestSource, options: { types?: boolean } = {}): Promise<ManifestBuilt> {
	const { readAgents } = await import("./read-agents.js");
	const files = source.files.map((file) => resolve(source.root, file)).sort();
	const read = await readAgents(source.root, files, options.types);
	if (read.problems.length > 0) throw badSignature(read.problems);
	const digest = manifestDigest(source.root, read.files);
	return {
		manifest: { version: 1, digest, files: read.files, agents: read.agents },
		typeMistakes: read.typeMistakes,
		configs: read.configs,
	};
}

function badSignature(problems: readonly Problem[]): CallboardError {
	const [first] = problems;
	if (first !== undefined && problems.length === 1) {
		return new CallboardError("BAD_SIGNATURE", "author", first.what, { where: first.at, next: first.next });
	}
	const lines = problems.map(({ at, what, next }) => `\n  ${at}: ${what}; ${next}`);
	return new CallboardError("BAD_SIGNATURE", "author", `${problems.length} things stand in the way:${lines.join("")}`);
}

export interface ManifestWanted extends ManifestSource {
	/**
	 * Path of the manifest that `callboard build` wrote, absolute or relative to `root`. When it is there it is read, and
	 * the compiler is never loaded. Leave it out in development, where the sources change.
	 */
	manifest?: string;
	/** Folder of the development cache. Default `node_modules/.cache/callboard`, else the system's temporary folder. */
	cache?: string;
}

/**
 * The manifest of some agents: the built one where there is one, else read from the sources and kept in a cache until
 * one of them changes.
 *
 * @throws CallboardError `STALE_MANIFEST` when the built one no longer fits the sources beside it, `BAD_MANIFEST` when
 * it cannot be read, and what `buildManifest` throws.
 */
export async function loadManifest(wanted: ManifestWanted): Promise<Manifest> {
	const path = wanted.manifest === undefined ? undefined : resolve(wanted.root, wanted.manifest);
	if (path !== undefined && existsSync(path)) return fresh(wanted.root, path, readManifest(path));
	const cached = readCached(wanted);
	if (cached !== undefined) return cached;
	const built = await buildManifest(wanted);
	writeCached(wanted, built);
	return built.manifest;
}

/** A manifest whose sources stand beside it has to fit them; in an image without sources there is nothing to compare. */
function fresh(root: string, path: string, manifest: Manifest): Manifest {
	const agents = Object.entries(manifest.agents);
	const sources = agents.some(([, { file }]) => existsSync(join(root, file)));
	if (!sources || manifest.digest === manifestDigest(root, manifest.files)) return manifest;
	const names = agents.map(([name]) => name).join(", ");
	throw new CallboardError("STALE_MANIFEST", "author", `the manifest no longer fits the sources of ${names}`, {
		where: path,
		next: "run `callboard build` again",
	});
}

/**
 * What the manifest says of one class.
 *
 * @throws CallboardError `NOT_IN_MANIFEST` when it does not know the class.
 */
export function agentInManifest(manifest: Manifest, name: string): AgentManifest {
	const agent = Object.hasOwn(manifest.agents, name) ? manifest.agents[name] : undefined;
	if (agent !== undefined) return agent;
	const known = Object.keys(manifest.agents).join(", ");
	if (known === "") {
		const message = `the compiler does not see that ${name} extends the Agent of callboard`;
		const next =
			"install callboard where the agent's file finds it, and run `npx tsc --noEmit` for the compiler's reason";
		throw new CallboardError("NOT_IN_MANIFEST", "author", message, { next });
	}
	throw new CallboardError("NOT_IN_MANIFEST", "author", `the manifest knows ${known}, and not ${name}`, {
		next: `run \`callboard build\` with the file of ${name}`,
	});
}

/**
 * Reads a manifest that `writeManifest` wrote.
 *
 * @throws CallboardError `BAD_MANIFEST` when it is damaged or of another version.
 */
export function readManifest(path: string): Manifest {
	try {
		return manifestFormat.parse(JSON.parse(readFileSync(path, "utf8"))) as Manifest;
	} catch (cause) {
		throw new CallboardError("BAD_MANIFEST", "author", "the manifest cannot be read by this version of callboard", {
			where: path,
			next: "run `callboard build` again",
			cause,
		});
	}
}

/** Writes a manifest whole or not at all. The same sources give the same bytes, so that it can be reviewed. */
export function writeManifest(path: string, manifest: Manifest): void {
	const beside = `${path}.${process.pid}.new`;
	writeFileSync(beside, manifestText(manifest));
	renameSync(beside, path);
}

/** The manifest as it is written: indented, members always in the same order, without times and absolute paths. */
export function manifestText(manifest: Manifest): string {
	return `${JSON.stringify(manifest, null, "\t")}\n`;
}
