import { setTimeout as sleep } from "node:timers/promises";
import type { ToolCall } from "../../src/call/history.js";
import type { Model, ModelMessage, ModelRequest, ModelResponse } from "../../src/model/model.js";
import { between, chance } from "./chance.js";
import { isTallied } from "./clerk.js";

/** What a person writes: the address it comes from and a number. */
export const wordsOf = (address: string, n: number) => `${address} ${n}`;
/** What the person is answered. */
export const replyTo = (n: number) => `re ${n}`;

/**
 * A model that has every number noted, each third one tallied as well, and then answers each: several in one text, a
 * paragraph each. Some answers take a while, and a few questions fail the first time.
 */
export class ClerkModel implements Model {
	readonly name = "clerk";

	/**
	 * @param asked told of the address of every question
	 * @param times counts how often a place was come to, over all processes
	 */
	constructor(
		private readonly seed: number,
		private readonly asked: (address: string) => void,
		private readonly times: (place: string) => Promise<number>,
	) {}

	async ask({ history }: ModelRequest): Promise<ModelResponse> {
		const { address, due } = unanswered(history);
		if (due.length === 0) return response("", []);
		this.asked(address);
		await this.#think(address, due);
		const wanted = due.filter((n) => !history.some((message) => hasNoted(message, n)));
		if (wanted.length === 0) return response(due.map(replyTo).join("\n\n"), []);
		return response("", wanted.flatMap(toolCalls));
	}

	async #think(address: string, due: readonly number[]): Promise<void> {
		const [first = 0] = due;
		const place = [address, first, due.length] as const;
		const kind = chance(this.seed, "think", ...place);
		if (kind < 0.1) await sleep(between(20, 150, this.seed, "thinks", ...place));
		if (kind < 0.997 || (await this.times(place.join(" "))) > 1) return;
		throw new Error("the clerk did not think of anything");
	}
}

function unanswered(history: readonly ModelMessage[]): { address: string; due: number[] } {
	const answered = new Set<string>();
	const told: [string, number][] = [];
	for (const message of history) {
		if (message.role === "user") {
			const [address = "", n = ""] = message.text.split(" ");
			told.push([address, Number(n)]);
		}
		if (message.role === "assistant") for (const line of (message.text ?? "").split("\n\n")) answered.add(line);
	}
	const due = told.filter(([, n]) => !answered.has(replyTo(n)));
	return { address: due[0]?.[0] ?? "", due: due.map(([, n]) => n) };
}

function hasNoted(message: ModelMessage, n: number): boolean {
	if (message.role !== "assistant") return false;
	return (message.calls ?? []).some((call) => call.name === "note" && JSON.parse(call.arguments).n === n);
}

function toolCalls(n: number): ToolCall[] {
	const args = JSON.stringify({ n });
	const note = { id: `note-${n}`, name: "note", arguments: args };
	return isTallied(n) ? [note, { id: `tally-${n}`, name: "tally", arguments: args }] : [note];
}

function response(text: string, calls: readonly ToolCall[]): ModelResponse {
	const usage = { input: 10, cached: 0, output: 10 };
	return { text, calls, finish: calls.length > 0 ? "tools" : "stop", usage, model: "clerk", attempts: 1 };
}
