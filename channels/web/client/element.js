import { ChatWindow } from "./chat-window.js";

/**
 * `<callboard-chat>`: a button in the corner that opens a chat, or with `mode="inline"` the chat itself. Attributes are
 * read once, when it comes into the page: `server`, `mode`, `heading`, `subheading`, `placeholder`, `lang`, `theme`,
 * `side`, `open`, `strings` (JSON).
 *
 * Events: `callboard-data` (`{ id, topic, data, replay }`), `callboard-open`, `callboard-close`.
 */
export class CallboardChat extends HTMLElement {
	/** @type {ChatWindow | undefined} */
	#window;

	connectedCallback() {
		this.#window ??= new ChatWindow(this);
		this.#window.attach();
	}

	disconnectedCallback() {
		this.#window?.detach();
	}

	/** Opens the panel and moves the focus into it. */
	open() {
		this.#window?.open();
	}

	/**
	 * Fires an event that the agent declares for `participant`. It waits until the chat is connected, and is kept neither
	 * over a reload nor when it is refused.
	 * @param {string} name
	 * @param {import("../../../src/call/json.js").Json} [data] plain data, at most as long as a message
	 * @returns {Promise<void>} settled when the server has stored or refused it
	 */
	send(name, data = null) {
		if (this.#window === undefined) return Promise.reject(new Error("callboard: the chat is not in the page"));
		return this.#window.send(name, data);
	}

	/** Closes the panel and gives the focus back to the launcher. The conversation goes on. */
	close() {
		this.#window?.close();
	}
}

if (customElements.get("callboard-chat") === undefined) customElements.define("callboard-chat", CallboardChat);
