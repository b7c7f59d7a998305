import { el } from "./dom.js";
import { entryElement, updateEntry } from "./entry-view.js";
import { icon } from "./icons.js";
import { markdownToDom, parseMarkdown } from "./markdown.js";

/** @import { Conversation, Line } from "./conversation.js" */
/** @import { EntryContext } from "./entry-view.js" */

/** How near the end counts as reading along. */
const NEAR_PX = 80;
/** Lines of one side within this time stand together. */
const TOGETHER_MS = 5 * 60_000;

/** The scrolling conversation. It follows the newest line unless the reader has scrolled up. */
export class LogView {
	#log;
	#draft = el("div", { class: "draft agent", "aria-hidden": "true", inert: true, hidden: true });
	#draftBubble = el("div", { class: "bubble", part: "bubble agent-bubble draft" });
	#dots = el("div", { class: "dots", part: "typing", "aria-hidden": "true", hidden: true }, el("i"), el("i"), el("i"));
	#empty;
	#over;
	#status = el("div", { class: "hidden", role: "status" });
	#scroll;
	#newer;
	#context;
	/** @type {Map<string, HTMLElement>} */
	#elements = new Map();
	#following = true;
	#shownDraft = "";
	/** Version of the conversation whose lines are shown. */
	#shown = -1;
	#day;
	#time;

	/** @param {EntryContext} context @param {string} language */
	constructor(context, language) {
		const { strings } = context;
		this.#context = context;
		this.#day = new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long" });
		this.#time = new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit" });
		this.#log = el("div", {
			class: "log",
			part: "log",
			role: "log",
			"aria-live": "off",
			"aria-label": strings.conversation,
		});
		this.#empty = el("p", { class: "empty", hidden: true }, strings.empty);
		this.#over = el("p", { class: "over", part: "over", hidden: true }, strings.ended);
		this.#draft.append(this.#draftBubble);
		this.#scroll = el("div", {
			class: "scroll",
			part: "scroll",
			tabindex: "0",
			"aria-label": strings.conversation,
			role: "region",
		});
		this.#scroll.append(this.#empty, this.#log, this.#draft, this.#dots, this.#over);
		this.#newer = el(
			"button",
			{ type: "button", class: "newer", part: "newer", hidden: true },
			icon("down"),
			strings.newer,
		);
		this.#newer.onclick = () => this.toEnd();
		this.#scroll.addEventListener("scroll", () => this.#scrolled(), { passive: true });
		new ResizeObserver(() => this.#follow()).observe(this.#scroll);
		this.#scroll.addEventListener("load", () => this.#follow(), { capture: true });
	}

	/** What belongs into the panel, in order. */
	get elements() {
		return [this.#scroll, this.#status, this.#newer];
	}

	/** Goes to the newest line and stays there. */
	toEnd() {
		this.#following = true;
		this.#newer.hidden = true;
		this.#follow();
	}

	/**
	 * @param {Conversation} conversation
	 * @param {boolean} news whether lines of the agent came in
	 */
	update(conversation, news) {
		if (this.#shown !== conversation.version)
			this.#showLines(conversation.lines.filter((line) => line.part?.kind !== "data"));
		this.#shown = conversation.version;
		this.#showDraft(conversation.draft?.text ?? "");
		const writing = conversation.typing && conversation.draft === undefined;
		this.#dots.hidden = !writing;
		const told = conversation.typing || conversation.draft !== undefined ? this.#context.strings.typing : "";
		if (this.#status.textContent !== told) this.#status.textContent = told;
		this.#over.hidden = !conversation.ended;
		const nothing = this.#elements.size === 0 && conversation.draft === undefined && !conversation.typing;
		this.#empty.hidden = !(conversation.loaded && nothing);
		if (news && !this.#following) this.#newer.hidden = false;
		this.#follow();
		// What was there before is not read out; what comes from now on is.
		if (conversation.loaded) requestAnimationFrame(() => this.#log.setAttribute("aria-live", "polite"));
	}

	/** @param {readonly Line[]} lines */
	#showLines(lines) {
		const wanted = new Set(lines.map((line) => line.id));
		for (const [id, element] of this.#elements) {
			if (wanted.has(id)) continue;
			element.remove();
			this.#elements.delete(id);
		}
		/** @type {Map<string, string>} */
		const taken = new Map(lines.flatMap((line) => (line.of && line.choice ? [[line.of, line.choice]] : [])));
		const lastOwn = lines.findLastIndex((line) => line.from === "visitor" && line.status !== "failed");
		let cursor = this.#log.firstElementChild;
		for (const [index, line] of lines.entries()) {
			const day = dayOf(line.at);
			if (day !== dayOf(lines[index - 1]?.at)) cursor = this.#dayMark(day, line.at, cursor);
			else if (cursor?.classList.contains("day")) cursor = removed(cursor);
			let element = this.#elements.get(line.id);
			if (element === undefined) {
				element = entryElement(line, this.#context);
				this.#elements.set(line.id, element);
			}
			if (element === cursor) cursor = cursor.nextElementSibling;
			else this.#log.insertBefore(element, cursor);
			updateEntry(
				element,
				line,
				{
					joined: together(lines[index - 1], line),
					last: pauses(line, lines[index + 1]),
					taken: taken.get(line.id),
					open: index > lastOwn,
					time: this.#time.format(line.at),
				},
				this.#context,
			);
		}
		while (cursor !== null) cursor = removed(cursor);
	}

	/**
	 * @param {string} day
	 * @param {number} at
	 * @param {Element | null} cursor
	 */
	#dayMark(day, at, cursor) {
		if (cursor instanceof HTMLElement && cursor.dataset.day === day) return cursor.nextElementSibling;
		const today = day === dayOf(Date.now());
		const text = today ? this.#context.strings.today : this.#day.format(at);
		this.#log.insertBefore(el("div", { class: "day", part: "day", "data-day": day }, text), cursor);
		return cursor;
	}

	/** @param {string} text */
	#showDraft(text) {
		this.#draft.hidden = text.trim() === "";
		if (text === this.#shownDraft) return;
		this.#shownDraft = text;
		this.#draftBubble.replaceChildren(markdownToDom(parseMarkdown(text)));
	}

	#follow() {
		if (this.#following) this.#scroll.scrollTop = this.#scroll.scrollHeight;
	}

	#scrolled() {
		const { scrollTop, scrollHeight, clientHeight } = this.#scroll;
		this.#following = scrollHeight - scrollTop - clientHeight < NEAR_PX;
		if (this.#following) this.#newer.hidden = true;
	}
}

/** @param {Element} element @returns {Element | null} the one after it */
function removed(element) {
	const next = element.nextElementSibling;
	element.remove();
	return next;
}

/** @param {Line | undefined} a @param {Line | undefined} b */
function together(a, b) {
	if (a === undefined || b === undefined || a.from !== b.from || a.by !== b.by) return false;
	return dayOf(a.at) === dayOf(b.at) && b.at - a.at < TOGETHER_MS && a.status !== "failed";
}

/**
 * Whether the time is worth showing: nothing follows, or not for a while.
 * @param {Line} line
 * @param {Line | undefined} next
 */
function pauses(line, next) {
	return next === undefined || next.at - line.at >= TOGETHER_MS;
}

/** @param {number | undefined} at */
function dayOf(at) {
	return at === undefined ? "" : new Date(at).toDateString();
}
