import { Agent, CallboardError, stages, state, tool } from "callboard";
import { describe, expect, test } from "vitest";
import { facts, loggedError, manifestOf, open, refusalOf } from "./opening.js";

interface Slot {
	id: string;
	at: string;
}

let gate: () => Promise<void> = async () => {};
let kept: Slot[] = [];

class Desk extends Agent {
	stage = stages("greet", "quote", "booked");
	slots: Slot[] = [];
	patient?: { name: string; tags: string[] } | undefined;
	note: string | undefined = "first";
	#asked = 0;

	get known() {
		return this.patient !== undefined;
	}

	@tool({ doc: "Finds slots." })
	async find() {
		this.#asked += 1;
		this.slots = [
			{ id: "s1", at: "10:00" },
			{ id: "s2", at: "11:00" },
		];
		await gate();
		this.slots.push({ id: "s3", at: "12:00" });
		this.stage = "quote";
		return this.#count();
	}

	#count() {
		return { slots: this.slots.length, asked: this.#asked };
	}

	@tool({ doc: "Throws after writing." })
	fails() {
		this.slots.push({ id: "x", at: "13:00" });
		this.call.say("never said");
		throw new Error("that hour is taken; offer another");
	}

	@tool({ doc: "Nothing." })
	nothing() {}

	@tool({ doc: "Puts a stage there is not.", effect: "read" })
	strays() {
		this.patient = { name: "Ana", tags: [] };
		this.stage = "qoute" as never;
	}

	@tool({ doc: "Leaves a timer." })
	leaves() {
		kept = this.slots;
		gate().then(() => {
			this.slots = [];
			kept.push({ id: "late", at: "late" });
			kept[0]!.at = "late";
			kept.length = 0;
			Object.defineProperty(kept, 0, { get: () => 1 });
			(this as unknown as { slotz: number }).slotz = 1;
			this.restore({ slots: [] });
		});
		return "left";
	}

	@tool({ doc: "Writes a field that is none." })
	undeclared() {
		(this as unknown as { slotz: number }).slotz = 1;
	}

	@tool({ doc: "Forgets." })
	forgets() {
		this.note = undefined;
	}

	render() {
		return `${this.stage}: ${this.slots.map(({ at }) => at).join()}`;
	}
}

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

	test("G14: a state of an older class: unknown fields are dropped, new ones begin anew, a lost stage too", () => {
		const { session, log } = open(Desk, undefined, { state: { stage: "gone", old: 1, slots: [] } });
		expect(session.snapshot()).toEqual({ stage: "greet", slots: [], note: "first" });
		expect(log.events()).toEqual(["state.dropped", "state.stage"]);
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

describe("case 5: writes without an author", () => {
	test("outside of any tool they throw, naming the field", async () => {
		class Loose extends Agent {
			stage = stages("a", "b");
			slots: string[] = [];
			get sneaky() {
				this.slots = ["x"];
				return 1;
			}
			@tool({
				doc: "Shown never.",
				when: (s) => {
					s.slots.push("x");
					return true;
				},
			})
			never() {}
			render() {
				this.slots.push("x");
				return "";
			}
		}
		const { session, log } = open(Loose);
		const error = await refusalOf(() => session.render());
		expect(error.code).toBe("UNAUTHORED_WRITE");
		expect(error.message).toContain("Loose.slots");
		expect(session.visibility()).toEqual([{ tool: "never", visible: false, why: "when() failed" }]);
		expect(session.readable()).toEqual({ stage: "a", slots: [] });
		expect(log.events()).toEqual(["tool.when", "state.getter"]);
		expect(session.snapshot()).toEqual({ stage: "a", slots: [] });
	});

	test("after the tool returned they are logged and refused without a throw, nested ones too", async () => {
		let release = () => {};
		gate = () => new Promise((resolve) => (release = resolve));
		const { use, session, log, clock } = open(Desk, undefined, {
			state: { stage: "quote", slots: [{ id: "s1", at: "10:00" }], note: "first" },
		});
		expect((await use("leaves")).status).toBe("ok");
		release();
		await clock.settle();
		gate = async () => {};
		expect(session.snapshot()).toEqual({ stage: "quote", slots: [{ id: "s1", at: "10:00" }], note: "first" });
		const written = log.lines.filter(({ event }) => event === "state.unauthored");
		expect(written.length).toBeGreaterThanOrEqual(7);
		expect(written.every(({ fields }) => fields.author === "leaves")).toBe(true);
		expect(new Set(written.map(({ fields }) => fields.field))).toEqual(
			new Set(["slots", "slotz", "stage", "patient", "note"]),
		);
		expect(written[0]?.fields.code).toBe("UNAUTHORED_WRITE");
	});

	test("an object kept from an earlier tool cannot be changed by a later one or from outside", async () => {
		let stored: { a: number } | undefined;
		class Keeper extends Agent {
			thing = { a: 1 };
			@tool({ doc: "Keeps." })
			keep() {
				stored = this.thing;
			}
			@tool({ doc: "Uses what was kept." })
			use() {
				stored!.a = 2;
			}
		}
		const { use, log, session } = open(Keeper);
		await use("keep");
		expect((await use("use")).status).toBe("failed");
		expect(loggedError(log).code).toBe("UNAUTHORED_WRITE");
		expect((await refusalOf(() => (stored!.a = 3))).code).toBe("UNAUTHORED_WRITE");
		expect(session.snapshot()).toEqual({ thing: { a: 1 } });
	});

	test("a write between two awaits has the tool's name, also from a helper and a timer it waits for", async () => {
		class Waiting extends Agent {
			steps: string[] = [];
			private async step(name: string) {
				await Promise.resolve();
				this.steps.push(name);
			}
			@tool({ doc: "Works." })
			async work() {
				await this.step("one");
				await new Promise<void>((resolve) => setImmediate(() => this.step("two").then(resolve)));
				await Promise.all([this.step("three"), this.step("four")]);
			}
		}
		const outcome = await open(Waiting).use("work");
		expect(outcome.changes).toMatchObject([{ author: "work", next: ["one", "two", "three", "four"] }]);
	});

	test("where the context is lost, an object in hand can still be written, the fields cannot", async () => {
		let later: (() => void) | undefined;
		class Lost extends Agent {
			list: string[] = [];
			fields = "";
			@tool({ doc: "Waits." })
			async wait() {
				const { list } = this;
				await new Promise<void>((resolve, reject) => {
					later = () => {
						list.push("through the object");
						try {
							this.fields = "through this";
							reject(new Error("it was taken"));
						} catch {
							resolve();
						}
					};
				});
			}
		}
		const { use } = open(Lost);
		const running = use("wait");
		later?.();
		expect((await running).changes).toMatchObject([{ field: "list", next: ["through the object"], author: "wait" }]);
	});

	test("restore, startIn and collapse are refused outside", async () => {
		let instance: Agent | undefined;
		class Outside extends Agent {
			a = 1;
			@tool({ doc: "Shows itself." })
			show() {
				instance = this;
			}
		}
		await open(Outside).use("show");
		const loose = instance as unknown as Record<string, (value: unknown) => void>;
		for (const [name, value] of [
			["restore", { a: 2 }],
			["startIn", { a: 2 }],
			["collapse", "words"],
		] as const) {
			expect((await refusalOf(() => loose[name]?.call(instance, value))).code).toBe("UNAUTHORED_WRITE");
		}
	});
});

describe("case 16: time", () => {
	let seen: { aborted: boolean; late?: unknown } = { aborted: false };
	const slow = (effect: "once" | "read") => {
		class Slow extends Agent {
			a = 0;
			@tool({ doc: "Slow.", timeout: 1, effect })
			async slow() {
				const { signal } = this.call;
				this.a = 1;
				await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
				seen = { aborted: signal.aborted };
				this.a = 2;
				this.call.say("too late");
				return "late";
			}
		}
		return Slow;
	};

	test("a tool out of time fails at its second, is aborted, and neither its return nor its writes count", async () => {
		const { run, session, clock, log } = open(slow("read"));
		const began = clock.now();
		const running = run("slow");
		let at = 0;
		running.then(() => (at = clock.now() - began));
		await clock.advance(999);
		expect(at).toBe(0);
		await clock.advance(2000);
		const outcome = await running;
		expect(at).toBe(1000);
		expect(outcome).toMatchObject({ status: "timeout", result: null, changes: [], acts: [] });
		expect(outcome.content).toContain("slow did not answer within 1 s");
		expect(seen.aborted).toBe(true);
		expect(session.snapshot()).toEqual({ a: 0 });
		expect(log.events()).toEqual(["tool.unfinished", "state.unauthored", "call.ignored"]);
		expect(clock.pending).toBe(0);
	});

	test("for a tool that may run only once the outcome is unknown, and the model is told not to repeat it", async () => {
		const { run, clock } = open(slow("once"));
		const running = run("slow");
		await clock.advance(1000);
		const outcome = await running;
		expect(outcome.status).toBe("unknown");
		expect(outcome.content).toContain("its outcome is unknown");
		expect(outcome.content).toContain("Do not call it again");
	});

	test("a turn that is stopped stops its tools: unknown for once, failed for the others", async () => {
		for (const [effect, status] of [
			["once", "unknown"],
			["read", "failed"],
		] as const) {
			const { session } = open(slow(effect));
			const controller = new AbortController();
			const running = session.run([{ id: "c1", tool: "slow", args: {}, key: "k" }], {
				msgId: "m",
				signal: controller.signal,
			});
			controller.abort(new Error("lease lost"));
			expect((await running)[0]?.status).toBe(status);
			const again = await session.run([{ id: "c1", tool: "slow", args: {}, key: "k" }], {
				msgId: "m",
				signal: controller.signal,
			});
			expect(again[0]?.status).toBe(status);
		}
	});

	test("a rejection that comes after the time is up harms nobody", async () => {
		class Late extends Agent {
			@tool({ doc: "Late.", timeout: 1 })
			async late() {
				await new Promise<void>((_resolve, reject) =>
					this.call.signal.addEventListener("abort", () => reject(new Error("late"))),
				);
			}
		}
		const { run, clock } = open(Late);
		const running = run("late");
		await clock.advance(1000);
		await running;
		await clock.settle();
	});
});

describe("results", () => {
	class Rows extends Agent {
		slots: number[] = [];
		@tool({ doc: "Rows.", preview: 2 })
		rows() {
			this.slots = [1, 2, 3, 4, 5];
			return this.slots;
		}
		@tool({ doc: "Few.", preview: 2 })
		few() {
			return [1, 2];
		}
		@tool({ doc: "Null." })
		none() {
			return null;
		}
		@tool({ doc: "Nothing." })
		nothing() {}
		@tool({ doc: "A map.", effect: "idempotent" })
		map() {
			this.slots = [9];
			return { found: new Map() };
		}
		@tool({ doc: "A class.", effect: "idempotent" })
		instance() {
			return new (class Patient {
				name = "Ana";
			})();
		}
		@tool({ doc: "A date." })
		date() {
			return { at: new Date(0) };
		}
	}

	test("a result that no model could read is cut, and says so; what the tool kept of it stays whole", async () => {
		class Archive extends Agent {
			length = 0;
			@tool({ doc: "All of it.", effect: "read" })
			all() {
				const text = "x".repeat(300_000);
				this.length = text.length;
				return text;
			}
		}
		const { use, session } = open(Archive);
		const { content, status, result } = await use("all");
		expect(status).toBe("ok");
		expect(result).toHaveLength(300_000);
		const { cut, beginning } = JSON.parse(content) as { cut: string; beginning: string };
		expect(cut).toBe("too long to be shown: these are the first 100000 of 300002 characters");
		expect(beginning).toHaveLength(100_000);
		expect(session.snapshot()).toEqual({ length: 300_000 });
	});

	test("case 17: preview cuts rows for the model, keeps all for the state, and the log says how many", async () => {
		const { use, session, log } = open(Rows);
		const outcome = await use("rows");
		expect(outcome.result).toEqual([1, 2, 3, 4, 5]);
		expect(JSON.parse(outcome.content)).toEqual({ rows: [1, 2], total: 5 });
		expect(outcome.total).toBe(5);
		expect(session.snapshot().slots).toHaveLength(5);
		expect(log.lines).toMatchObject([{ event: "tool.preview", fields: { tool: "rows", total: 5, cut: 3 } }]);
		const few = await use("few");
		expect([few.content, few.total]).toEqual(["[1,2]", undefined]);
	});

	test("null stays null, nothing is told as done, dates as text", async () => {
		const { use } = open(Rows);
		expect((await use("none")).content).toBe("null");
		expect(await use("nothing")).toMatchObject({ result: null, content: '{"ok":true}' });
		expect((await use("date")).result).toEqual({ at: "1970-01-01T00:00:00.000Z" });
	});

	test("a result that is no JSON fails the tool, and its writes are discarded", async () => {
		const { use, session } = open(Rows);
		for (const name of ["map", "instance"]) {
			expect(await use(name)).toMatchObject({ status: "failed", changes: [], result: null });
		}
		expect(session.snapshot().slots).toEqual([]);
	});
});

describe("what the model is told of a throw", () => {
	class NoSlot extends Error {}
	const throwing: Record<string, unknown> = {
		sentence: new Error("ask for another day"),
		text: "ask for another hour",
		model: new CallboardError("SLOT_TAKEN", "model", "the slot is taken"),
		typeError: new TypeError("Cannot read properties of undefined (reading 'secret')"),
		system: Object.assign(new Error("connect ECONNREFUSED 10.0.0.7:5432"), { code: "ECONNREFUSED" }),
		author: new CallboardError("BROKEN", "author", "secret of the author"),
		own: new NoSlot("secret of a class"),
		nothing: undefined,
		empty: new Error(""),
	};
	class Thrower extends Agent {
		@tool({ doc: "Throws." })
		throws(what: string) {
			throw throwing[what];
		}
	}
	const { run, log } = open(Thrower, manifestOf({ throws: ["what"] }));

	test.each([
		["sentence", "ask for another day"],
		["text", "ask for another hour"],
		["model", "the slot is taken"],
	])("a %s that its author wrote for it is told word for word", async (what, words) => {
		expect(await run("throws", { what })).toMatchObject({
			status: "failed",
			content: JSON.stringify({ error: words }),
		});
	});

	test.each(["typeError", "system", "author", "own", "nothing", "empty"])(
		"of a %s it hears only that it did not work; the log has the details",
		async (what) => {
			const before = log.lines.length;
			const { content } = await run("throws", { what });
			expect(JSON.parse(content)).toEqual({
				error: "throws did not work, for a technical reason; say so, or go on without it",
			});
			expect(log.lines.slice(before)).toMatchObject([{ event: "tool.failed", fields: { error: throwing[what] } }]);
		},
	);
});

describe("runs beside each other", () => {
	test("each sees the state as it was and none of the other's writes; outcomes come in request order", async () => {
		class Reads extends Agent {
			log: string[] = [];
			@tool({ doc: "Reads.", effect: "read" })
			async read(name: string) {
				this.log.push(name);
				await new Promise((resolve) => setImmediate(resolve));
				return this.log;
			}
		}
		const { session } = open(Reads, manifestOf({ read: ["name"] }));
		const call = (id: string) => ({ id, tool: "read", args: { name: id }, key: id });
		const outcomes = await session.run([call("a"), call("b")], { msgId: "m", signal: new AbortController().signal });
		expect(outcomes.map(({ id, result }) => [id, result])).toEqual([
			["a", ["a"]],
			["b", ["b"]],
		]);
		expect(outcomes.flatMap(({ changes }) => changes.map(({ seq }) => seq))).toEqual([1, 2]);
	});

	test("a tool that does not exist is an outcome, not a throw", async () => {
		expect(await open(Desk).run("nope")).toMatchObject({ status: "failed", tool: "nope" });
	});

	test("arguments come by name and go by position, and are the tool's own", async () => {
		const args = { day: "tue", who: { name: "Ana" } };
		class Takes extends Agent {
			@tool({ doc: "Takes." })
			take(who: { name: string }, day: string, more?: string) {
				who.name = "changed";
				return [who, day, more ?? null];
			}
		}
		const { run } = open(Takes, manifestOf({ take: ["who", "day", "more"] }));
		expect((await run("take", args)).result).toEqual([{ name: "changed" }, "tue", null]);
		expect(args.who.name).toBe("Ana");
	});
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

describe("this.call", () => {
	test("its facts are readable in render, getters and when", () => {
		class Where extends Agent {
			get channel() {
				return this.call.channel;
			}
			@tool({ doc: "Web only.", when: (s) => s.call.transport === "chat" })
			web() {}
			render() {
				return this.call.from;
			}
		}
		const { session } = open(Where);
		expect([session.render(), session.readable(), session.visibility()]).toEqual([
			facts.from,
			{ channel: "web" },
			[{ tool: "web", visible: true }],
		]);
	});
});
