import type { AgentDeclaration } from "../agent/declaration.js";
import type { ModelRequest } from "../model/model.js";
import { staticRegion } from "../prompt/static-region.js";
import { viewRegion } from "../prompt/view-region.js";
import { offeredSchema } from "../schema/strict.js";
import { modelHistory } from "./model-history.js";
import type { TurnDraft } from "./turn-draft.js";

export interface Offering {
	/** Whether tools are off, so that words must come. */
	wordsOnly: boolean;
	/** Whether the last answer was empty. */
	again: boolean;
	/** History rows shown at most. */
	window: number;
}

const tools = new WeakMap<AgentDeclaration, ModelRequest["tools"]>();

/** Made once for a declaration: they are the same in every request. */
function toolsOf(agent: AgentDeclaration): ModelRequest["tools"] {
	const known = tools.get(agent);
	if (known !== undefined) return known;
	const offered = agent.tools.map(({ name, description, parameters }) => ({
		name,
		description,
		...offeredSchema(parameters),
	}));
	tools.set(agent, offered);
	return offered;
}

/**
 * One request to the model: what stays true through the call first, the history, what is true now last. Instructions of
 * the agent's author travel in the view only; the history holds nothing that nobody said.
 */
export function offer(draft: TurnDraft, { wordsOnly, again, window }: Offering): ModelRequest {
	const { agent, session, record } = draft;
	const shrunk = window < agent.settings.window;
	const outside = record.contact.name === undefined ? [] : [record.contact.name];
	const view = [viewRegion(agent, session, outside)];
	if (wordsOnly && agent.tools.length > 0) view.push("No tool can be called any more in this turn: answer in words.");
	if (again) view.push("Your last answer was empty. Write the person something now.");
	if (draft.guides.length > 0) view.push(`Write now, in your own words:\n${draft.guides.join("\n")}`);
	return {
		system: staticRegion(agent),
		history: modelHistory(draft.history, { window, before: draft.before, unread: shrunk ? 0 : draft.rows.length }),
		view: view.filter((text) => text !== "").join("\n\n"),
		tools: toolsOf(agent),
		allowed: session.visibility().flatMap(({ tool, visible }) => (visible ? [tool] : [])),
		toolChoice: wordsOnly ? "none" : "auto",
		cacheKey: record.id,
	};
}
