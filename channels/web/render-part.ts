import type { Media } from "../../src/call/message.js";
import type { Part } from "../../src/call/part.js";
import { degradeChoices } from "../../src/channel/choices.js";
import { splitText } from "../../src/channel/split-text.js";
import type { WebMedia, WebPart } from "./protocol.js";
import { webCapabilities } from "./web-capabilities.js";

/** The lines the page shows for one part, in order. Markdown stays Markdown: the page alone turns it into elements. */
export function renderPart(part: Part): WebPart[] {
	switch (part.kind) {
		case "text":
			return textLines(part.text);
		case "choices": {
			const shown = degradeChoices(part, webCapabilities);
			if (shown.form === "text") return textLines(shown.text);
			const lines = textLines(shown.text);
			const last = lines.pop();
			const choices = shown.choices.map(({ id, label, description }) => ({
				id,
				label,
				...(description === undefined ? {} : { description }),
			}));
			return [...lines, { kind: "choices", text: last?.text ?? "", choices }];
		}
		case "media": {
			const [first, ...rest] = textLines(part.text ?? part.media.caption ?? "");
			return [{ kind: "media", media: renderMedia(part.media), text: first?.text ?? "" }, ...rest];
		}
		case "data":
			return [{ kind: "data", topic: part.topic, data: part.data }];
	}
}

function textLines(text: string): { kind: "text"; text: string }[] {
	return splitText(text, webCapabilities.text).map((piece) => ({ kind: "text", text: piece.text }));
}

function renderMedia(media: Media): WebMedia {
	return {
		kind: media.kind,
		mime: media.mime,
		...(isOpenable(media.ref) ? { url: media.ref } : {}),
		...(media.name === undefined ? {} : { name: media.name }),
	};
}

/** An address the page may open, or a path on this server. */
function isOpenable(ref: string): boolean {
	if (/^\/(?![/\\])/.test(ref)) return true;
	return URL.canParse(ref) && /^https?:$/.test(new URL(ref).protocol);
}
