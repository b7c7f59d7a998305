import type { Media } from "../../src/call/message.js";
import { type Part, partText } from "../../src/call/part.js";
import { degradeChoices } from "../../src/channel/choices.js";
import { splitText } from "../../src/channel/split-text.js";
import { telegramHtml, visibleText } from "./html.js";
import { type Button, buttonLayout } from "./keyboard.js";
import { markupMax, telegramCapabilities } from "./telegram-capabilities.js";

/** One message to send. */
export type TelegramPayload =
	| { kind: "text"; html: string; buttons?: Button[][] }
	| { kind: "media"; media: Pick<Media, "kind" | "mime" | "ref" | "name">; html?: string };

const { text: textLimit, media: mediaLimit } = telegramCapabilities;
const SHORTEST_PIECE = 64;

/** The messages that say one part, in order. */
export function renderPart(part: Part): TelegramPayload[] {
	switch (part.kind) {
		case "text":
			return texts(part.text);
		case "choices":
			return choices(part);
		case "media":
			return media(part.media, partText(part));
		case "data":
			return [];
	}
}

/** Ways to say where the bytes of a file are that Telegram can be given. */
function isSendable(ref: string): boolean {
	return /^(?:https?:\/\/|telegram:|data:[\w/+.-]+;base64,|file:\/\/)/.test(ref);
}

function choices(part: Extract<Part, { kind: "choices" }>): TelegramPayload[] {
	const shown = degradeChoices(part, telegramCapabilities);
	const buttons = shown.form === "text" ? undefined : buttonLayout(shown.choices);
	const messages = texts(shown.text);
	const last = messages.at(-1);
	if (buttons !== undefined && last?.kind === "text") {
		last.buttons = buttons;
		return messages;
	}
	const { choices: none, ...limits } = telegramCapabilities;
	return texts(degradeChoices(part, { ...limits, choices: { ...none, buttons: 0 } }).text);
}

function media(file: Media, caption: string): TelegramPayload[] {
	const { kind, mime, ref, name } = file;
	if (!isSendable(ref)) {
		return texts([caption, `[${kind}: ${name ?? ref}]`].filter(Boolean).join("\n"));
	}
	const bare: TelegramPayload = { kind: "media", media: { kind, mime, ref, ...(name !== undefined && { name }) } };
	const html = telegramHtml(caption);
	if (visibleText(html).trim() === "") return [bare];
	const beside = kind !== "sticker" && visibleText(html).length <= mediaLimit.captionMax && html.length <= markupMax;
	return beside ? [{ ...bare, html }] : [bare, ...texts(caption)];
}

function texts(markdown: string): TelegramPayload[] {
	return htmlPieces(markdown, textLimit.max).map((html) => ({ kind: "text", html }));
}

/** Cuts by what a person will see and by what the markup adds; each piece is markup of its own. */
export function htmlPieces(markdown: string, max: number): string[] {
	const html = telegramHtml(markdown);
	const seen = visibleText(html);
	if (seen.trim() === "") return [];
	if ((seen.length <= textLimit.max && html.length <= markupMax) || max < SHORTEST_PIECE) return [html];
	return splitText(markdown, { max, unit: "utf16" }).flatMap((piece) => htmlPieces(piece.text, Math.floor(max / 2)));
}
