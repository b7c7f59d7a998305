/** What a person sees of a text, and how it is laid out. Offsets and lengths are UTF-16 units, as Telegram counts. */
export interface TelegramText {
	text: string;
	entities: readonly TelegramEntity[];
}

export interface TelegramEntity {
	type: string;
	offset: number;
	length: number;
	url?: string;
	language?: string;
}

/** Thrown for what the Bot API answers with "can't parse entities". */
export class UnparsableHtml extends Error {}

const TYPES: Readonly<Record<string, string>> = {
	b: "bold",
	strong: "bold",
	i: "italic",
	em: "italic",
	u: "underline",
	ins: "underline",
	s: "strikethrough",
	strike: "strikethrough",
	del: "strikethrough",
	"tg-spoiler": "spoiler",
	span: "spoiler",
	a: "text_link",
	code: "code",
	pre: "pre",
	blockquote: "blockquote",
	"tg-emoji": "custom_emoji",
};
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

interface Open {
	tag: string;
	attributes: ReadonlyMap<string, string>;
	offset: number;
	at: number;
}

/**
 * Parses the HTML of the Bot API, as strictly as it does: only its tags, each closed in order, no stray `<`.
 * @throws UnparsableHtml in the words of the Bot API
 */
export function parseTelegramHtml(html: string): TelegramText {
	let text = "";
	const open: Open[] = [];
	const entities: TelegramEntity[] = [];
	for (let at = 0; at < html.length; ) {
		const char = html[at] ?? "";
		if (char === "&") {
			const [source, shown] = readEntity(html, at);
			text += shown;
			at += source.length;
		} else if (char !== "<") {
			text += char;
			at += 1;
		} else if (html[at + 1] === "/") {
			const match = /^<\/([a-zA-Z-]*)\s*>/.exec(html.slice(at));
			const last = open.pop();
			if (match === null || last === undefined) throw unparsable("Unexpected end tag", html, at);
			if (match[1] !== "" && match[1]?.toLowerCase() !== last.tag)
				throw unparsable(`Unmatched end tag, expected "</${last.tag}>", found "</${match[1]}>"`, html, at);
			const entity = toEntity(last, text.length, entities);
			if (entity.length > 0) entities.push(entity);
			at += match[0].length;
		} else {
			const { source, tag, attributes } = readTag(html, at);
			if (tag === "blockquote" && open.some((each) => each.tag === "blockquote"))
				throw unparsable("Nested blockquotes are not allowed", html, at);
			open.push({ tag, attributes, offset: text.length, at });
			at += source.length;
		}
	}
	const left = open.at(-1);
	if (left !== undefined)
		throw new UnparsableHtml(`can't parse entities: Can't find end tag corresponding to start tag "${left.tag}"`);
	return { text, entities: entities.sort((a, b) => a.offset - b.offset || b.length - a.length) };
}

function readEntity(html: string, at: number): [source: string, shown: string] {
	const match = /^&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([a-z]+));/.exec(html.slice(at, at + 12));
	const code = match?.[1] ?? (match?.[2] === undefined ? undefined : `0x${match[2]}`);
	if (match !== null && code !== undefined && Number(code) > 0 && Number(code) <= 0x10ffff)
		return [match[0], String.fromCodePoint(Number(code))];
	const named = ENTITIES[match?.[3] ?? ""];
	return match !== null && named !== undefined ? [match[0], named] : ["&", "&"];
}

function readTag(html: string, at: number): { source: string; tag: string; attributes: ReadonlyMap<string, string> } {
	const head = /^<([a-zA-Z-]+)/.exec(html.slice(at, at + 40));
	const tag = head?.[1]?.toLowerCase() ?? "";
	if (head === null || TYPES[tag] === undefined) throw unparsable(`Unsupported start tag "${tag}"`, html, at);
	const attributes = new Map<string, string>();
	let position = at + head[0].length;
	for (;;) {
		const rest = html.slice(position);
		const space = /^\s*/.exec(rest)?.[0].length ?? 0;
		if (rest[space] === ">") {
			position += space + 1;
			break;
		}
		const attribute = /^\s+([a-zA-Z-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([\w.-]+)))?/.exec(rest);
		if (attribute === null) throw unparsable(`Unclosed start tag "${tag}"`, html, at);
		attributes.set(attribute[1]?.toLowerCase() ?? "", unescaped(attribute[2] ?? attribute[3] ?? attribute[4] ?? ""));
		position += attribute[0].length;
	}
	if (tag === "span" && attributes.get("class") !== "tg-spoiler")
		throw unparsable('Tag "span" must have class "tg-spoiler"', html, at);
	return { source: html.slice(at, position), tag, attributes };
}

function toEntity({ tag, attributes, offset }: Open, end: number, inner: TelegramEntity[]): TelegramEntity {
	const entity: TelegramEntity = { type: TYPES[tag] ?? tag, offset, length: end - offset };
	if (tag === "a") entity.url = attributes.get("href") ?? "";
	const language = /^language-(.+)$/.exec(attributes.get("class") ?? "")?.[1];
	if (tag === "code" && language !== undefined) entity.language = language;
	const code = inner.at(-1);
	if (tag === "pre" && code?.type === "code" && code.offset === offset && code.length === entity.length) {
		inner.pop();
		if (code.language !== undefined) entity.language = code.language;
	}
	return entity;
}

function unescaped(value: string): string {
	return value.replace(/&(lt|gt|amp|quot);/g, (_, name: string) => ENTITIES[name] ?? "");
}

function unparsable(what: string, html: string, at: number): UnparsableHtml {
	return new UnparsableHtml(`can't parse entities: ${what} at byte offset ${Buffer.byteLength(html.slice(0, at))}`);
}
