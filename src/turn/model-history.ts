import type { HistoryEntry, ToolCall } from "../call/history.js";
import { type Part, partText } from "../call/part.js";
import type { ModelMessage } from "../model/model.js";
import { contentText, mediaText } from "./content-text.js";
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
	const units = trimmed(unitsOf(rows), rows.length, bounds);
	const script = new Script(haveSeveralNames(units));
	for (const unit of units) script.add(unit);
	return script.messages;
}

type Row<R extends HistoryEntry["role"]> = Extract<HistoryEntry, { role: R }>;

/** What stays together: one row, or a request for tools with its results. */
interface Unit {
	row: Exclude<HistoryEntry, { role: "result" }>;
	results: ReadonlyMap<string, Row<"result">>;
	/** Place of its first row. */
	at: number;
	size: number;
}

function haveSeveralNames(units: readonly Unit[]): boolean {
	let known: string | undefined;
	for (const { row } of units) {
		if (row.role !== "user" || row.name === undefined || row.name === known) continue;
		if (known !== undefined) return true;
		known = row.name;
	}
	return false;
}

const NO_RESULTS: Unit["results"] = new Map();

function unitsOf(rows: readonly HistoryEntry[]): Unit[] {
	const units: Unit[] = [];
	const asking = new Map<string, { unit: Unit; results: Map<string, Row<"result">> }>();
	for (let at = 0; at < rows.length; at += 1) {
		const row = rows[at]!;
		if (row.role === "result") {
			const asked = asking.get(row.call);
			if (asked === undefined || asked.results.has(row.call)) continue;
			asked.results.set(row.call, row);
			asked.unit.size += 1;
		} else if (row.role === "asked") {
			const results = new Map<string, Row<"result">>();
			const unit: Unit = { row, results, at, size: 1 };
			units.push(unit);
			for (const call of row.calls) asking.set(call.id, { unit, results });
		} else {
			units.push({ row, results: NO_RESULTS, at, size: 1 });
		}
	}
	return units;
}

function trimmed(
	units: readonly Unit[],
	length: number,
	{ window, before = 0, unread = 0 }: HistoryBounds,
): readonly Unit[] {
	const earliest = Math.max(before, before + length - window);
	if (earliest <= 0) return units;
	const step = Math.max(1, Math.floor(window / 4));
	const first = Math.ceil(earliest / step) * step - before;
	const shown = Math.min(first, length - unread);
	const lastUser = units.findLastIndex(({ row }) => row.role === "user");
	return units.filter((unit, index) => unit.at >= shown || index === lastUser || index === units.length - 1);
}

/** Writes the messages, one unit after the other. */
class Script {
	readonly messages: ModelMessage[] = [];
	/** The assistant message that may still grow: its first said row's id, and whose words it holds. */
	#open: { id: string; human: boolean; by: string; message: { role: "assistant"; text: string } } | undefined;

	constructor(private readonly named: boolean) {}

	add({ row, results }: Unit): void {
		if (row.role === "said") {
			this.#said(row);
			return;
		}
		const open = this.#open;
		this.#open = undefined;
		switch (row.role) {
			case "user": {
				const name = this.named && row.name !== undefined ? { name: row.name } : {};
				this.messages.push({ role: "user", text: contentText(row.content), ...name });
				return;
			}
			case "note":
				this.messages.push({ role: "note", text: row.text });
				return;
			case "asked": {
				const spoken = open?.by === "model" && row.text === undefined ? open.message.text : undefined;
				if (spoken !== undefined) this.messages.pop();
				this.#asked(row, results, spoken);
			}
		}
	}

	#said(row: Row<"said">): void {
		const text = saidText(row.part);
		if (text.trim() === "") return;
		const human = row.by === "human";
		if (this.#open !== undefined && this.#open.human === human && turnOf(this.#open.id) === turnOf(row.id)) {
			this.#open.message.text += `\n\n${text}`;
			this.#open.by = row.by;
			return;
		}
		if (human && this.#open?.human !== true) this.messages.push({ role: "note", text: writtenByPerson });
		const message = { role: "assistant" as const, text };
		this.messages.push(message);
		this.#open = { id: row.id, human, by: row.by, message };
	}

	#asked(row: Row<"asked">, results: Unit["results"], spoken: string | undefined): void {
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
