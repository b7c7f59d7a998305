import { clearScreenDown, cursorTo, moveCursor } from "node:readline";
import type { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import type { Keyboard } from "./keyboard.js";

/** Shows both sides. On a real terminal an answer grows in place above the line being typed; elsewhere it comes whole. */
export class Screen {
	/** The line being typed, kept below everything else. */
	prompt: Keyboard | undefined;
	readonly #output: Writable & { isTTY?: boolean; columns?: number; rows?: number };
	/** Rows the shown draft takes. */
	#draft = 0;

	constructor(output: Writable) {
		this.#output = output;
	}

	/** Shows a whole line of one side, in place of its draft. */
	say(who: string, text: string): void {
		this.#put(`${who}: ${harmless(text)}\n`);
	}

	/** Shows a sentence of the terminal itself. */
	note(text: string): void {
		this.#put(`(${harmless(text)})\n`);
	}

	/** Shows an answer in the making; the next one or the finished line takes its place. */
	draft(who: string, text: string): void {
		if (this.#output.isTTY !== true) return;
		const rows = this.#rowsOf(`${who}: ${harmless(text)}`).slice(1 - (this.#output.rows ?? 24) + 2);
		this.#erase();
		this.#output.write(`${rows.join("\n")}\n`);
		this.#draft = rows.length;
		this.prompt?.show();
	}

	clearDraft(): void {
		if (this.#draft > 0) this.#put("");
	}

	#put(text: string): void {
		this.#erase();
		this.#output.write(text);
		this.prompt?.show();
	}

	/** Takes away the draft and the line being typed. */
	#erase(): void {
		if (this.#output.isTTY !== true) return;
		const up = this.#draft + (this.prompt?.rowsAbove ?? 0);
		if (up > 0) moveCursor(this.#output, 0, -up);
		cursorTo(this.#output, 0);
		clearScreenDown(this.#output);
		this.#draft = 0;
	}

	#rowsOf(text: string): string[] {
		const columns = this.#output.columns ?? 80;
		const row = new RegExp(`.{1,${columns}}`, "gu");
		return text.split("\n").flatMap((line) => line.match(row) ?? [""]);
	}
}

/** Words of strangers and models must not steer the terminal: escape sequences and control characters are taken out. */
function harmless(text: string): string {
	return stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]/gu, "");
}
