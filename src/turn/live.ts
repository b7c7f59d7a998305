import type { LiveEvent } from "../channel/channel.js";
import { isBlank } from "./content-text.js";

/**
 * What can be seen while a turn runs: a typing sign, and the answer as it grows. A turn has one draft: text that will be
 * said stays in it, and what comes later is shown behind it.
 */
export class Live {
	#typing = false;
	#kept = "";
	#growing = "";
	#visible = false;

	constructor(
		private readonly show: (event: LiveEvent) => void,
		private readonly turn: string,
	) {}

	typing(): void {
		if (!this.#typing) this.show({ kind: "typing", on: true });
		this.#typing = true;
	}

	/** A further piece of the text that is being written now. Blank text is not worth a bubble. */
	grow(piece: string): void {
		this.#growing += piece;
		if (isBlank(piece) && isBlank(this.#growing)) return;
		this.#visible = true;
		const text = this.#kept === "" ? this.#growing : `${this.#kept}\n\n${this.#growing}`;
		this.show({ kind: "draft", turn: this.turn, text });
	}

	/** The text written last will be said as `text`. */
	keep(text: string): void {
		this.#kept = [this.#kept, text].filter((each) => each !== "").join("\n\n");
		this.#growing = "";
	}

	/** The text written last will not be said. */
	withdraw(): void {
		const seen = this.#growing.trim() !== "";
		this.#growing = "";
		if (!seen || !this.#visible) return;
		this.show({ kind: "withdrawn", turn: this.turn });
		this.#visible = false;
		if (this.#kept === "") return;
		this.#visible = true;
		this.show({ kind: "draft", turn: this.turn, text: this.#kept });
	}

	/** Nothing of this turn will be said after all. */
	discard(): void {
		if (this.#visible) this.show({ kind: "withdrawn", turn: this.turn });
		this.#visible = false;
	}

	end(): void {
		if (this.#typing) this.show({ kind: "typing", on: false });
		this.#typing = false;
	}
}
