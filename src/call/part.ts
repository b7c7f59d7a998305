import type { Json } from "./json.js";
import type { Media } from "./message.js";

/** One answer a person can tap; where a platform has no buttons it becomes a numbered line. */
export interface Choice {
	/** Comes back as the `choice` of the person's message. */
	id: string;
	label: string;
	description?: string;
}

/** One normalised thing to say. Text is Markdown as the model wrote it; the channel alone turns it into its own markup. */
export type Part =
	| { kind: "text"; text: string }
	| { kind: "choices"; text: string; choices: readonly Choice[] }
	| { kind: "media"; media: Media; text?: string }
	/** For the page or program at the other end, not for a person: `call.send(topic, data)`. */
	| { kind: "data"; topic: string; data: Json };

/** The words of a part, as history keeps them. */
export function partText(part: Part): string {
	switch (part.kind) {
		case "text":
		case "choices":
			return part.text;
		case "media":
			return part.text ?? part.media.caption ?? "";
		case "data":
			return "";
	}
}
