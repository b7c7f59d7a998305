import type { AgentDeclaration, AgentSession, ToolDeclaration, ToolVisibility } from "../agent/declaration.js";
import type { Json } from "../call/json.js";
import { anyOf } from "./any-of.js";
import { oneLine, quoted } from "./outside-words.js";
import { type PromptBlockText, staticBlocks } from "./static-region.js";
import { viewBlocks } from "./view-region.js";

/**
 * The whole prompt of an agent in its present state, for people: every block under its header in the order in which the
 * model reads them, then the stage and every tool with what hides it. Values of `pii` fields are masked.
 */
export function printPrompt(agent: AgentDeclaration, session: AgentSession, outside: readonly Json[] = []): string {
	const mask = maskOf(agent, session);
	const view = viewBlocks(agent, session, outside).map(({ name, text }) => ({ name, text: mask(text) }));
	return [
		...staticBlocks(agent).map((block) => headed(block, "static")),
		"=== history ===\n(the conversation so far)",
		...view.map((block) => headed(block, "dynamic")),
		standing(agent, session),
	].join("\n\n");
}

function headed({ name, text }: PromptBlockText, region: "static" | "dynamic"): string {
	return `=== ${name} (${region}) ===\n${text}`;
}

function standing(agent: AgentDeclaration, session: AgentSession): string {
	const lines: string[] = [];
	const stage = session.readable().stage;
	if (agent.stages !== undefined) lines.push(`stage: ${String(stage)} (of ${agent.stages.values.join(", ")})`);
	const tools = session.visibility();
	const width = Math.max(0, ...tools.map(({ tool }) => tool.length));
	lines.push(tools.length === 0 ? "tools: none" : "tools:");
	for (const tool of tools) {
		const declared = agent.tools.find(({ name }) => name === tool.tool);
		lines.push(`  ${mark(tool, declared, stage)} ${tool.tool.padEnd(width)}  ${reason(tool, declared)}`.trimEnd());
	}
	lines.push("  (+ can be called, - hidden by its stage, ~ its stage is right but its when says no)");
	return (tools.length === 0 ? lines.slice(0, -1) : lines).join("\n");
}

function mark(tool: ToolVisibility, declared: ToolDeclaration | undefined, stage: Json | undefined): string {
	if (tool.visible) return "+";
	const inStage = declared?.stages === undefined || declared.stages.includes(String(stage));
	return inStage ? "~" : "-";
}

function reason(tool: ToolVisibility, declared: ToolDeclaration | undefined): string {
	if (!tool.visible) return tool.why ?? "hidden";
	return declared?.stages === undefined ? "in every stage" : `in ${declared.stages.join(", ")}`;
}

function maskOf(agent: AgentDeclaration, session: AgentSession): (text: string) => string {
	const state = session.snapshot();
	const hidden = agent.fields
		.filter((field) => field.visibility === "pii")
		.flatMap((field) => leaves(state[field.name]))
		.sort((a, b) => b.length - a.length);
	if (hidden.length === 0) return (text) => text;
	const anyHidden = new RegExp(`(?<![\\p{L}\\p{N}])(?:${anyOf(hidden)})(?![\\p{L}\\p{N}])`, "gu");
	return (text) => text.replace(anyHidden, "***");
}

/** Every text and number in a value, in each way in which a view may show it. */
function leaves(value: Json | undefined): string[] {
	if (typeof value === "string") {
		return [value.trim(), oneLine(value).trim(), quoted(value).slice(1, -1)].filter((text) => text !== "");
	}
	if (typeof value === "number") return [String(value)];
	if (typeof value !== "object" || value === null) return [];
	return Object.values(value).flatMap(leaves);
}
