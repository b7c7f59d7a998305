import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";

const PROMPT = "> ";

/** The lines of an input, in order; ends with it, or with Ctrl-C. */
export class Keyboard implements AsyncIterable<string> {
	readonly #reader: Interface;
	readonly #lines: string[] = [];
	readonly #isTty: boolean;
	#wake: () => void = () => {};
	#closed = false;

	constructor(input: Readable, output: Writable, isTty: boolean) {
		this.#isTty = isTty;
		this.#reader = createInterface(isTty ? { input, output, terminal: true, prompt: PROMPT } : { input });
		this.#reader.on("line", (line) => {
			this.#lines.push(line);
			this.#wake();
		});
		this.#reader.on("close", () => {
			this.#closed = true;
			this.#wake();
		});
		this.#reader.on("SIGINT", () => this.#reader.close());
	}

	/** Shows the prompt again, with what was typed so far. */
	show(): void {
		if (this.#isTty && !this.#closed) this.#reader.prompt(true);
	}

	/** How many screen rows stand above the cursor in what is being typed. */
	get rowsAbove(): number {
		return this.#isTty ? this.#reader.getCursorPos().rows : 0;
	}

	close(): void {
		this.#reader.close();
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<string> {
		while (true) {
			const line = this.#lines.shift();
			if (line !== undefined) yield line;
			else if (this.#closed) return;
			else {
				await new Promise<void>((resolve) => {
					this.#wake = resolve;
				});
			}
		}
	}
}
