import type { Media } from "../../src/call/message.js";
import type { Part } from "../../src/call/part.js";
import type { WebMedia, WebPart } from "./protocol.js";

/** What the page is given for one part. Markdown stays Markdown: the page alone turns it into elements. */
export function renderPart(part: Part): WebPart {
	switch (part.kind) {
		case "text":
			return { kind: "text", text: part.text };
		case "choices":
			return {
				kind: "choices",
				text: part.text,
				choices: part.choices.map(({ id, label, description }) => ({
					id,
					label,
					...(description === undefined ? {} : { description }),
				})),
			};
		case "media":
			return { kind: "media", media: renderMedia(part.media), text: part.text ?? part.media.caption ?? "" };
		case "data":
			return { kind: "data", topic: part.topic, data: part.data };
	}
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
