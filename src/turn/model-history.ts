import type { HistoryEntry, Speaker, ToolCall } from "../call/history.js";
import { type Part, partText } from "../call/part.js";
import type { ModelMessage } from "../model/model.js";
import { contentText, isBlank, mediaText } from "./content-text.js";
import { jsonBreak } from "./json-break.js";

export interface HistoryBounds {
	/** Rows shown at most. The newest message of the person and the newest row are shown whatever it says. */
	window: number;
	/** How many rows of the call stand before the first one given. */
	before?: number;
	/** How many of the newest rows are shown whatever the window: those of the running turn, which nobody has read yet. */
	unread?: number;
}

/**
 * The history as the model is sent it: always valid for the provider, whatever was stored. Each tool call has exactly one
 * result directly behind it: a missing one is made up and says so, an orphan is left out; arguments that do not parse
 * become `{}`, since one broken row would have every later request refused. A request for tools and its results are
 * trimmed together.
 *
 * Once rows are left out, the cut moves in steps of a quarter of the window, so that most requests begin with the bytes of
 * the one before and the provider's cache holds.
 */
export function modelHistory(rows: readonly HistoryEntry[], bounds: HistoryBounds): ModelMessage[] {
	const shown = shownOf(rows, bounds);
	const script = new Script(haveSeveralNames(shown), resultsOf(rows));
	for (const row of shown) if (row.role !== "result") script.add(row);
	return script.messages;
}

type Row<R extends HistoryEntry["role"]> = Extract<HistoryEntry, { role: R }>;
type Results = ReadonlyMap<string, Row<"result">>;

const NO_RESULTS: Results = new Map();

/** The results of each request for tools: the first one of each call that comes after it. */
function resultsOf(rows: readonly HistoryEntry[]): ReadonlyMap<HistoryEntry, Results> {
	const found = new Map<HistoryEntry, Map<string, Row<"result">>>();
	const asking = new Map<string, Map<string, Row<"result">>>();
	for (const row of rows) {
		if (row.role === "asked") {
			const results = new Map<string, Row<"result">>();
			found.set(row, results);
			for (const call of row.calls) asking.set(call.id, results);
		} else if (row.role === "result") {
			const results = asking.get(row.call);
			if (results?.has(row.call) === false) results.set(row.call, row);
		}
	}
	return found;
}

/** The rows that fit the window; a result is shown with its request, wherever that stands. */
function shownOf(
	rows: readonly HistoryEntry[],
	{ window, before = 0, unread = 0 }: HistoryBounds,
): readonly HistoryEntry[] {
	const earliest = Math.max(before, before + rows.length - window);
	if (earliest <= 0) return rows;
	const step = Math.max(1, Math.floor(window / 4));
	const first = Math.ceil(earliest / step) * step - before;
	const shown = Math.min(first, rows.length - unread);
	const lastUser = rows.findLastIndex(({ role }) => role === "user");
	const last = rows.findLastIndex(({ role }) => role !== "result");
	return rows.filter((_, at) => at >= shown || at === lastUser || at === last);
}

function haveSeveralNames(rows: readonly HistoryEntry[]): boolean {
	let known: string | undefined;
	for (const row of rows) {
		if (row.role !== "user" || row.name === undefined || row.name === known) continue;
		if (known !== undefined) return true;
		known = row.name;
	}
	return false;
}

/** Writes the messages, one row after the other. */
class Script {
	readonly messages: ModelMessage[] = [];
	/** The assistant message that may still grow. */
	#open: { role: "assistant"; text: string } | undefined;
	/** Its first said row, and whose words it holds by now. */
	#opener: Row<"said"> | undefined;
	#by: Speaker | undefined;

	constructor(
		private readonly named: boolean,
		private readonly results: ReadonlyMap<HistoryEntry, Results>,
	) {}

	add(row: Exclude<HistoryEntry, Row<"result">>): void {
		if (row.role === "said") {
			this.#said(row);
			return;
		}
		const open = this.#open;
		this.#open = undefined;
		switch (row.role) {
			case "user": {
				const text = contentText(row.content);
				const { name } = row;
				this.messages.push(this.named && name !== undefined ? { role: "user", text, name } : { role: "user", text });
				return;
			}
			case "note":
				this.messages.push({ role: "note", text: row.text });
				return;
			case "asked": {
				const spoken = open !== undefined && this.#by === "model" && row.text === undefined ? open.text : undefined;
				if (spoken !== undefined) this.messages.pop();
				this.#asked(row, this.results.get(row) ?? NO_RESULTS, spoken);
			}
		}
	}

	#said(row: Row<"said">): void {
		const text = row.part.kind === "text" ? row.part.text : saidText(row.part);
		if (isBlank(text)) return;
		const human = row.by === "human";
		const goesOn = this.#open !== undefined && (this.#by === "human") === human;
		if (goesOn && this.#open !== undefined && turnOf(this.#opener?.id ?? "") === turnOf(row.id)) {
			this.#open.text += `\n\n${text}`;
			this.#by = row.by;
			return;
		}
		if (human && !goesOn) this.messages.push({ role: "note", text: writtenByPerson });
		const message = { role: "assistant" as const, text };
		this.messages.push(message);
		this.#open = message;
		this.#opener = row;
		this.#by = row.by;
	}

	#asked(row: Row<"asked">, results: Results, spoken: string | undefined): void {
		const said = spoken ?? row.text ?? "";
		const text = said.trim() === "" ? {} : { text: said };
		const calls = [...new Map(row.calls.map((call) => [call.id, call])).values()];
		if (calls.length === 0) {
			if (said.trim() !== "") this.messages.push({ role: "assistant", ...text });
			return;
		}
		this.messages.push({ role: "assistant", ...text, calls: calls.map(sendable) });
		for (const call of calls) {
			this.messages.push({ role: "tool", call: call.id, content: results.get(call.id)?.content ?? interrupted });
		}
		const broken = calls.filter((call) => !isObject(call.arguments)).map((call) => sendableName(call.name));
		if (broken.length > 0) {
			this.messages.push({ role: "note", text: `The arguments sent to ${broken.join(", ")} were not a JSON object.` });
		}
	}
}

const interrupted = JSON.stringify({ error: "interrupted: this call has no result, and whether it ran is unknown" });
const writtenByPerson = "What follows was written by a person of the business, not by you.";

function turnOf(part: string): string {
	return part.slice(0, Math.max(0, part.lastIndexOf(".")));
}

function saidText(part: Part): string {
	if (part.kind === "media") return [mediaText(part.media, part.text), part.text ?? ""].filter(Boolean).join("\n");
	if (part.kind !== "choices") return partText(part);
	const offered = part.choices.map(({ id, label }) => (id === label ? label : `${label} (${id})`));
	return `${part.text}\n[offered: ${offered.join(" · ")}]`;
}

function sendable(call: ToolCall): ToolCall {
	return { id: call.id, name: sendableName(call.name), arguments: isObject(call.arguments) ? call.arguments : "{}" };
}

/** Providers refuse a whole history for one name outside this alphabet, and models invent such names. */
function sendableName(name: string): string {
	return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}

function isObject(text: string): boolean {
	return jsonBreak(text) === undefined && text.trimStart().startsWith("{");
}
