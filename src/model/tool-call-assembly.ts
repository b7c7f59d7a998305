import type { ToolCall } from "../call/history.js";

/** One streamed piece of a tool call. Servers differ in what they leave out; nothing here is sure to be there. */
export interface ToolCallPiece {
	index?: number | null;
	id?: string | null;
	function?: { name?: string | null; arguments?: unknown } | null;
}

interface Slot {
	index: number | undefined;
	id: string;
	name: string;
	arguments: string;
}

/**
 * Puts parallel tool calls together from their streamed pieces: with or without an index, all under one index, whole
 * calls at once, arguments as text or as an object, ids missing or repeated.
 */
export class ToolCallAssembly {
	readonly #slots: Slot[] = [];

	get empty(): boolean {
		return this.#slots.length === 0;
	}

	add(piece: ToolCallPiece): void {
		const id = piece.id ?? "";
		const name = piece.function?.name ?? "";
		const text = argumentText(piece.function?.arguments);
		const slot = this.#slotOf(piece.index ?? undefined, id, name, text);
		if (slot.id === "") slot.id = id;
		if (slot.name === "") slot.name = name;
		slot.arguments = slot.arguments.trim() === "{}" && text.trim() !== "" ? text : slot.arguments + text;
	}

	/** The calls in their order, every id new among `taken` and unlike the others. */
	finish(taken: ReadonlySet<string>): readonly ToolCall[] {
		const used = new Set(taken);
		return this.#slots.map((slot) => {
			const id = slot.id !== "" && !used.has(slot.id) ? slot.id : freeId(used);
			used.add(id);
			return { id, name: slot.name, arguments: slot.arguments.trim() === "" ? "{}" : slot.arguments };
		});
	}

	#slotOf(index: number | undefined, id: string, name: string, text: string): Slot {
		const known = this.#known(index, id, name);
		if (known !== undefined && !startsAnother(known, id, name, text)) return known;
		const slot = { index, id, name: name === "" ? (known?.name ?? "") : name, arguments: "" };
		this.#slots.push(slot);
		return slot;
	}

	/** The newest slot this piece can belong to: by index where there is one, else by id, else the last one open. */
	#known(index: number | undefined, id: string, name: string): Slot | undefined {
		if (index !== undefined) return this.#slots.findLast((slot) => slot.index === index);
		if (id !== "") return this.#slots.findLast((slot) => slot.id === id);
		const last = this.#slots.at(-1);
		return name !== "" && last !== undefined && isComplete(last.arguments) ? undefined : last;
	}
}

function startsAnother(slot: Slot, id: string, name: string, text: string): boolean {
	if (id !== "" && slot.id !== "" && id !== slot.id) return true;
	if (name !== "" && slot.name !== "" && name !== slot.name) return true;
	return text.trim() !== "" && slot.arguments.trim() !== "{}" && isComplete(slot.arguments);
}

function argumentText(value: unknown): string {
	if (typeof value === "string") return value;
	return value === undefined || value === null ? "" : JSON.stringify(value);
}

function isComplete(text: string): boolean {
	if (!text.trimEnd().endsWith("}")) return false;
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

/** Nine letters and digits: the one form that every known server takes back. */
function freeId(used: ReadonlySet<string>): string {
	let n = used.size + 1;
	let id = madeId(n);
	while (used.has(id)) id = madeId(++n);
	return id;
}

function madeId(n: number): string {
	return `call${String(n).padStart(5, "0")}`;
}
