const thinkOpen = "<think>";
const thinkClose = "</think>";

/**
 * The words for the person out of what a model streams: blank beginnings are held back, so that a blank answer is no
 * answer, and thoughts that an open-weights model writes before it answers (`<think>…</think>`) are left out.
 */
export class SpokenText {
	#text = "";
	#held = "";
	#state: "before" | "thinking" | "speaking" = "before";
	readonly #onText: ((piece: string) => void) | undefined;

	constructor(onText?: (piece: string) => void) {
		this.#onText = onText;
	}

	get text(): string {
		return this.#text;
	}

	add(piece: string): void {
		if (this.#state === "speaking") {
			this.#speak(piece);
			return;
		}
		this.#held += piece;
		if (this.#state === "before") this.#begin();
		if (this.#state === "thinking") this.#skipThoughts();
	}

	/** No more comes: what was held back because it might have been the start of a thought is words after all. */
	end(): void {
		if (this.#state === "before" && this.#held.trim() !== "") this.#speak(this.#held.trimStart());
		this.#held = "";
	}

	#begin(): void {
		const start = this.#held.trimStart();
		if (start === "" || (start.length < thinkOpen.length && thinkOpen.startsWith(start))) return;
		if (start.startsWith(thinkOpen)) {
			this.#state = "thinking";
			return;
		}
		this.#state = "speaking";
		this.#held = "";
		this.#speak(start);
	}

	#skipThoughts(): void {
		const end = this.#held.indexOf(thinkClose);
		if (end < 0) return;
		const rest = this.#held.slice(end + thinkClose.length);
		this.#state = "before";
		this.#held = rest;
		this.#begin();
	}

	#speak(piece: string): void {
		if (piece === "") return;
		this.#text += piece;
		this.#onText?.(piece);
	}
}
