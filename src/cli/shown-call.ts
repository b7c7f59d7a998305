import type { HistoryEntry } from "../call/history.js";
import type { InboxItem } from "../call/message.js";
import { partText } from "../call/part.js";
import type { AddressView } from "../engine/backend.js";
import { timeOf } from "./table.js";

/** All that is stored of a call, for a person: what it is, what was said, what waits and what did not arrive. */
export function shownCall(view: AddressView): string[] {
	const { address, record, parked, failures, history, waiting, outbox, marks, timers, unreachable } = view;
	return [
		`address    ${address}`,
		...(record === undefined ? ["call       none yet"] : recordLines(record)),
		...(parked === undefined ? [] : [`parked     ${parked}`]),
		...(unreachable === undefined
			? []
			: [`person     cannot be reached since ${timeOf(unreachable.at)}: ${unreachable.reason}`]),
		...(failures === 0 ? [] : [`failures   ${failures} in a row`]),
		...section("history", history.map(entryLine)),
		...section("waiting", waiting.map(itemLine)),
		...section(
			"unsent",
			outbox.map(({ row, status }) => `${row.id}  ${status}`),
		),
		...section(
			"not sent as it should be",
			marks.map(({ row, status, reason, at }) => `${timeOf(at)}  ${row.id}  ${status}: ${reason}`),
		),
		...section(
			"timers",
			timers.map(({ id, at }) => `${timeOf(at)}  ${id}`),
		),
	];
}

function recordLines(record: NonNullable<AddressView["record"]>): string[] {
	const { id, agent, contact, startedAt, turns, owner, forwarded, ended } = record;
	const to = forwarded === undefined ? "" : ` (${forwarded.to})`;
	return [
		`call       ${id}`,
		`agent      ${agent}`,
		`contact    ${contact.id}${contact.name === undefined ? "" : ` ${JSON.stringify(contact.name)}`}`,
		`began      ${timeOf(startedAt)}, ${turns} turns`,
		`owner      ${owner}${owner === "human" ? to : ""}`,
		...(ended === undefined ? [] : [`ended      ${timeOf(ended.at)}: ${ended.reason}`]),
	];
}

function section(title: string, lines: readonly string[]): string[] {
	return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}

function entryLine(entry: HistoryEntry): string {
	const at = timeOf(entry.at);
	switch (entry.role) {
		case "user":
			return `${at}  person  ${oneLine(contentText(entry.content))}`;
		case "said":
			return `${at}  ${entry.by.padEnd(6)}  ${oneLine(partText(entry.part))}`;
		case "asked":
			return `${at}  calls   ${entry.calls.map(({ name }) => name).join(", ")}`;
		case "result":
			return `${at}  result  ${entry.name}: ${oneLine(entry.content)}`;
		case "note":
			return `${at}  note    ${oneLine(entry.text)}`;
	}
}

function itemLine(item: InboxItem): string {
	if (item.type === "message") return `${timeOf(item.sentAt)}  ${oneLine(contentText(item.content))}`;
	return `${timeOf(item.at)}  ${item.occurrence.kind}`;
}

type Content = Extract<InboxItem, { type: "message" }>["content"];

function contentText(content: Content): string {
	return content.text === "" ? `(${content.kind})` : content.text;
}

/** A stranger's words must not move the cursor, colour the screen or pose as other lines. */
function oneLine(text: string): string {
	return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
}
