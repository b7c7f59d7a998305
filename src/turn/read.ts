import type { Content, Message } from "../call/message.js";
import { occur } from "./occurrence.js";
import type { Decision, TurnDraft } from "./turn-draft.js";

/**
 * Looks at what a person said before the model does, and may decide the turn by code; undefined leaves it to the next
 * reader. The first that decides wins, so their order is a rule: what silences the model stands first. (A typed path's
 * reader of the answer to `record.pending` belongs between the first and the second.)
 */
type Reader = (draft: TurnDraft, said: readonly Message[]) => Decision | undefined | Promise<Decision | undefined>;

const readers: readonly Reader[] = [whileOver, greeting, unreadable];

/** Takes the turn's input into the history and says whether the model has to be asked. */
export async function read(draft: TurnDraft): Promise<Decision> {
	const [first] = draft.items;
	if (first?.type === "occurrence") return occur(draft, first);
	const messages = draft.items.filter((item) => item.type === "message");
	const said = messages.filter((message) => message.content.kind !== "open");
	for (const { id, content, contact } of said) {
		const name = contact.name === undefined ? {} : { name: contact.name };
		draft.rows.push({ role: "user", id, content, ...name, at: draft.at });
	}
	for (const reader of readers) {
		const decision = await reader(draft, said);
		if (decision !== undefined) return decision;
	}
	return "ask";
}

/** A human holds the call, or `onCall` has just ended it: what was said is kept, the model is not asked. */
function whileOver(draft: TurnDraft): Decision | undefined {
	if (!draft.over) return undefined;
	return draft.guided ? "ask" : "rest";
}

/** Somebody who opens a new conversation is greeted: by words of the agent's author, or by the model guided by them. */
function greeting(draft: TurnDraft, said: readonly Message[]): Decision | undefined {
	const { greeting: greets } = draft.agent;
	const opened = said.length < draft.items.length;
	if (opened && draft.fresh && greets !== undefined) {
		if ("say" in greets) draft.say({ kind: "text", text: greets.say }, "code");
		else draft.guides.push(greets.reply);
	}
	if (said.length > 0) return undefined;
	return draft.guided ? "ask" : "rest";
}

/** Nothing but things of a kind that nobody here can read: said politely, with no model request. */
function unreadable(draft: TurnDraft, said: readonly Message[]): Decision | undefined {
	if (!said.every(({ content }) => isUnreadable(content))) return undefined;
	draft.say({ kind: "text", text: draft.agent.settings.unreadable ?? UNREADABLE }, "code");
	return draft.guided ? "ask" : "rest";
}

const UNREADABLE = "Sorry, I cannot read this kind of message here. Could you write it in words, please?";

function isUnreadable(content: Content): boolean {
	return content.kind === "unknown" && content.text.trim() === "";
}
