import { el } from "./dom.js";
import { icon } from "./icons.js";
import { markdownToDom, parseMarkdown, safeHref } from "./markdown.js";

/** @import { WebPart } from "../protocol.js" */
/** @import { Line } from "./conversation.js" */
/** @import { Strings } from "./strings.js" */

/**
 * @typedef {object} EntryContext
 * @property {Strings} strings
 * @property {string} speaker name of the agent, for screen readers
 * @property {(line: Line, choice: { id: string, label: string }) => void} choose
 * @property {(line: Line) => void} edit
 */

/**
 * One line as elements. What may change later (grouping, foot, buttons) is set by `updateEntry`.
 * @param {Line} line
 * @param {EntryContext} context
 */
export function entryElement(line, context) {
	const { strings, speaker } = context;
	const bubble = el("div", { class: "bubble", part: `bubble ${line.from}-bubble` });
	const root = el("div", { class: `line ${line.from}`, part: `message ${line.from}-message`, "data-id": line.id });
	const who =
		line.by === "human"
			? el("span", { class: "by", part: "by" }, strings.human)
			: el("span", { class: "hidden" }, line.from === "visitor" ? strings.you : speaker);
	root.append(who, bubble);
	if (line.part === undefined) bubble.append(line.text);
	else fillPart(bubble, line.part, strings);
	if (bubble.childNodes.length === 0) bubble.remove();
	if (line.part?.kind === "choices") root.append(choiceButtons(line, line.part.choices, context));
	root.append(el("div", { class: "foot", part: "foot" }));
	return root;
}

/**
 * @param {HTMLElement} root
 * @param {Line} line
 * @param {{ joined: boolean, last: boolean, taken: string | undefined, open: boolean, time: string }} place `taken` is
 * the choice that was tapped; `open` whether its buttons can still be used; `last` whether its time is shown
 * @param {EntryContext} context
 */
export function updateEntry(root, line, { joined, last, taken, open, time }, { strings, edit }) {
	root.classList.toggle("joined", joined);
	root.classList.toggle("sending", line.status === "sending");
	root.classList.toggle("failed", line.status === "failed");
	for (const button of root.querySelectorAll("button.choice")) {
		if (!(button instanceof HTMLButtonElement)) continue;
		const chosen = button.dataset.choice === taken;
		button.disabled = !open;
		if (chosen && button.getAttribute("aria-pressed") !== "true") {
			button.setAttribute("aria-pressed", "true");
			button.prepend(icon("check"));
			button.append(el("span", { class: "hidden" }, ` (${strings.chosen})`));
		}
	}
	const foot = root.querySelector(".foot");
	const key = `${line.status} ${line.problem} ${last} ${time}`;
	if (!(foot instanceof HTMLElement) || foot.dataset.key === key) return;
	foot.dataset.key = key;
	foot.replaceChildren(...footOf(line, last ? time : "", strings, edit));
}

/**
 * @param {Line} line
 * @param {string} time
 * @param {Strings} strings
 * @param {(line: Line) => void} edit
 * @returns {(Node | string)[]}
 */
function footOf(line, time, strings, edit) {
	if (line.status === "failed") {
		const button = el("button", { type: "button" }, strings.edit);
		button.onclick = () => edit(line);
		return [line.problem === "too_long" ? strings.tooLarge : strings.failed, button];
	}
	if (line.problem === "rate" || line.problem === "busy" || line.problem === "unavailable")
		return [strings[line.problem]];
	if (line.status === "sending") return [strings.sending];
	return time === "" ? [] : [time];
}

/**
 * @param {Line} line
 * @param {readonly { id: string, label: string, description?: string }[]} choices
 * @param {EntryContext} context
 */
function choiceButtons(line, choices, { strings, choose }) {
	const group = el("div", { class: "choices", part: "choices", role: "group", "aria-label": strings.choices });
	for (const choice of choices) {
		const label = el("span", { dir: "auto" }, choice.label);
		if (choice.description !== undefined) label.append(el("small", {}, choice.description));
		const button = el("button", { type: "button", class: "choice", part: "choice", "data-choice": choice.id }, label);
		button.onclick = () => choose(line, choice);
		group.append(button);
	}
	return group;
}

/**
 * @param {HTMLElement} bubble
 * @param {WebPart} part
 * @param {Strings} strings
 */
function fillPart(bubble, part, strings) {
	if (part.kind === "media") bubble.append(mediaElement(part.media, strings));
	if (part.kind !== "data" && part.text.trim() !== "") bubble.append(markdownToDom(parseMarkdown(part.text)));
}

/**
 * @param {Extract<WebPart, { kind: "media" }>["media"]} media
 * @param {Strings} strings
 */
function mediaElement({ kind, url, name }, strings) {
	const href = url === undefined ? undefined : safeHref(new URL(url, document.baseURI).href);
	if (href === undefined) return el("span", { class: "file" }, icon("file"), name ?? strings.download);
	if (kind === "image" || kind === "sticker") {
		const image = el("img", { src: href, alt: name ?? strings.image, loading: "lazy", referrerpolicy: "no-referrer" });
		return el("a", { href, target: "_blank", rel: "noopener noreferrer" }, image);
	}
	if (kind === "audio") return el("audio", { src: href, controls: true, preload: "none" });
	if (kind === "video") return el("video", { src: href, controls: true, preload: "metadata" });
	return el(
		"a",
		{ class: "file", href, target: "_blank", rel: "noopener noreferrer" },
		icon("file"),
		name ?? strings.download,
	);
}
