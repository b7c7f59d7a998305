import { createHash } from "node:crypto";
import type { HistoryEntry, Speaker } from "../../call/history.js";
import type { InboxItem } from "../../call/message.js";
import type { ChatPace, OutboxMark, OutboxRow, Timer, Unreachable } from "../backend.js";

/** How what a call holds is written in Redis: text, compact, to be read by people too. */

const SHORT_ID = /^[\x21-\x22\x24-\x7e][\x21-\x7e]{0,21}$/;

/** An id as it is remembered: long or unprintable ones by their hash. */
export function idText(id: string): string {
	return SHORT_ID.test(id) ? id : `#${hash(id)}`;
}

/** Ids of what was said stand apart from the ids of what came in. */
export const spokenId = (id: string) => `#${hash(`\0said ${id}`)}`;

function hash(id: string): string {
	return createHash("sha256").update(id).digest("base64url").slice(0, 16);
}

/** Empty where any pace will do; `scripts/pace.ts` says what it is. */
export function paceText(pace: ChatPace | undefined): string {
	return pace === undefined ? "" : `${pace.everyMs} ${(pace.burst - 1) * pace.everyMs}`;
}

const SPEAKERS: Readonly<Record<Speaker, string>> = { model: "m", code: "c", human: "h" };
const SPEAKER_OF = new Map(Object.entries(SPEAKERS).map(([speaker, letter]) => [letter, speaker as Speaker]));

/**
 * One row of history. Plain text, which most rows are, is a letter and an array; an id that begins with the call's own
 * is written without it. Any other begins with its role: scripts tell by it what was said.
 */
export function writeHistory(entry: HistoryEntry, call: string | undefined): string {
	if (entry.role === "user" && isPlain(entry.content)) {
		const { id, content, at, name } = entry;
		return `u${JSON.stringify(name === undefined ? [id, content.text, at] : [id, content.text, at, name])}`;
	}
	if (entry.role === "said" && isPlain(entry.part)) {
		const own = call !== undefined && entry.id.startsWith(`${call}.`);
		if (own || !entry.id.startsWith("~")) {
			const id = own ? `~${entry.id.slice(call.length)}` : entry.id;
			return `${SPEAKERS[entry.by]}${JSON.stringify([id, entry.part.text, entry.at])}`;
		}
	}
	const { role, ...rest } = entry;
	return JSON.stringify({ role, ...rest });
}

export function readHistory(text: string, call: string | undefined): HistoryEntry {
	if (text.startsWith("{")) return JSON.parse(text);
	const [id, words, at, name] = JSON.parse(text.slice(1)) as [string, string, number, string?];
	const plain = { kind: "text", text: words } as const;
	const by = SPEAKER_OF.get(text.slice(0, 1));
	if (by === undefined) return { role: "user", id, content: plain, ...(name !== undefined && { name }), at };
	return { role: "said", id: id.startsWith("~") ? `${call}${id.slice(1)}` : id, part: plain, by, at };
}

function isPlain(value: { kind: string; text?: string }): value is { kind: "text"; text: string } {
	return value.kind === "text" && Object.keys(value).length === 2;
}

export const writeItem = ({ address: _, ...item }: InboxItem) => JSON.stringify(item);

export const readItem = (text: string, address: string): InboxItem => ({ ...JSON.parse(text), address });

export function writeOutbox(row: OutboxRow): string {
	const { id, epoch, ...rest } = row;
	return `${row.by === "human" ? "h" : "a"}${epoch}\n${JSON.stringify(id)}\n${JSON.stringify(rest)}`;
}

export function readOutbox(text: string): OutboxRow {
	const [head = "", id = "", rest = ""] = lines(text, 3);
	return { id: JSON.parse(id), epoch: Number(head.slice(1)), ...JSON.parse(rest) };
}

export function readMark(text: string): OutboxMark {
	const [status = "", reason = "", at = "", row = ""] = lines(text, 4);
	return { row: readOutbox(row), status: status as OutboxMark["status"], reason: JSON.parse(reason), at: Number(at) };
}

export function readUnreachable(text: string): Unreachable {
	const [at = "", reason = ""] = lines(text, 2);
	return { at: Number(at), reason: JSON.parse(reason) };
}

export const writeTimer = ({ at, item }: Timer) => `${at}\n${idText(item.id)}\n${writeItem(item)}`;

export function readTimer(id: string, text: string, address: string): Timer {
	const [at = "", , item = ""] = lines(text, 3);
	return { id, at: Number(at), item: readItem(item, address) };
}

/** The first lines, and all that is left as the last. */
function lines(text: string, count: number): string[] {
	const all: string[] = [];
	let from = 0;
	for (let at = text.indexOf("\n"); all.length < count - 1 && at >= 0; at = text.indexOf("\n", from)) {
		all.push(text.slice(from, at));
		from = at + 1;
	}
	return [...all, text.slice(from)];
}
