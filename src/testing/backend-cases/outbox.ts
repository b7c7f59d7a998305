import { expect } from "vitest";
import { addressKey } from "../../call/address.js";
import {
	acceptAll,
	claimed,
	followedBy,
	LEASE,
	message,
	occurrence,
	record,
	row,
	rule,
	say,
	send,
	settlement,
	take,
	user,
	waitingIds,
} from "./conformance-case.js";

const A = addressKey({ door: "web", chat: "ana" });
const B = addressKey({ door: "web", chat: "ben" });

export const outboxCases = [
	rule("I10: rows leave in the order in which they were decided, over all turns", async ({ backend }) => {
		expect(await take(backend, A)).toEqual({ outcome: "empty" });
		await say(backend, A, [row("1"), row("2")]);
		await say(backend, A, [row("3")]);
		await say(backend, B, [row("other")]);
		expect([await send(backend, A), await send(backend, A), await send(backend, A)]).toEqual(["1", "2", "3"]);
		expect(await take(backend, A)).toEqual({ outcome: "empty" });
	}),

	rule("a row is marked as being sent before its sender has it", async ({ backend }) => {
		await say(backend, A, [row("1"), row("2")]);
		expect(await take(backend, A)).toEqual({ outcome: "row", row: row("1"), attempt: 1 });
		const { outbox } = await backend.view(A, { history: 0 });
		expect(outbox.map(({ status }) => status)).toEqual(["sending", "pending"]);
	}),

	rule("one sender an address at a time", async ({ backend, clock }) => {
		await say(backend, A, [row("1"), row("2")]);
		await take(backend, A, "one");
		expect(await take(backend, A, "two")).toEqual({ outcome: "busy", until: clock.now() + LEASE });
		await backend.mark(A, "one", "1", { status: "sent", platformId: "p" });
		expect(await take(backend, A, "two")).toMatchObject({ outcome: "row", row: { id: "2" } });
	}),

	rule("a mark repeated, or of a row that is not the first, changes nothing", async ({ backend }) => {
		await say(backend, A, [row("1"), row("2")]);
		await take(backend, A);
		await backend.mark(A, "sender", "2", { status: "sent", platformId: "p" });
		await backend.mark(A, "sender", "1", { status: "failed", reason: "blocked" });
		await backend.mark(A, "sender", "1", { status: "failed", reason: "blocked" });
		const { outbox, marks } = await backend.view(A, { history: 0 });
		expect(outbox.map((each) => each.row.id)).toEqual(["2"]);
		expect(marks).toHaveLength(1);
	}),

	rule(
		"E13: what failed or may have arrived stays visible, and what is behind it goes on",
		async ({ backend, clock }) => {
			await say(backend, A, [row("1"), row("2"), row("3")]);
			await take(backend, A);
			await backend.mark(A, "sender", "1", { status: "failed", reason: "blocked" });
			await take(backend, A);
			await backend.mark(A, "sender", "2", { status: "ambiguous", reason: "no answer" });
			expect(await send(backend, A)).toBe("3");
			const { marks, outbox } = await backend.view(A, { history: 0 });
			expect(outbox).toEqual([]);
			expect(marks).toEqual([
				{ row: row("1"), status: "failed", reason: "blocked", at: clock.now() },
				{ row: row("2"), status: "ambiguous", reason: "no answer", at: clock.now() },
			]);
		},
	),

	rule("D6: a row to be tried later holds what is behind it, and no other address", async ({ backend, clock }) => {
		await say(backend, A, [row("1"), row("2")]);
		await say(backend, B, [row("other")]);
		await take(backend, A);
		const at = clock.now() + 13_938_000;
		await backend.mark(A, "sender", "1", { status: "retry", at, reason: "429" });
		expect(await take(backend, A)).toEqual({ outcome: "later", at });
		expect((await backend.view(A, { history: 0 })).outbox[0]).toMatchObject({ status: "pending", notBefore: at });
		expect(await send(backend, B)).toBe("other");
		await clock.advance(13_938_000);
		expect(await take(backend, A)).toEqual({ outcome: "row", row: row("1"), attempt: 2 });
		await backend.mark(A, "sender", "1", { status: "sent", platformId: "p" });
		expect(await send(backend, A)).toBe("2");
	}),

	rule("E1: a row whose sender died is unknown, never simply sent again", async ({ backend, clock }) => {
		await say(backend, A, [row("1"), row("2")]);
		await take(backend, A, "dead");
		expect((await take(backend, A, "two")).outcome).toBe("busy");
		await clock.advance(LEASE);
		expect(await take(backend, A, "two")).toEqual({ outcome: "unknown", row: row("1"), since: clock.now() });
		expect((await take(backend, A, "three")).outcome).toBe("busy");
		await backend.mark(A, "dead", "1", { status: "retry", at: 0, reason: "too late" });
		await backend.mark(A, "two", "1", { status: "ambiguous", reason: "its sender died" });
		expect(await take(backend, A, "two")).toMatchObject({ outcome: "row", row: { id: "2" } });
	}),

	rule("since when nobody knows of a row stays the same, whoever takes it next", async ({ backend, clock }) => {
		await say(backend, A, [row("1"), row("2")]);
		await take(backend, A, "dead");
		await clock.advance(LEASE);
		const since = clock.now();
		expect(await take(backend, A, "two")).toEqual({ outcome: "unknown", row: row("1"), since });
		await clock.advance(LEASE);
		expect(await take(backend, A, "three")).toEqual({ outcome: "unknown", row: row("1"), since });
		await backend.mark(A, "three", "1", { status: "retry", at: 0, reason: "not there" });
		expect(await take(backend, A, "three")).toMatchObject({ outcome: "row", attempt: 2 });
		await clock.advance(LEASE);
		expect(await take(backend, A, "two")).toEqual({ outcome: "unknown", row: row("1"), since: clock.now() });
	}),

	rule("a right to a row lasts as long as it is renewed, and is nobody's who lost it", async ({ backend, clock }) => {
		await say(backend, A, [row("1"), row("2")]);
		const keep = (owner: string) => backend.keep(A, { owner, leaseMs: LEASE });
		expect(await keep("one")).toBe(false);
		await take(backend, A, "one");
		await clock.advance(LEASE - 1);
		expect([await keep("one"), await keep("two")]).toEqual([true, false]);
		expect(await take(backend, A, "two")).toEqual({ outcome: "busy", until: clock.now() + LEASE });
		await clock.advance(2 * LEASE);
		expect(await keep("one")).toBe(true);
		expect((await take(backend, A, "two")).outcome).toBe("busy");
		await clock.advance(LEASE);
		expect((await take(backend, A, "two")).outcome).toBe("unknown");
		expect([await keep("one"), await keep("two")]).toEqual([false, true]);
		await backend.mark(A, "two", "1", { status: "ambiguous", reason: "its sender died" });
		expect(await keep("two")).toBe(false);
		expect(await take(backend, A, "three")).toMatchObject({ outcome: "row", row: { id: "2" } });
	}),

	rule("what became of a row is taken from whoever has it, however late", async ({ backend, clock }) => {
		await say(backend, A, [row("1")]);
		await take(backend, A, "one");
		await clock.advance(20 * LEASE);
		await backend.mark(A, "one", "1", { status: "sent", platformId: "p" });
		expect(await backend.view(A, { history: 0 })).toMatchObject({ outbox: [], marks: [] });
	}),

	rule("B7: after a restart a pending row is sent, one that was being sent is unknown", async (bench) => {
		await say(bench.backend, A, [row("1")]);
		await say(bench.backend, B, [row("2")]);
		await take(bench.backend, A, "dead");
		await bench.restart();
		await bench.clock.advance(LEASE);
		expect(await take(bench.backend, A)).toMatchObject({ outcome: "unknown", row: row("1") });
		expect(await take(bench.backend, B)).toEqual({ outcome: "row", row: row("2"), attempt: 1 });
	}),

	rule("I1: words of an agent who no longer owns the call are not sent, and stay visible", async ({ backend }) => {
		await say(backend, A, [row("1"), row("2")], { fresh: true });
		await backend.amend(A, { owner: "human" });
		await backend.amend(A, { say: [row("3", { by: "human", epoch: 1 })] });
		expect(await take(backend, A)).toMatchObject({ outcome: "discarded", row: { id: "1" } });
		expect(await take(backend, A)).toMatchObject({ outcome: "discarded", row: { id: "2" } });
		expect(await send(backend, A)).toBe("3");
		const { marks, record: stored } = await backend.view(A, { history: 0 });
		expect(marks.map(({ row: { id }, status }) => [id, status])).toEqual([
			["1", "discarded"],
			["2", "discarded"],
		]);
		expect(stored).toMatchObject({ owner: "human", epoch: 1 });
	}),

	rule(
		"I1: words withheld at the last moment are not history, unless a piece of them was sent",
		async ({ backend }) => {
			const text = (id: string) =>
				({ role: "said", id, part: { kind: "text", text: id }, by: "model", at: 0 }) as const;
			const part = { kind: "choices", text: "When? \ud83d", choices: [{ id: "tue", label: "Tuesday" }] } as const;
			const offer = { role: "said", id: "call-1.1.3", part, by: "code", at: 0 } as const;
			const append = [user("m1"), text("call-1.1.1"), text("call-1.1.2"), offer, text("call-1.1.4")];
			const rows = ["call-1.1.1.0", "call-1.1.1.1", "call-1.1.2.0", "call-1.1.3.0", "call-1.1.4.0", "call-1.1.4.1"];
			await say(
				backend,
				A,
				rows.map((id) => row(id)),
				{ fresh: true, append, record: record({ state: { broken: "\ud83d" } }) },
			);
			await send(backend, A);
			const human = { role: "said", id: "h1", part: { kind: "text", text: "I am Eva" }, by: "human", at: 0 } as const;
			await backend.amend(A, { owner: "human", say: [row("h1.0", { by: "human" })], append: [human] });
			for (const id of rows.slice(1))
				expect(await take(backend, A)).toMatchObject({ outcome: "discarded", row: { id } });
			expect(await send(backend, A)).toBe("h1.0");
			const left = [user("m1"), text("call-1.1.1"), human];
			expect(await backend.view(A, { history: 10 })).toMatchObject({ history: left, record: { rows: 3 } });
			await backend.amend(A, { owner: "agent", append: [text("call-1.1.5")] });
			await acceptAll(backend, message(A, "m2"));
			const got = await claimed(backend, A, "one", { window: 3 });
			expect(got.history).toEqual([text("call-1.1.1"), human, text("call-1.1.5")]);
			expect(got.record).toMatchObject({ rows: 4 });
		},
	),

	rule("I1: words of a call that is over take nothing from the history of the next", async ({ backend }) => {
		const text = (id: string) => ({ role: "said", id, part: { kind: "text", text: id }, by: "model", at: 0 }) as const;
		await say(backend, A, [row("call-1.1.1.0")], { fresh: true, append: [text("call-1.1.1")] });
		const next = record({ id: "call-2" });
		await say(backend, A, [row("call-2.1.1.0")], { fresh: true, append: [text("call-2.1.1")], record: next });
		await backend.amend(A, { owner: "human" });
		expect(await take(backend, A)).toMatchObject({ outcome: "discarded", row: { id: "call-1.1.1.0" } });
		expect((await backend.view(A, { history: 10 })).history).toEqual([text("call-2.1.1")]);
		expect(await take(backend, A)).toMatchObject({ outcome: "discarded", row: { id: "call-2.1.1.0" } });
		expect(await backend.view(A, { history: 10 })).toMatchObject({ history: [], record: { rows: 0 } });
	}),

	rule("I1: words decided by a turn during which a human took over are not sent", async ({ backend }) => {
		await say(backend, A, [], { fresh: true, ...followedBy(occurrence(A, "o1")) });
		await acceptAll(backend, message(A, "m2"));
		const { lease } = await claimed(backend, A);
		await backend.amend(A, { owner: "human" });
		await backend.settle(
			lease,
			settlement(3, { record: record({ turns: 2, epoch: 1, owner: "human" }), outbox: [row("1", { epoch: 1 })] }),
		);
		expect(await take(backend, A)).toMatchObject({ outcome: "discarded", row: { id: "1" } });
	}),

	rule("what a human said is sent even when the call is given back first", async ({ backend }) => {
		await say(backend, A, [], { fresh: true, ...followedBy(occurrence(A, "o1")) });
		await backend.amend(A, { owner: "human", say: [row("1", { by: "human", epoch: 1 })] });
		await backend.amend(A, { owner: "agent" });
		expect(await send(backend, A)).toBe("1");
		expect((await backend.view(A, { history: 0 })).record).toMatchObject({ owner: "agent", epoch: 2 });
	}),

	rule("E4: what a human said is said once, however often it is asked for", async ({ backend }) => {
		await say(backend, A, [], { fresh: true, ...followedBy(occurrence(A, "o1")) });
		const change = { owner: "human", say: [row("1", { by: "human", epoch: 1 })], append: [user("h1")] } as const;
		expect(await backend.amend(A, change)).toBe("made");
		expect(await backend.amend(A, change)).toBe("repeated");
		await backend.amend(A, { owner: "agent" });
		expect(await backend.amend(A, change)).toBe("repeated");
		const { outbox, history, record: stored } = await backend.view(A, { history: 10 });
		expect(outbox).toHaveLength(1);
		expect(history).toEqual([user("h1")]);
		expect(stored).toMatchObject({ owner: "agent", epoch: 2, rows: 1 });
	}),

	rule("I3: an owner changed under one epoch is not changed again by whoever saw that one", async ({ backend }) => {
		await say(backend, A, [], { fresh: true, ...followedBy(occurrence(A, "o1")) });
		const note = { role: "note", text: "given back", at: 0 } as const;
		await backend.amend(A, { owner: "human" });
		const change = { epoch: 1, owner: "agent", append: [note] } as const;
		expect(await backend.amend(A, change)).toBe("made");
		expect(await backend.amend(A, change)).toBe("late");
		await backend.amend(A, { owner: "human" });
		expect(await backend.amend(A, change)).toBe("late");
		const { history, record: stored } = await backend.view(A, { history: 10 });
		expect(history).toEqual([note]);
		expect(stored).toMatchObject({ owner: "human", epoch: 3, rows: 1 });
	}),

	rule(
		"E2: a row that failed goes out again under a new id, behind what waits, and its mark is gone",
		async (bench) => {
			const { backend } = bench;
			await say(backend, A, [row("1", { answers: { id: "p7" } }), row("2")]);
			await say(backend, B, [row("other")]);
			await take(backend, A);
			await backend.mark(A, "sender", "1", { status: "failed", reason: "blocked" });
			expect(await backend.list({ limit: 10, only: "marked" })).toEqual([A]);
			expect(await backend.resend(A, "1", "1~2")).toBe(true);
			expect(await backend.list({ limit: 10, only: "marked" })).toEqual([]);
			expect((await backend.view(A, { history: 0 })).marks).toEqual([]);
			expect(await send(backend, A)).toBe("2");
			const again = row("1~2", { payload: row("1").payload, answers: { id: "p7" } });
			expect(await take(backend, A)).toEqual({ outcome: "row", row: again, attempt: 1 });
		},
	),

	rule("E2: the order to send again is carried out once, and only for a row that has a mark", async ({ backend }) => {
		await say(backend, A, [row("1")]);
		expect(await backend.resend(A, "1", "1~2")).toBe(false);
		await take(backend, A);
		await backend.mark(A, "sender", "1", { status: "ambiguous", reason: "no answer" });
		expect(await backend.resend(A, "1", "1~2")).toBe(true);
		expect(await backend.resend(A, "1", "1~2")).toBe(true);
		expect((await backend.view(A, { history: 0 })).outbox).toHaveLength(1);
		expect(await backend.resend(B, "1", "1~2")).toBe(false);
	}),

	rule("E2: what is sent again by order is sent whoever owns the call by now", async ({ backend }) => {
		await say(backend, A, [row("1"), row("2")], { fresh: true });
		await take(backend, A);
		await backend.mark(A, "sender", "1", { status: "failed", reason: "blocked" });
		await backend.amend(A, { owner: "human" });
		expect(await take(backend, A)).toMatchObject({ outcome: "discarded", row: { id: "2" } });
		await backend.resend(A, "1", "1~2");
		expect(await take(backend, A)).toMatchObject({ outcome: "row", row: { id: "1~2", epoch: 1 } });
		expect(await backend.list({ limit: 10, only: "marked" })).toEqual([A]);
	}),

	rule("what follows a turn comes in once its last row has left, however it left", async ({ backend }) => {
		await say(backend, A, [row("1"), row("2")], { ...followedBy(occurrence(A, "o1")) });
		await say(backend, A, [row("3")], { ...followedBy(occurrence(A, "o2")) });
		await send(backend, A);
		expect(await waitingIds(backend, A)).toEqual([]);
		await take(backend, A);
		await backend.mark(A, "sender", "2", { status: "failed", reason: "blocked" });
		expect(await waitingIds(backend, A)).toEqual(["o1"]);
		await send(backend, A);
		expect(await waitingIds(backend, A)).toEqual(["o1", "o2"]);
	}),

	rule("what follows a turn that says nothing comes in at once", async ({ backend }) => {
		await say(backend, A, [row("1")]);
		await say(backend, A, [], { ...followedBy(occurrence(A, "o1")) });
		expect(await waitingIds(backend, A)).toEqual(["o1"]);
	}),

	rule("what follows a turn comes in even when the inbox is full", async ({ backend }) => {
		await say(backend, A, [row("1")], { ...followedBy(occurrence(A, "o1")) });
		await backend.accept(message(A, "m1"), { inbox: 1, dedupeMs: 1 });
		await send(backend, A);
		expect(await waitingIds(backend, A)).toEqual(["m1", "o1"]);
	}),
];
