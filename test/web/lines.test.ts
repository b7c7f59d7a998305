import { describe, expect, test } from "vitest";
import { entriesOf, sentEntry, waitingEntries } from "../../channels/web/entry.js";
import { renderPart } from "../../channels/web/render-part.js";
import type { HistoryEntry } from "../../src/call/history.js";
import type { Part } from "../../src/call/part.js";

describe("what the page is given for a part", () => {
	test("text stays the Markdown it was", () => {
		expect(renderPart({ kind: "text", text: "**1.5** - (ok)! _x a<b" })).toEqual([
			{ kind: "text", text: "**1.5** - (ok)! _x a<b" },
		]);
	});

	test("choices keep ids, labels and descriptions", () => {
		const choices = [
			{ id: "a", label: "A", description: "the first" },
			{ id: "b", label: "B" },
		];
		expect(renderPart({ kind: "choices", text: "Which?", choices })).toEqual([
			{ kind: "choices", text: "Which?", choices },
		]);
	});

	test("media that a browser may not open are named, not linked", () => {
		const media = (ref: string): Part => ({
			kind: "media",
			media: { kind: "document", mime: "text/plain", ref, name: "f" },
		});
		for (const ref of [
			"javascript:alert(1)",
			"data:text/html,x",
			"file:///etc/passwd",
			"//evil.example/x",
			"/\\evil",
			"key-7",
		]) {
			expect(renderPart(media(ref)), ref).toEqual([
				{ kind: "media", media: { kind: "document", mime: "text/plain", name: "f" }, text: "" },
			]);
		}
		for (const ref of ["https://example.com/f.pdf", "/files/f.pdf"]) {
			expect(renderPart(media(ref))[0], ref).toMatchObject({ media: { url: ref } });
		}
	});
});

describe("a transcript as lines", () => {
	const rows: HistoryEntry[] = [
		{ role: "user", id: "u0", content: { kind: "open", text: "" }, at: 1 },
		{ role: "said", id: "c.1.0", part: { kind: "text", text: "Hello" }, by: "model", at: 2 },
		{ role: "user", id: "u1", content: { kind: "choice", choice: "b", text: "Book", of: "c.1.0.0" }, at: 3 },
		{ role: "asked", calls: [{ id: "t", name: "secret", arguments: "{}" }], at: 4 },
		{ role: "result", call: "t", name: "secret", content: "internal", at: 5 },
		{ role: "note", text: "internal", at: 6 },
		{ role: "said", id: "c.2.0", part: { kind: "text", text: "x".repeat(10_000) }, by: "code", at: 7 },
	];

	test("holds what was said under the ids it was sent with, and neither openings nor anything of the inside", () => {
		const entries = entriesOf(rows);
		expect(entries.map(({ id }) => id)).toEqual(["c.1.0.0", "u1", "c.2.0.0", "c.2.0.1"]);
		expect(JSON.stringify(entries)).not.toContain("internal");
		expect(entries[1]).toEqual({ id: "u1", from: "visitor", at: 3, text: "Book", choice: "b", of: "c.1.0.0" });
	});

	test("tell a person of the business from the agent, in the transcript as on the wire", () => {
		const part = { kind: "text", text: "Marta here" } as const;
		const id = "human.0123456789abcdef.1";
		const [line] = entriesOf([{ role: "said", id, part, by: "human", at: 9 }]);
		expect(line).toMatchObject({ from: "agent", by: "human" });
		expect(sentEntry(`${id}.0`, part, 9)).toEqual(line);
		expect(entriesOf(rows).filter((entry) => "by" in entry)).toEqual([]);
		expect(sentEntry("c.1.0.0", part, 9)).not.toHaveProperty("by");
	});

	test("shows of what waits only the visitor's own words", () => {
		const address = "web|ana";
		const contact = { id: "web:ana" };
		expect(
			waitingEntries([
				{ type: "message", id: "u0", address, contact, content: { kind: "open", text: "" }, sentAt: 1 },
				{ type: "occurrence", id: "o", address, occurrence: { kind: "close", reason: "idle" }, at: 2 },
				{ type: "message", id: "u1", address, contact, content: { kind: "text", text: "Hi" }, sentAt: 3 },
			]),
		).toEqual([{ id: "u1", from: "visitor", at: 3, text: "Hi" }]);
	});
});
