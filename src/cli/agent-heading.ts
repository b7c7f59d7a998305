import type { AgentDeclaration } from "../agent/declaration.js";

/**
 * What stands above an agent's chat: its class name, spaced, as the author writes it in words. `ClinicaNorte` is
 * `Clínica Norte` when the docstring, the greeting or the knowledge says so, otherwise `Clinica Norte`.
 */
export function agentHeading({
	title,
	doc,
	greeting,
	knowledge,
}: Pick<AgentDeclaration, "title" | "doc" | "greeting" | "knowledge">): string {
	const heading = title.replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, "$1 ");
	const written = accented(heading);
	const said = greeting !== undefined && "say" in greeting ? greeting.say : "";
	for (const words of [doc, said, knowledge]) {
		const found = written.exec(words.normalize("NFD"))?.[0];
		if (found !== undefined) return found.normalize("NFC").replace(/\s+/g, " ");
	}
	return heading;
}

/** Finds words in decomposed text, whatever marks stand on their letters. */
function accented(words: string): RegExp {
	const letters = [...words.normalize("NFD")].map((each) => {
		if (each === " ") return "\\s+";
		return `${each.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}\\p{M}*`;
	});
	return new RegExp(`(?<![\\p{L}\\p{N}])${letters.join("")}(?![\\p{L}\\p{N}])`, "u");
}
