import { createHash } from "node:crypto";
import type { Choice } from "../../src/call/part.js";
import { measure } from "../../src/channel/measure.js";
import { buttonRows } from "./telegram-capabilities.js";

/** A button as the Bot API takes it; `data` comes back when it is tapped. */
export type Button = { text: string; data: string };

const DATA_MAX_BYTES = 64;
const ROW_BUTTONS = 3;
/** Characters a phone shows in one row before it cuts labels. */
const ROW_CHARACTERS = 30;
const HASHED = "#";

/** Puts choices into rows, short labels side by side. Undefined when that makes more rows than are shown. */
export function buttonLayout(choices: readonly Choice[]): Button[][] | undefined {
	const rows: Button[][] = [];
	let width = 0;
	for (const { id, label } of choices) {
		const last = rows.at(-1);
		const needed = label.length + 2;
		if (last === undefined || last.length >= ROW_BUTTONS || width + needed > ROW_CHARACTERS) {
			rows.push([{ text: label, data: choiceData(id) }]);
			width = needed;
		} else {
			last.push({ text: label, data: choiceData(id) });
			width += needed;
		}
	}
	return rows.length > buttonRows ? undefined : rows;
}

/**
 * What a button carries: the id itself, or its hash where the platform has no room for it. Nothing is remembered: the
 * id is found again among the choices that were said.
 */
export function choiceData(id: string): string {
	const fits = id !== "" && !id.startsWith(HASHED) && measure(id, "bytes") <= DATA_MAX_BYTES;
	return fits ? id : `${HASHED}${createHash("sha256").update(id).digest("base64url").slice(0, 24)}`;
}

/** Whether a button carries a hash in place of the id. */
export function isHashed(data: string): boolean {
	return data.startsWith(HASHED);
}
