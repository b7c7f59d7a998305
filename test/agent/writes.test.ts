import { Agent, state, tool } from "callboard";
import { describe, expect, test } from "vitest";
import { Desk } from "./desk-agent.js";
import { loggedError, open } from "./opening.js";

describe("writes", () => {
	test("every net change is recorded once per field with author, prev, next and time; deep changes too", async () => {
		const { use, session, clock } = open(Desk);
		const outcome = await use("find");
		expect(outcome.status).toBe("ok");
		expect(outcome.result).toEqual({ slots: 3, asked: 1 });
		const slots = [
			{ id: "s1", at: "10:00" },
			{ id: "s2", at: "11:00" },
			{ id: "s3", at: "12:00" },
		];
		expect(outcome.changes).toEqual([
			{ seq: 1, field: "slots", prev: [], next: slots, author: "find", at: clock.now() },
			{ seq: 2, field: "stage", prev: "greet", next: "quote", author: "find", at: clock.now() },
		]);
		expect(session.snapshot()).toEqual({ stage: "quote", slots, note: "first" });
		expect(session.readable()).toEqual({ stage: "quote", slots, note: "first", known: false });
		expect(session.render()).toBe("quote: 10:00,11:00,12:00");
	});

	test("case 7: one push is exactly one change with distinct prev and next", async () => {
		class Pusher extends Agent {
			slots: string[] = ["a"];
			@tool({ doc: "Adds." })
			add() {
				this.slots.push("b");
			}
		}
		const { use } = open(Pusher);
		expect((await use("add")).changes).toMatchObject([{ field: "slots", prev: ["a"], next: ["a", "b"] }]);
		expect((await use("add")).changes).toMatchObject([{ seq: 2, prev: ["a", "b"], next: ["a", "b", "b"] }]);
	});

	test("nothing is applied until it is, and what is applied is a copy", async () => {
		const { run, session } = open(Desk);
		const outcome = await run("find");
		expect(session.snapshot()).toEqual({ stage: "greet", slots: [], note: "first" });
		session.apply(outcome);
		(outcome.changes[0]!.next as unknown[]).pop();
		expect(session.snapshot().slots).toHaveLength(3);
	});

	test("a write that makes no difference is no change", async () => {
		class Same extends Agent {
			a = { b: [1, 2] };
			@tool({ doc: "Rewrites." })
			rewrite() {
				this.a = { b: [1, 2] };
				this.a.b.push(3);
				this.a.b.pop();
			}
		}
		expect((await open(Same).use("rewrite")).changes).toEqual([]);
	});

	test("case 8: what a tool wrote and said before it threw is discarded; its sentence goes to the model", async () => {
		const { use, session } = open(Desk);
		const outcome = await use("fails");
		expect(outcome).toMatchObject({ status: "failed", result: null, changes: [], acts: [] });
		expect(outcome.content).toBe('{"error":"that hour is taken; offer another"}');
		expect(session.snapshot().slots).toEqual([]);
	});

	test("what it says and asks of the call comes with its outcome", async () => {
		class Talker extends Agent {
			@tool({ doc: "Talks." })
			talk() {
				this.call.say("hello");
				this.collapse("They said hello.");
				return this.call.key;
			}
		}
		const outcome = await open(Talker).use("talk");
		expect(outcome.result).toBe("call-1.1");
		expect(outcome.acts).toEqual([
			{ act: "say", part: { kind: "text", text: "hello" } },
			{ act: "collapse", sentence: "They said hello." },
		]);
	});

	test("case 4: a stage that is none throws at the assignment; state and visible tools stay", async () => {
		const { use, session, log } = open(Desk);
		const before = session.visibility();
		const outcome = await use("strays");
		expect(outcome.status).toBe("failed");
		expect(outcome.content).toContain("error");
		expect(outcome.content).not.toContain("qoute");
		expect(session.snapshot()).toEqual({ stage: "greet", slots: [], note: "first" });
		expect(session.visibility()).toEqual(before);
		const failed = loggedError(log);
		expect(failed.code).toBe("NOT_A_STAGE");
		expect(failed.explain()).toBe(
			'"qoute" is no stage of Desk; did you mean "quote"?; its stages are greet, quote, booked',
		);
	});

	test("a field that the class does not declare is refused with a suggestion", async () => {
		const { use, log } = open(Desk);
		expect((await use("undeclared")).status).toBe("failed");
		const error = loggedError(log);
		expect(error.explain()).toContain(
			'Desk declares no field slotz, so nothing can be written to it; did you mean "slots"?',
		);
	});

	test("configuration cannot be written", async () => {
		class Configured extends Agent {
			greeting = "hello";
			@tool({ doc: "Changes it." })
			change() {
				this.greeting = "bye";
			}
		}
		const { use, log } = open(Configured);
		expect((await use("change")).status).toBe("failed");
		expect(loggedError(log).message).toContain("greeting of Configured is configuration");
	});

	test("state survives being stored, a field given undefined included", async () => {
		const first = open(Desk);
		await first.use("find");
		await first.use("forgets");
		const stored = JSON.parse(JSON.stringify(first.session.snapshot()));
		const second = open(Desk, undefined, { state: stored });
		expect(second.session.snapshot()).toEqual(stored);
		expect(second.session.readable().note).toBeUndefined();
		expect(second.session.render()).toBe("quote: 10:00,11:00,12:00");
	});

	test("G14: fields that only another version declares are carried along untouched, and warned of once; a lost stage begins anew", async () => {
		const stored = { stage: "gone", old: { n: [1] }, slots: [], $unset: ["note", "newer"] };
		class Older extends Desk {}
		const { declaration, session, log, use } = open(Older, undefined, { state: stored });
		expect(session.snapshot()).toEqual({ stage: "greet", old: { n: [1] }, slots: [], $unset: ["note", "newer"] });
		expect(session.readable()).not.toHaveProperty("old");
		expect(log.events()).toEqual(["state.carried", "state.carried", "state.stage"]);
		expect([stored, { stage: "quote" }, {}].map((state) => declaration.knows?.(state))).toEqual([false, true, true]);
		await use("find");
		expect(session.snapshot()).toMatchObject({ old: { n: [1] }, stage: "quote" });
	});

	test("G14: a state of an older class: fields that are new begin as the class says, others go on", () => {
		const { session } = open(Desk, undefined, { state: { stage: "greet", slots: ["9:00"] } });
		expect(session.snapshot()).toEqual({ stage: "greet", slots: ["9:00"], note: "first" });
	});

	test("G14: what a newer worker's cut turn wrote to a field of its own is carried too", () => {
		const { session } = open(Desk, undefined, { state: { stage: "greet", slots: [], note: "x" } });
		const change = { seq: 1, prev: undefined, author: "find", at: 0 };
		session.apply({ acts: [], changes: [{ ...change, field: "newer", next: [1] }] });
		session.apply({ acts: [], changes: [{ ...change, field: "gone", next: undefined }] });
		expect(session.snapshot()).toEqual({ stage: "greet", slots: [], note: "x", newer: [1], $unset: ["gone"] });
	});

	test("two sessions of one class share nothing", async () => {
		const a = open(Desk);
		const b = open(Desk);
		await a.use("find");
		expect(b.session.snapshot().slots).toEqual([]);
		expect((await b.use("find")).result).toEqual({ slots: 3, asked: 1 });
	});

	test("a value is copied when it is written, so shared data outside stays as it was", async () => {
		const shared = [{ id: "s1" }];
		class Sharing extends Agent {
			slots: { id: string }[] = [];
			@tool({ doc: "Takes." })
			take() {
				this.slots = shared;
				this.slots[0]!.id = "mine";
				this.slots.push({ id: "more" });
			}
		}
		await open(Sharing).use("take");
		expect(shared).toEqual([{ id: "s1" }]);
	});
});

test("a change to what a field was given, made behind its back, is lost and logged; one made through it is kept", async () => {
	class Behind extends Agent {
		booking?: { status: string };
		list: string[] = [];
		@tool({ doc: "Books." })
		book() {
			const booking = { status: "held" };
			this.booking = booking;
			booking.status = "paid";
			const list = ["a"];
			this.list = list;
			this.list.push("b");
			list.push("c");
		}
		@tool({ doc: "Keeps some." })
		keep() {
			this.list = this.list.filter((item) => item !== "a");
		}
	}
	const { use, session, log } = open(Behind);
	await use("book");
	await use("keep");
	expect(session.snapshot()).toEqual({ booking: { status: "held" }, list: ["b"] });
	expect(log.lines.map(({ event, fields }) => [event, fields.field])).toEqual([["state.lost", "booking"]]);
});

describe("scratch", () => {
	test("fields without @state are written by anyone, and stored by nobody", async () => {
		class Scratchy extends Agent {
			@state() kept = 0;
			scratch = new Map<string, number>();
			count = 0;
			@tool({ doc: "Counts." })
			add() {
				this.kept += 1;
				this.count += 1;
				this.scratch.set("a", this.count);
				return this.count;
			}
			render() {
				this.count += 1;
				return String(this.count);
			}
		}
		const { use, session } = open(Scratchy);
		await use("add");
		expect((await use("add")).result).toBe(2);
		expect(session.render()).toBe("3");
		expect(session.snapshot()).toEqual({ kept: 2 });
	});
});
