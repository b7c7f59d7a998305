import type { Child } from "../agent/child.js";
import type { AgentDeclaration, AgentSession } from "../agent/declaration.js";
import type { Json } from "../call/json.js";
import { OutsideWords } from "./outside-words.js";
import { renderText } from "./render.js";
import { withoutSecrets } from "./secrets.js";
import type { PromptBlockText } from "./static-region.js";

/**
 * What is true now, and goes last in a request: the author's dynamic blocks, which tools can be called, and the view
 * that `render()` gives. The view stands at the end, since a model follows the last sentence it reads.
 *
 * Every string that stands in the state is shown in quotes unless it is one plain word; so is what `outside` names,
 * like the name a platform gave for the person.
 */
export function viewRegion(agent: AgentDeclaration, session: AgentSession, outside: readonly Json[] = []): string {
	return viewBlocks(agent, session, outside)
		.map((block) => block.text)
		.join("\n\n");
}

/** The blocks of the view region that are not empty, in their order. */
export function viewBlocks(
	agent: AgentDeclaration,
	session: AgentSession,
	outside: readonly Json[] = [],
): readonly PromptBlockText[] {
	let known: OutsideWords | undefined;
	const text = (child: Child) => {
		if (child === undefined || child === null) return "";
		known ??= new OutsideWords([...Object.values(session.snapshot()), ...outside]);
		return renderText(child, known);
	};
	const dynamic = agent.blocks
		.filter((block) => block.region === "dynamic")
		.map(({ name }) => ({ name, text: text(session.block(name)) }));
	return [...dynamic, { name: "available", text: available(session) }, { name: "view", text: text(session.render()) }]
		.map(({ name, text }) => ({ name, text: withoutSecrets(text) }))
		.filter((block) => block.text !== "");
}

function available(session: AgentSession): string {
	const tools = session.visibility();
	if (tools.length === 0) return "";
	const visible = tools.filter((tool) => tool.visible).map((tool) => tool.tool);
	return visible.length === 0
		? "No tool can be called now; answer in words."
		: `Tools that can be called now: ${visible.join(", ")}.`;
}
