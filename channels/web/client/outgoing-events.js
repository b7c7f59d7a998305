/** @import { ClientFrame, ServerFrame } from "../protocol.js" */
/** @import { Json } from "../../../src/call/json.js" */

/** @typedef {Extract<ClientFrame, { type: "event" }>} EventFrame */

/** Events of the page that the server has neither stored nor refused, oldest first. */
export class OutgoingEvents {
	/** @type {Map<string, { frame: EventFrame, resolve: () => void, reject: (error: Error) => void }>} */
	#waiting = new Map();
	#max;
	/** @type {Error | undefined} why nothing is sent from here any more */
	#refused;

	/** @param {number} max characters of JSON */
	constructor(max) {
		this.#max = max;
	}

	/** @returns {EventFrame[]} */
	get unsent() {
		return [...this.#waiting.values()].map(({ frame }) => frame);
	}

	/**
	 * @param {string} id a new UUID
	 * @param {string} name
	 * @param {Json} data a copy of it is sent
	 * @returns {Promise<void>} rejects when it was refused for good
	 */
	add(id, name, data) {
		return new Promise((resolve, reject) => {
			if (this.#refused !== undefined) throw this.#refused;
			const text = JSON.stringify(data);
			if (text === undefined) throw new TypeError("callboard: the data of an event must be plain data");
			if (text.length > this.#max) throw new Error(`callboard: an event holds at most ${this.#max} characters of JSON`);
			this.#waiting.set(id, { frame: { type: "event", id, name, data: JSON.parse(text) }, resolve, reject });
		});
	}

	/**
	 * Nothing can be sent from this page.
	 * @param {string} why
	 */
	refuse(why) {
		this.#refused = new Error(`callboard: ${why}`);
		for (const { reject } of this.#waiting.values()) reject(this.#refused);
		this.#waiting.clear();
	}

	/** @param {ServerFrame} frame */
	settle(frame) {
		if ((frame.type !== "ack" && frame.type !== "error") || frame.id === undefined) return;
		const event = this.#waiting.get(frame.id);
		const again = frame.type === "error" && (frame.retryAfterMs !== undefined || frame.code === "session");
		if (event === undefined || again) return;
		this.#waiting.delete(frame.id);
		if (frame.type === "ack") event.resolve();
		else event.reject(new Error(`callboard: ${frame.message}`));
	}
}
