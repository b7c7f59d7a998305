import { type Author, isRecord, refusal, textOrFile } from "./author.js";
import type { AgentDeclaration, EventSource } from "./declaration.js";

/** Fields with these names are configuration, never state. */
export const configFields: readonly string[] = ["greeting", "knowledge", "language"];

const sources: readonly EventSource[] = ["app", "participant", "timer"];

/** What an author wrote as a greeting: words to say, or instructions for the model. */
export function greetingFrom(author: Author, written: unknown): AgentDeclaration["greeting"] {
	if (written === undefined) return undefined;
	if (typeof written === "string" && written.trim() !== "") return { say: written };
	const { say, reply } = isRecord(written) ? written : {};
	if (isWords(say) && reply === undefined) return { say };
	if (isWords(reply) && say === undefined) return { reply };
	const both = isWords(say) && isWords(reply);
	const message = `greeting of ${author.title} ${both ? "has both say and reply" : "is neither words, { say } nor { reply }"}`;
	throw refusal(
		author,
		"BAD_GREETING",
		message,
		'write "words", { say: "words" } or { reply: "what the model should say" }',
	);
}

export function knowledgeFrom(author: Author, written: unknown): string {
	if (written === undefined) return "";
	if (typeof written === "string") return textOrFile(author, `knowledge of ${author.title}`, written);
	throw refusal(
		author,
		"BAD_KNOWLEDGE",
		`knowledge of ${author.title} is not text`,
		"write the text, or the path of a file beside the agent's own",
	);
}

export function languageFrom(author: Author, written: unknown): string | undefined {
	if (written === undefined || isWords(written)) return written;
	throw refusal(
		author,
		"BAD_LANGUAGE",
		`language of ${author.title} is not a word`,
		'write a language such as "es" or "Spanish"',
	);
}

/** What an author wrote as `static events`. */
export function eventsFrom(author: Author, written: unknown): AgentDeclaration["events"] {
	if (written === undefined) return {};
	const way = 'write static events = { paid: { from: ["app"] } }';
	if (!isRecord(written)) throw refusal(author, "BAD_EVENTS", `static events of ${author.title} is no object`, way);
	const events: Record<string, { from: readonly EventSource[] }> = {};
	for (const [name, declared] of Object.entries(written)) {
		const from = isRecord(declared) && Array.isArray(declared.from) ? declared.from : [];
		if (from.length === 0 || !from.every((source) => sources.includes(source))) {
			const message = `event ${name} of ${author.title} does not say where it comes from`;
			throw refusal(author, "BAD_EVENTS", message, `${way}; the sources are ${sources.join(", ")}`);
		}
		events[name] = { from };
	}
	return events;
}

export function isWords(value: unknown): value is string {
	return typeof value === "string" && value.trim() !== "";
}
