import { openEvents, openSocket, tooLarge } from "./wire.js";

/** @import { ClientFrame, ErrorFrame, ServerFrame } from "../protocol.js" */
/** @import { Store } from "./storage.js" */
/** @import { Wire } from "./wire.js" */

/** @typedef {"connecting" | "online" | "offline" | "refused"} Status */

/**
 * @typedef {object} ConnectionOptions
 * @property {string} base address of the chat: `https://host/chat`
 * @property {Store} store where the token of another site's visitor is kept
 * @property {string} language
 * @property {(frame: ServerFrame) => void} frame
 * @property {(status: Status) => void} status
 * @property {() => void} fresh the visitor is new to the server: what was shown belongs to somebody else
 * @property {() => string | undefined} last id of the newest part shown
 * @property {() => Extract<ClientFrame, { type: "message" | "event" }>[]} unsent messages and events without acknowledgement, oldest first
 */

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;
const HISTORY_WITHIN_MS = 8_000;
const ACK_WITHIN_MS = 15_000;
/** Messages and events under way at once: well below what the server takes for a flood. */
const IN_FLIGHT_MAX = 20;
/** How often a socket that worked before may fail before events are tried. */
const PATIENCE = 3;

/**
 * Keeps one wire open: asks for a session, tries a WebSocket and then events, comes back after a loss with growing
 * pauses, and sends again whatever was not acknowledged.
 */
export class Connection {
	/** @type {ConnectionOptions} */
	#options;
	/** @type {Wire | undefined} */
	#wire;
	/** Counts attempts; what belongs to an older one is ignored. */
	#attempt = 0;
	/** The history has come over this wire. */
	#ready = false;
	/** @type {Promise<void> | undefined} */
	#asking;
	#running = false;
	#failures = 0;
	#socketFailures = 0;
	#socketWorked = false;
	#eventsWork = false;
	/** @type {string | undefined} */
	#token;
	#hasSession = false;
	#wantsToken = false;
	#heldUntil = 0;
	/** @type {Map<string, number>} length by id */
	#inFlight = new Map();
	/** @type {Record<"retry" | "history" | "ack" | "held", ReturnType<typeof setTimeout> | undefined>} */
	#timers = { retry: undefined, history: undefined, ack: undefined, held: undefined };

	/** @param {ConnectionOptions} options */
	constructor(options) {
		this.#options = options;
		this.#token = options.store.get("token");
	}

	start() {
		if (this.#running) return;
		this.#running = true;
		addEventListener("online", this.#hurry);
		document.addEventListener("visibilitychange", this.#hurry);
		this.#connect();
	}

	stop() {
		this.#running = false;
		removeEventListener("online", this.#hurry);
		document.removeEventListener("visibilitychange", this.#hurry);
		this.#drop();
	}

	/** Sends what waits, if it may go now. */
	flush() {
		if (this.#wire === undefined) this.#hurry();
		if (this.#wire === undefined || !this.#ready) return;
		const wait = this.#heldUntil - Date.now();
		if (wait > 0) {
			this.#timer("held", wait, () => this.flush());
			return;
		}
		for (const message of this.#options.unsent()) {
			if (this.#inFlight.has(message.id)) continue;
			if (this.#inFlight.size >= IN_FLIGHT_MAX) break;
			this.#inFlight.set(message.id, JSON.stringify(message).length);
			this.#wire.send(message);
		}
		this.#watchAcks();
	}

	#hurry = () => {
		const busy = this.#wire !== undefined || this.#asking !== undefined;
		if (!this.#running || busy || document.visibilityState === "hidden") return;
		this.#connect();
	};

	async #connect() {
		this.#drop();
		const attempt = this.#attempt;
		try {
			this.#asking ??= this.#hasSession ? undefined : this.#askSession();
			await this.#asking;
		} catch {
			if (attempt === this.#attempt) this.#lost(1006);
			return;
		} finally {
			this.#asking = undefined;
		}
		if (attempt !== this.#attempt || !this.#running || !this.#hasSession) return;
		const bySocket = this.#prefersSocket();
		const open = bySocket ? openSocket : openEvents;
		const { base, language, last } = this.#options;
		this.#timer("history", HISTORY_WITHIN_MS, () => this.#wire?.close());
		this.#wire = open({
			base,
			language,
			token: this.#token,
			last: last(),
			frame: (frame) => {
				if (attempt === this.#attempt) this.#hear(frame, bySocket);
			},
			closed: (code) => {
				if (attempt !== this.#attempt) return;
				if (!this.#ready && bySocket) this.#socketFailures++;
				if (!this.#ready && !bySocket) {
					this.#eventsWork = false;
					this.#socketFailures = 0;
				}
				if (code === 1009) this.#giveUpLargest();
				this.#lost(code);
			},
		});
	}

	#prefersSocket() {
		return !this.#eventsWork && this.#socketFailures < (this.#socketWorked ? PATIENCE : 1);
	}

	async #askSession() {
		const { base, store, fresh } = this.#options;
		const response = await fetch(`${base}/session`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ token: this.#token, ...(this.#wantsToken ? { cookie: false } : {}) }),
		});
		const answer = await response.json();
		if (response.status === 403) {
			console.warn(`callboard: ${answer.message}`);
			this.#running = false;
			return this.#options.status("refused");
		}
		if (!response.ok) throw new Error("no session");
		this.#token = answer.token;
		store.set("token", answer.token);
		this.#hasSession = true;
		if (answer.fresh) fresh();
	}

	/** @param {ServerFrame} frame @param {boolean} bySocket */
	#hear(frame, bySocket) {
		if (frame.type === "history") {
			this.#timer("history", undefined);
			this.#ready = true;
			this.#failures = 0;
			this.#wantsToken = false;
			if (bySocket) {
				this.#socketWorked = true;
				this.#socketFailures = 0;
			} else this.#eventsWork = true;
			this.#options.status("online");
		}
		if (frame.type === "ack") this.#inFlight.delete(frame.id);
		if (frame.type === "error") this.#refused(frame);
		this.#options.frame(frame);
		if (frame.type === "history") this.flush();
		if (frame.type === "ack" || frame.type === "error") {
			if (this.#wire !== undefined) this.flush();
			this.#watchAcks();
		}
	}

	/** @param {ErrorFrame} frame */
	#refused({ code, id, retryAfterMs }) {
		if (code === "session") return this.#lost(4401);
		if (id !== undefined) this.#inFlight.delete(id);
		if (id === undefined || retryAfterMs === undefined) return;
		this.#heldUntil = Math.max(this.#heldUntil, Date.now() + retryAfterMs + 50);
	}

	/** The server does not say what was too large. If anything was, the largest was, and would be every time. */
	#giveUpLargest() {
		const [largest] = [...this.#inFlight].sort(([, a], [, b]) => b - a);
		if (largest !== undefined) this.#options.frame(tooLarge(largest[0]));
	}

	/** @param {number} code */
	#lost(code) {
		this.#drop();
		if (!this.#running) return;
		if (code === 4401) {
			// A session that was given a moment ago and does not arrive: the browser keeps no cookie for us.
			if (this.#failures > 0) this.#wantsToken = true;
			this.#hasSession = false;
		}
		this.#options.status("offline");
		// Another tab took this one's place: come back when somebody looks or writes.
		if (code === 4409 && document.visibilityState === "hidden") return;
		const ceiling = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures);
		this.#failures++;
		const fallBack = !this.#prefersSocket() && !this.#eventsWork;
		this.#timer("retry", fallBack ? 0 : ceiling * (0.5 + Math.random() / 2), () => this.#connect());
	}

	/** An answer that never comes means a wire that only looks alive. */
	#watchAcks() {
		this.#timer("ack", undefined);
		if (this.#inFlight.size > 0) this.#timer("ack", ACK_WITHIN_MS, () => this.#wire?.close());
	}

	#drop() {
		this.#attempt++;
		this.#ready = false;
		for (const name of /** @type {const} */ (["retry", "history", "ack", "held"])) this.#timer(name, undefined);
		this.#inFlight.clear();
		const wire = this.#wire;
		this.#wire = undefined;
		wire?.close();
	}

	/**
	 * Sets a timer in place of the one of that name, or only clears it.
	 * @param {"retry" | "history" | "ack" | "held"} name
	 * @param {number | undefined} ms
	 * @param {() => void} [run]
	 */
	#timer(name, ms, run) {
		clearTimeout(this.#timers[name]);
		this.#timers[name] =
			ms === undefined
				? undefined
				: setTimeout(() => {
						this.#timers[name] = undefined;
						run?.();
					}, ms);
	}
}
