import type { Content, Media } from "../call/message.js";

/**
 * What the model reads of one thing a person sent. What is not text is described in brackets by the framework, so that
 * the model knows of it; names a stranger chose are quoted and cut short.
 */
export function contentText(content: Content): string {
	const text = isBlank(content.text) ? "" : content.text;
	switch (content.kind) {
		case "text":
			return text === "" ? "[an empty message]" : text;
		case "choice":
			return joined(
				text,
				content.choice === content.text ? "" : `[tapped the answer with id ${quoted(content.choice)}]`,
			);
		case "command":
			return text === "" ? `/${content.name}` : text;
		case "media":
			return joined(...content.media.map((media) => mediaText(media, text)), text);
		case "location":
			return joined(`[sent a location: latitude ${content.latitude}, longitude ${content.longitude}]`, text);
		case "open":
			return joined("[opened the conversation]", text);
		case "unknown":
			return joined(`[sent something that cannot be shown here: ${quoted(content.what)}]`, text);
	}
}

const LAST_CONTROL = 32;

/** Whether nobody would see anything of it. */
export function isBlank(text: string): boolean {
	const first = text.charCodeAt(0);
	return !(first > LAST_CONTROL && first < 127) && text.trim() === "";
}

/**
 * What the model reads of a file, sent by either side.
 *
 * @param beside Words that stand beside it anyway: an equal caption is not repeated.
 */
export function mediaText(media: Media, beside = ""): string {
	const facts = [media.mime];
	if (media.name !== undefined) facts.unshift(quoted(media.name));
	if (media.size !== undefined) facts.push(`${media.size} bytes`);
	return joined(
		`[sent ${nouns[media.kind]}: ${facts.join(", ")}]`,
		media.caption === beside ? "" : (media.caption ?? ""),
	);
}

const nouns: Readonly<Record<Media["kind"], string>> = {
	image: "a picture",
	audio: "an audio recording",
	video: "a video",
	document: "a document",
	sticker: "a sticker",
};

function quoted(name: string): string {
	return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

function joined(...lines: readonly string[]): string {
	return lines.filter((line) => line !== "").join("\n");
}
