import { Composer } from "./composer.js";
import { Connection } from "./connection.js";
import { Conversation } from "./conversation.js";
import { el, newUuid } from "./dom.js";
import { icon } from "./icons.js";
import { LogView } from "./log-view.js";
import { OutgoingEvents } from "./outgoing-events.js";
import { scriptOrigin, settings } from "./settings.js";
import { storage } from "./storage.js";
import { fill, stringsFor } from "./strings.js";
import { styleSheet } from "./styles.js";

/** @import { Status } from "./connection.js" */
/** @import { ServerFrame } from "../protocol.js" */
/** @import { Line } from "./conversation.js" */

/** A lost connection that is back within this time is not worth a banner. */
const BANNER_AFTER_MS = 1_200;

/** @type {CSSStyleSheet | undefined} */
let sheet;

/** The chat of one element: its panel and launcher, what is said in it, and the connection behind it. */
export class ChatWindow {
	#host;
	#connection;
	#conversation;
	#outgoing = new OutgoingEvents(settings.maxCharacters);
	#composer;
	#log;
	#panel = el("section", { class: "panel", part: "panel" });
	#launcher = el("button", { type: "button", class: "launcher", part: "launcher" });
	#badge = el("span", { class: "badge", part: "badge", hidden: true });
	#banner = el("div", { class: "banner", part: "banner", role: "status", hidden: true });
	#light = el("i");
	#state = el("span");
	#strings = stringsFor("", {});
	#heading = "";
	#subheading = "";
	#unread = 0;
	#tab = storage("sessionStorage", "callboard:");
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	#bannerTimer;
	#painting = false;
	#news = false;

	/** @param {HTMLElement} host whose attributes are read now, once */
	constructor(host) {
		this.#host = host;
		const language = host.lang || settings.language || navigator.language;
		this.#strings = stringsFor(language, { ...settings.strings, ...readJson(host.getAttribute("strings")) });
		this.#heading = host.getAttribute("heading") ?? settings.title;
		this.#subheading = host.getAttribute("subheading") ?? settings.subtitle;
		if (!host.hasAttribute("theme") && settings.theme.mode !== undefined)
			host.setAttribute("theme", settings.theme.mode);
		if (!host.hasAttribute("side") && settings.theme.side !== undefined) host.setAttribute("side", settings.theme.side);
		const base = new URL(settings.path, host.getAttribute("server") ?? scriptOrigin).href;
		this.#tab = storage("sessionStorage", `callboard:${base}:`);
		this.#conversation = new Conversation(this.#tab);
		this.#connection = new Connection({
			base,
			store: storage("localStorage", `callboard:${base}:`),
			language: navigator.language,
			frame: (frame) => this.#take(frame),
			status: (status) => this.#showStatus(status),
			fresh: () => {
				this.#conversation.reset();
				this.#paint();
			},
			last: () => this.#conversation.last,
			unsent: () => [...this.#conversation.unsent, ...this.#outgoing.unsent],
		});
		this.#composer = new Composer({
			strings: this.#strings,
			placeholder: host.getAttribute("placeholder") ?? this.#strings.placeholder,
			max: settings.maxCharacters,
			store: this.#tab,
			send: (text) => this.#say({ kind: "text", text }),
		});
		this.#log = new LogView(
			{
				strings: this.#strings,
				speaker: fill(this.#strings.agent, { title: this.#heading }),
				choose: (line, { id, label }) => this.#say({ kind: "choice", choice: id, text: label, of: line.id }),
				edit: (line) => {
					this.#conversation.discard(line.id);
					this.#composer.restore(line.text);
					this.#paint();
				},
			},
			language,
		);
		this.#draw();
	}

	/** The element is on the page: connects when the conversation is in sight. */
	attach() {
		if (this.#inline || this.#host.hasAttribute("open") || this.#tab.get("open") === "1") this.#show();
	}

	/** The element has left the page. */
	detach() {
		this.#connection.stop();
	}

	/** Opens the panel and moves the focus into it. */
	open() {
		if (this.#inline || !this.#panel.hidden) return;
		this.#show();
		this.#tab.set("open", "1");
		if (matchMedia("(pointer: coarse)").matches) this.#title?.focus();
		else this.#composer.focus();
		this.#tell("callboard-open", undefined);
	}

	/**
	 * Fires an event of the page.
	 * @param {string} name
	 * @param {import("../../../src/call/json.js").Json} data
	 */
	send(name, data) {
		const settled = this.#outgoing.add(newUuid(), name, data);
		this.#connection.flush();
		return settled;
	}

	/** Closes the panel and gives the focus back to the launcher. The conversation goes on. */
	close() {
		if (this.#inline || this.#panel.hidden) return;
		this.#panel.hidden = true;
		this.#tab.set("open", undefined);
		this.#labelLauncher();
		this.#launcher.focus();
		this.#tell("callboard-close", undefined);
	}

	get #inline() {
		return this.#host.getAttribute("mode") === "inline";
	}

	/** @returns {HTMLElement | null} */
	get #title() {
		return this.#panel.querySelector(".title");
	}

	#draw() {
		const strings = this.#strings;
		const avatar = el(
			"span",
			{ class: "avatar", part: "avatar", "aria-hidden": "true" },
			[...this.#heading][0]?.toUpperCase() ?? "",
		);
		const title = el("h2", { class: "title", part: "title", tabindex: "-1", dir: "auto" }, this.#heading);
		const state = el("div", { class: "state", part: "state" }, this.#light, this.#state);
		const close = el(
			"button",
			{ type: "button", class: "close", part: "close", "aria-label": strings.close },
			icon("close"),
		);
		close.onclick = () => this.close();
		this.#panel.append(
			el("header", { class: "header", part: "header" }, avatar, el("div", { class: "names" }, title, state), close),
			el("p", { class: "notice", part: "notice", dir: "auto", hidden: settings.notice === "" }, settings.notice),
			this.#banner,
			...this.#log.elements,
			this.#composer.element,
		);
		this.#panel.setAttribute("aria-label", this.#heading);
		if (!this.#inline) this.#panel.setAttribute("role", "dialog");
		this.#panel.hidden = !this.#inline;
		this.#panel.addEventListener("keydown", (event) => {
			if (event.key === "Escape" && !event.isComposing) this.close();
		});
		this.#launcher.onclick = () => (this.#panel.hidden ? this.open() : this.close());
		this.#labelLauncher();
		const root = this.#host.attachShadow({ mode: "open" });
		sheet ??= styleSheet();
		root.adoptedStyleSheets = [sheet];
		root.append(this.#panel);
		if (!this.#inline) root.append(this.#launcher);
		this.#showStatus("connecting");
	}

	#show() {
		this.#panel.hidden = false;
		this.#unread = 0;
		this.#labelLauncher();
		this.#connection.start();
		this.#composer.fit();
		this.#log.toEnd();
	}

	/** @param {Parameters<Conversation["say"]>[1]} content */
	#say(content) {
		this.#conversation.say(newUuid(), content, Date.now());
		this.#log.toEnd();
		this.#paint();
		this.#connection.flush();
	}

	/** @param {ServerFrame} frame */
	#take(frame) {
		this.#outgoing.settle(frame);
		const replay = frame.type === "history" && !this.#conversation.loaded;
		for (const line of this.#conversation.apply(frame)) {
			if (line.part?.kind === "data") {
				this.#tell("callboard-data", { id: line.id, topic: line.part.topic, data: line.part.data, replay });
			} else if (line.from === "agent" && !replay) this.#noteNews();
		}
		this.#showState();
		this.#paint();
	}

	#noteNews() {
		this.#news = true;
		if (!this.#panel.hidden) return;
		this.#unread++;
		this.#labelLauncher();
	}

	/** Draws at most once a frame. */
	#paint() {
		if (this.#painting) return;
		this.#painting = true;
		requestAnimationFrame(() => {
			this.#painting = false;
			this.#log.update(this.#conversation, this.#news);
			this.#news = false;
		});
	}

	/** @param {Status} status */
	#showStatus(status) {
		const { offline, reconnecting, refused } = this.#strings;
		clearTimeout(this.#bannerTimer);
		this.#host.dataset.status = status;
		this.#light.classList.toggle("on", status === "online");
		this.#showState();
		const words = status === "refused" ? refused : navigator.onLine ? reconnecting : offline;
		if (status === "refused") this.#outgoing.refuse("this site may not embed the chat");
		const lost = status === "offline" || status === "refused";
		if (!lost) this.#banner.hidden = true;
		else {
			this.#bannerTimer = setTimeout(
				() => {
					this.#banner.textContent = words;
					this.#banner.hidden = false;
				},
				status === "refused" ? 0 : BANNER_AFTER_MS,
			);
		}
	}

	/** Below the heading: who answers, once that is known. */
	#showState() {
		const { online, connecting, attended } = this.#strings;
		const answers = this.#conversation.owner === "human" ? attended : this.#subheading || online;
		const words = this.#host.dataset.status === "online" ? answers : connecting;
		if (this.#state.textContent !== words) this.#state.textContent = words;
	}

	#labelLauncher() {
		const { open, close, unread } = this.#strings;
		const closed = this.#panel.hidden;
		const count = this.#unread > 0 ? ` (${fill(unread, { n: this.#unread })})` : "";
		this.#badge.textContent = String(this.#unread);
		this.#badge.hidden = this.#unread === 0;
		this.#launcher.replaceChildren(icon(closed ? "chat" : "close"), this.#badge);
		this.#launcher.setAttribute("aria-label", (closed ? open : close) + count);
		this.#launcher.setAttribute("aria-expanded", String(!closed));
	}

	/** @param {string} name @param {unknown} detail */
	#tell(name, detail) {
		this.#host.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
	}
}

/** @param {string | null} text @returns {Record<string, string>} */
function readJson(text) {
	try {
		return JSON.parse(text ?? "{}");
	} catch {
		return {};
	}
}
