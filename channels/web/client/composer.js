import { el } from "./dom.js";
import { icon } from "./icons.js";
import { fill } from "./strings.js";

/** @import { Strings } from "./strings.js" */
/** @import { Store } from "./storage.js" */

/** Where the visitor writes. What is typed survives a reload. */
export class Composer {
	#input;
	#button;
	#field;
	#problem = el("p", { class: "problem", role: "alert" });
	#strings;
	#store;
	#max;
	#send;
	element;

	/** @param {{ strings: Strings, placeholder: string, max: number, store: Store, send: (text: string) => void }} options */
	constructor({ strings, placeholder, max, store, send }) {
		this.#strings = strings;
		this.#store = store;
		this.#max = max;
		this.#send = send;
		this.#input = el("textarea", {
			part: "input",
			rows: "1",
			dir: "auto",
			placeholder,
			"aria-label": strings.message,
			enterkeyhint: "send",
			autocomplete: "off",
		});
		this.#button = el(
			"button",
			{ type: "submit", class: "send", part: "send", "aria-label": strings.send },
			icon("send"),
		);
		this.#field = el("div", { class: "field", part: "field" }, this.#input, this.#button);
		this.element = el("form", { class: "composer", part: "composer", novalidate: true }, this.#field, this.#problem);
		this.#input.value = store.get("typed") ?? "";
		this.#input.addEventListener("input", () => this.#changed());
		this.#input.addEventListener("keydown", (event) => this.#key(event));
		this.element.addEventListener("submit", (event) => {
			event.preventDefault();
			this.#submit();
		});
		this.#changed();
	}

	focus() {
		this.#input.focus({ preventScroll: true });
	}

	/**
	 * Puts words back, below what is there.
	 * @param {string} text
	 */
	restore(text) {
		this.#input.value = this.#input.value.trim() === "" ? text : `${this.#input.value}\n${text}`;
		this.#changed();
		this.focus();
	}

	/** Fits the height to the text; needed when it was hidden before. */
	fit() {
		this.#input.style.height = "";
		const wanted = this.#input.scrollHeight;
		if (this.#input.value !== "" && wanted > 40) this.#input.style.height = `${Math.min(wanted, 148)}px`;
	}

	/** @param {KeyboardEvent} event */
	#key(event) {
		// While an input method composes, Enter takes its suggestion; 229 is how Safari says so.
		if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
		event.preventDefault();
		this.#submit();
	}

	#changed() {
		const { value } = this.#input;
		const over = value.trim().length - this.#max;
		this.#field.classList.toggle("over-long", over > 0);
		this.#problem.textContent = over > 0 ? fill(this.#strings.tooLong, { n: over }) : "";
		this.#input.setAttribute("aria-invalid", String(over > 0));
		this.#button.setAttribute("aria-disabled", String(value.trim() === "" || over > 0));
		this.#store.set("typed", value === "" ? undefined : value);
		this.fit();
	}

	#submit() {
		const text = this.#input.value.trim();
		if (text === "" || text.length > this.#max) return;
		this.#input.value = "";
		this.#changed();
		this.#send(text);
	}
}
