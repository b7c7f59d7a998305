import { dirname, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentClass, isAgentClass } from "../agent/agent.js";
import { nameOfClass } from "../agent/author.js";
import type { AgentDeclaration } from "../agent/declaration.js";
import { declare } from "../agent/declare.js";
import { loadAgents } from "../agent/load.js";
import { readTypeScript } from "../agent/read-typescript.js";
import { agentInManifest, loadManifest } from "../schema/manifest-file.js";

/** What can be tested: an agent's file, its class with its file, an agent of `callboard()`, or a ready declaration. */
export type AgentUnderTest = string | URL | AgentClass | AgentDeclaration | object;

/**
 * Declares an agent for a test as `callboard dev` would.
 * @param file the file of a class, so that its signatures can be read; without it tools need `doc` and zod `params`
 * @throws CallboardError with fault `author` for what is wrong with the agent
 */
export async function agentUnderTest(agent: AgentUnderTest, file?: string | URL): Promise<AgentDeclaration> {
	if (typeof agent === "string" || agent instanceof URL) {
		const path = pathOf(agent);
		if (/\.(tsx?|jsx)$/.test(path)) await readTypeScript();
		const [declaration] = await loadAgents({ root: process.cwd(), files: [path] });
		return declaration as AgentDeclaration;
	}
	if (isAgentClass(agent)) return declareClass(agent, file);
	const declarable: unknown = Reflect.get(agent, Symbol.for("callboard.declare"));
	return typeof declarable === "function" ? declarable.call(agent) : (agent as AgentDeclaration);
}

async function declareClass(Class: AgentClass, file: string | URL | undefined): Promise<AgentDeclaration> {
	if (file === undefined) return declare(Class);
	const path = pathOf(file);
	const root = path.startsWith(process.cwd() + sep) ? process.cwd() : dirname(path);
	const manifest = await loadManifest({ root, files: [path] });
	return declare(Class, agentInManifest(manifest, nameOfClass(Class)), { file: path });
}

function pathOf(file: string | URL): string {
	const text = String(file);
	return text.startsWith("file:") ? fileURLToPath(text) : resolve(text);
}
