import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Conversation } from "../../channels/web/client/conversation.js";
import type { Entry, ServerFrame } from "../../channels/web/protocol.js";

function store(kept: Record<string, string> = {}) {
	return {
		get: (key: string) => kept[key],
		set: (key: string, value: string | undefined) => {
			if (value === undefined) delete kept[key];
			else kept[key] = value;
		},
	};
}

function agent(id: string): Entry {
	return { id, from: "agent", at: 0, part: { kind: "text", text: id } };
}

function visitor(id: string): Entry {
	return { id, from: "visitor", at: 0, text: id };
}

function history(entries: Entry[], more: Partial<Extract<ServerFrame, { type: "history" }>> = {}): ServerFrame {
	return { type: "history", entries, waiting: [], typing: false, ended: false, owner: "agent", ...more };
}

function ids(conversation: Conversation): string[] {
	return conversation.lines.map(({ id }) => id);
}

describe("the conversation on the page", () => {
	test("sends what was said until it is acknowledged, over a reload too", () => {
		const kept = {};
		const page = new Conversation(store(kept));
		page.say("u1", { kind: "text", text: "One" }, 1);
		page.say("u2", { kind: "choice", choice: "b", text: "Book", of: "a1" }, 2);
		page.apply({ type: "ack", id: "u1" });
		const reloaded = new Conversation(store(kept));
		expect(reloaded.unsent).toEqual([
			{ type: "message", id: "u2", content: { kind: "choice", choice: "b", text: "Book", of: "a1" } },
		]);
		reloaded.apply({ type: "message", entry: visitor("u2") });
		expect(new Conversation(store(kept)).unsent).toEqual([]);
	});

	test("opens an untouched conversation once, and not when something was said already", () => {
		const page = new Conversation(store());
		page.apply(history([], { open: "o1" }));
		expect(page.unsent).toEqual([{ type: "message", id: "o1", content: { kind: "open" } }]);
		page.apply({ type: "ack", id: "o1" });
		expect(page.unsent).toEqual([]);
		const eager = new Conversation(store());
		eager.say("u1", { kind: "text", text: "Hi" }, 1);
		eager.apply(history([], { open: "o1" }));
		expect(eager.unsent.map(({ id }) => id)).toEqual(["u1"]);
	});

	test("puts a history before what has not reached the server, and after what is older", () => {
		const page = new Conversation(store());
		page.apply(history([agent("a0"), visitor("u0")]));
		page.say("u2", { kind: "text", text: "u2" }, 1);
		page.apply(history([visitor("u1"), agent("a1")], { since: "a0", waiting: [visitor("u3")] }));
		expect(ids(page)).toEqual(["a0", "u0", "u1", "a1", "u3", "u2"]);
		expect(page.last).toBe("a1");
	});

	test("shows a draft again after a reconnect, and the part in its place", () => {
		const page = new Conversation(store());
		page.apply({ type: "draft", turn: "c.1", text: "Hel" });
		page.apply(history([], { draft: { turn: "c.1", text: "Hello" } }));
		expect(page.draft?.text).toBe("Hello");
		page.apply({ type: "part", entry: agent("c.1.0.0"), ends: "c.1" });
		page.apply({ type: "part", entry: agent("c.1.0.0"), ends: "c.1" });
		expect(page.draft).toBeUndefined();
		expect(ids(page)).toEqual(["c.1.0.0"]);
		page.apply({ type: "draft", turn: "c.2", text: "Gone" });
		page.apply(history([]));
		expect(page.draft).toBeUndefined();
	});

	test("keeps a refused message: again later for a while, or back to the writer for good", () => {
		const page = new Conversation(store());
		page.say("u1", { kind: "text", text: "One" }, 1);
		page.apply({ type: "error", code: "rate", id: "u1", message: "", retryAfterMs: 100 });
		expect(page.lines[0]).toMatchObject({ status: "sending", problem: "rate" });
		page.apply({ type: "ack", id: "u1" });
		expect(page.lines[0]).toEqual({ id: "u1", from: "visitor", at: 1, text: "One", status: "sent" });
		page.say("u2", { kind: "text", text: "Two" }, 2);
		page.apply({ type: "error", code: "too_long", id: "u2", message: "" });
		expect(page.lines[1]).toMatchObject({ status: "failed" });
		expect(page.unsent).toEqual([]);
		page.discard("u2");
		expect(ids(page)).toEqual(["u1"]);
	});

	test("reports each new line once", () => {
		const page = new Conversation(store());
		expect(page.apply(history([agent("a1")])).map(({ id }) => id)).toEqual(["a1"]);
		expect(page.apply({ type: "part", entry: agent("a1") })).toEqual([]);
		expect(page.apply(history([agent("a1"), agent("a2")])).map(({ id }) => id)).toEqual(["a2"]);
	});

	test("forgets a stranger's conversation, and keeps what still has to be sent", () => {
		const page = new Conversation(store());
		page.apply(history([agent("a1")]));
		page.say("u1", { kind: "text", text: "One" }, 1);
		page.reset();
		expect(ids(page)).toEqual(["u1"]);
		expect(page.last).toBeUndefined();
	});
});

describe("whatever the network does", () => {
	/** A server's truth that grows step by step, seen through a line that drops, repeats and reconnects. */
	const step = fc.oneof(
		fc.record({ do: fc.constant("answer" as const), heard: fc.boolean(), twice: fc.boolean() }),
		fc.record({ do: fc.constant("other tab" as const), heard: fc.boolean(), twice: fc.boolean() }),
		fc.record({ do: fc.constant("say" as const), heard: fc.boolean(), twice: fc.boolean() }),
		fc.record({ do: fc.constant("reconnect" as const), heard: fc.constant(true), twice: fc.boolean() }),
	);

	test("nothing is lost, nothing is there twice, and the order is the server's", () => {
		fc.assert(
			fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
				const page = new Conversation(store());
				const truth: Entry[] = [];
				const reconnect = () => {
					for (const { id } of page.unsent) {
						if (!truth.some((entry) => entry.id === id)) truth.push(visitor(id));
						page.apply({ type: "ack", id });
					}
					const known = truth.findIndex(({ id }) => id === page.last);
					page.apply(history(truth.slice(known + 1), known < 0 ? {} : { since: page.last ?? "" }));
				};
				page.apply(history([]));
				let connected = true;
				for (const [n, { do: what, heard, twice }] of steps.entries()) {
					const times = twice ? 2 : 1;
					if (!heard) connected = false;
					if (what === "reconnect") {
						for (let i = 0; i < times; i++) reconnect();
						connected = true;
					} else if (what === "say") {
						page.say(`u${n}`, { kind: "text", text: `u${n}` }, n);
						if (connected) {
							truth.push(visitor(`u${n}`));
							for (let i = 0; i < times; i++) page.apply({ type: "ack", id: `u${n}` });
						}
					} else {
						const entry = what === "answer" ? agent(`a${n}`) : visitor(`o${n}`);
						truth.push(entry);
						const type = what === "answer" ? "part" : "message";
						if (connected) for (let i = 0; i < times; i++) page.apply({ type, entry });
					}
				}
				reconnect();
				expect(ids(page)).toEqual(truth.map(({ id }) => id));
			}),
			{ numRuns: 500 },
		);
	});
});
