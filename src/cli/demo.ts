import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import type { AgentDeclaration } from "../agent/declaration.js";
import { suggestion } from "../agent/nearest.js";
import { CallboardError } from "../errors.js";
import type { Script } from "../model/script.js";
import type { Conditions } from "../model/script-conditions.js";
import { loadScript } from "../model/script-file.js";

/** Where an agent's scripted demo stands: beside its file, relative to the folder that holds `agents/`. */
export function demoPath({ name, folder }: AgentDeclaration, root: string): string {
	return join(folder === undefined ? join("agents", name) : relative(root, folder), "demo.yaml");
}

/**
 * The scripted demo beside an agent, or undefined when there is none.
 * @throws CallboardError `BAD_SCRIPT`, also when it names a tool that the agent does not have
 */
export async function readDemo(agent: AgentDeclaration, root: string): Promise<Script | undefined> {
	const path = demoPath(agent, root);
	if (!existsSync(join(root, path))) return undefined;
	const script = await loadScript(join(root, path));
	const tools = agent.tools.map(({ name }) => name);
	for (const { at, names } of namesIn(script)) {
		const unknown = names.find((name) => name !== "*" && !tools.includes(name));
		if (unknown === undefined) continue;
		const message = `${agent.name} has no tool ${unknown}${suggestion(unknown, tools)}`;
		throw new CallboardError("BAD_SCRIPT", "author", message, {
			where: at,
			next: tools.length === 0 ? "it has no tools" : `its tools are ${tools.join(", ")}`,
		});
	}
	return script;
}

function namesIn({ play }: Script): readonly { at: string; names: readonly string[] }[] {
	if (play.mode === "steps") {
		return play.steps.map(({ at, expect, calls }) => ({ at, names: [...called(calls), ...asked(expect)] }));
	}
	return play.rules.map(({ at, when, unless = {}, calls }) => ({
		at,
		names: [...called(calls), ...[...when, unless].flatMap(asked)],
	}));
}

function called(calls: readonly { readonly tool: string }[]): readonly string[] {
	return calls.map(({ tool }) => tool);
}

function asked(conditions: Conditions): readonly string[] {
	const { tool, noTool, tools, after, called, uncalled } = conditions;
	return [tool, noTool, tools, after, called, uncalled].flatMap((names) => names ?? []);
}
