import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentDeclaration } from "../agent/declaration.js";
import { loadAgents } from "../agent/load.js";
import { suggestion } from "../agent/nearest.js";
import { readTypeScript } from "../agent/read-typescript.js";
import type { Config } from "../config.js";
import { CallboardError } from "../errors.js";
import { staticRegion } from "../prompt/static-region.js";
import { loadManifest } from "../schema/manifest-file.js";

/** Where `callboard build` writes, relative to the project's folder. */
export const builtFolder = "dist";

export const manifestName = "callboard.manifest.json";

/** The agents as their sources stand, for development. */
export async function sourceAgents(root: string): Promise<readonly AgentDeclaration[]> {
	await readTypeScript();
	return withPrompts(await loadAgents({ root }));
}

/**
 * The agents as `callboard build` left them, for production.
 * @throws CallboardError `NOT_BUILT` when there is nothing built, `STALE_MANIFEST` when the sources changed since
 */
export async function builtAgents(root: string): Promise<readonly AgentDeclaration[]> {
	const folder = join(root, builtFolder);
	const manifestPath = join(folder, manifestName);
	if (!existsSync(manifestPath) || !existsSync(join(folder, "agents"))) {
		throw new CallboardError("NOT_BUILT", "operator", `there is no manifest in ${folder}`, {
			next: "run `callboard build` first",
		});
	}
	await loadManifest({ root, files: [], manifest: manifestPath });
	return withPrompts(await loadAgents({ root: folder, manifestPath }));
}

/** Refuses, before any call, a prompt that could not be sent. */
function withPrompts(agents: readonly AgentDeclaration[]): readonly AgentDeclaration[] {
	for (const agent of agents) staticRegion(agent);
	return agents;
}

/**
 * The agent that is meant.
 * @throws CallboardError `WHICH_AGENT` when there are several and none is named, `UNKNOWN_AGENT` when none has the name
 */
export function chooseAgent(
	agents: readonly AgentDeclaration[],
	named: string | undefined,
	config: Pick<Config, "agent">,
): AgentDeclaration {
	const names = agents.map(({ name }) => name);
	const wanted = named ?? config.agent;
	const [only, second] = agents;
	if (wanted === undefined && only !== undefined && second === undefined) return only;
	if (wanted === undefined) {
		throw new CallboardError("WHICH_AGENT", "operator", `there are several agents: ${names.join(", ")}`, {
			next: `name one: --agent ${names[0]}`,
		});
	}
	const found = agents.find(({ name }) => name === wanted);
	if (found !== undefined) return found;
	throw new CallboardError("UNKNOWN_AGENT", "operator", `there is no agent ${wanted}${suggestion(wanted, names)}`, {
		next: `agents are: ${names.join(", ")}`,
	});
}
