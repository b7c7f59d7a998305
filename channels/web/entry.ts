import type { HistoryEntry } from "../../src/call/history.js";
import type { Content, InboxItem } from "../../src/call/message.js";
import type { Entry, VisitorContent, WebPart } from "./protocol.js";
import { renderPart } from "./render-part.js";

/**
 * Rows of a transcript as the page shows them, under the ids they were sent with; an opening without words is no line.
 */
export function entriesOf(rows: readonly HistoryEntry[]): Entry[] {
	const entries: Entry[] = [];
	for (const row of rows) {
		if (row.role === "said") {
			for (const [index, part] of renderPart(row.part).entries()) {
				const by = row.by === "human" ? ({ by: "human" } as const) : {};
				entries.push({ id: `${row.id}.${index}`, from: "agent", at: row.at, part, ...by });
			}
		}
		if (row.role === "user" && row.content.kind !== "open") entries.push(visitorEntry(row.id, row.content, row.at));
	}
	return entries;
}

/** One line of the agent, or of a person of the business, whose parts alone are named `human.…`. */
export function sentEntry(id: string, part: WebPart, at: number): Entry {
	return { id, from: "agent", at, part, ...(id.startsWith("human.") ? { by: "human" } : {}) };
}

/** What waits, as the page shows it. */
export function waitingEntries(items: readonly InboxItem[]): Entry[] {
	return items.flatMap((item) =>
		item.type === "message" && item.content.kind !== "open" ? [visitorEntry(item.id, item.content, item.sentAt)] : [],
	);
}

/** One line of the visitor. */
export function visitorEntry(id: string, content: Content | VisitorContent, at: number): Entry {
	const text = "text" in content ? content.text : "";
	if (content.kind !== "choice") return { id, from: "visitor", at, text };
	const { choice, of } = content;
	return { id, from: "visitor", at, text, choice, ...(of === undefined ? {} : { of }) };
}
