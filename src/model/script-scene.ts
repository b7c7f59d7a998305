import type { Json } from "../call/json.js";
import type { ModelMessage, ModelRequest } from "./model.js";

/** One thing the person said, with what the agent had said before it. */
export interface Exchange {
	asked: string;
	/** As the model reads it, what the framework says of it in brackets included: `[tapped the answer with id "x"]`. */
	said: string;
}

/** The person's own words: without the lines in brackets that describe what is not text. */
export function ownWords(said: string): string {
	return said.replace(/^\[(?:tapped|sent|opened|an empty)[^\n]*\]$\n?/gm, "").trim();
}

export interface SceneResult {
	tool: string;
	args: Json;
	value: Json;
}

/** What a script can see of a request. */
export interface Scene {
	request: ModelRequest;
	/** Oldest first; messages that came together are one. Empty when the person has said nothing yet. */
	exchanges: readonly Exchange[];
	/** What the person said last. */
	said: string;
	/** What the agent said before that. */
	asked: string;
	/** Results of the model's last calls, when the person has said nothing since. */
	fresh: readonly SceneResult[];
	/** All results of the history, oldest first. */
	results: readonly SceneResult[];
	/** All the agent has said, oldest first. */
	spoken: readonly string[];
}

export function sceneOf(request: ModelRequest): Scene {
	const calls = new Map<string, { tool: string; args: Json }>();
	const exchanges: Exchange[] = [];
	const results: SceneResult[] = [];
	let fresh: SceneResult[] = [];
	let words = "";
	const spoken: string[] = [];
	let before: ModelMessage["role"] | undefined;
	for (const entry of request.history) {
		switch (entry.role) {
			case "user": {
				const open = before === "user" ? exchanges.at(-1) : undefined;
				if (open === undefined) exchanges.push({ asked: words, said: entry.text });
				else open.said += `\n${entry.text}`;
				fresh = [];
				break;
			}
			case "assistant":
				if (entry.text !== undefined && entry.text !== "") {
					words = before === "assistant" ? `${words}\n${entry.text}` : entry.text;
					spoken.push(entry.text);
				}
				if (entry.calls?.length) fresh = [];
				for (const call of entry.calls ?? []) calls.set(call.id, { tool: call.name, args: parsed(call.arguments) });
				break;
			case "tool": {
				const result = { tool: "", args: null, ...calls.get(entry.call), value: parsed(entry.content) };
				results.push(result);
				fresh.push(result);
			}
		}
		if (entry.role !== "note") before = entry.role;
	}
	const last = exchanges.at(-1);
	return {
		request,
		exchanges,
		said: last?.said ?? "",
		asked: last?.asked ?? words,
		fresh,
		results,
		spoken,
	};
}

function parsed(text: string): Json {
	try {
		return JSON.parse(text) as Json;
	} catch {
		return text;
	}
}
