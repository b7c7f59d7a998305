import { Agent, stages, tool } from "callboard";
import { describe, expect, test } from "vitest";
import { manifestOf, open } from "./opening.js";

class Desk extends Agent {
	stage = stages("greet", "diagnose", "quote", "booked");
	slots: string[] = [];

	get offered() {
		return this.slots.length > 0;
	}

	@tool({ doc: "Finds the customer.", stage: "greet" })
	findCustomer() {
		this.stage = "diagnose";
	}

	@tool({ doc: "Free slots.", stage: ["diagnose", "quote"] })
	free() {
		this.slots = ["ten"];
		this.stage = "quote";
	}

	@tool({ doc: "Books.", stage: "quote", when: (s) => s.offered })
	book() {
		this.stage = "booked";
	}

	@tool({ doc: "Sells nothing any more.", stage: "quote" })
	soldOut() {
		this.slots = [];
	}

	@tool({ doc: "Hands over." })
	human() {}
}

const shown = (session: ReturnType<typeof open>["session"]) =>
	session.visibility().flatMap(({ tool, visible }) => (visible ? tool : []));

test("case 12: what a tool wrote decides what is visible as soon as it is applied", async () => {
	const { use, session } = open(Desk);
	expect(shown(session)).toEqual(["findCustomer", "human"]);
	await use("findCustomer");
	expect(shown(session)).toEqual(["free", "human"]);
	await use("free");
	expect(shown(session)).toEqual(["free", "book", "soldOut", "human"]);
	await use("soldOut");
	expect(shown(session)).toEqual(["free", "soldOut", "human"]);
});

test("a hidden tool comes with the reason, and stage and when must both hold", async () => {
	const { use, session } = open(Desk);
	expect(session.visibility()).toEqual([
		{ tool: "findCustomer", visible: true },
		{ tool: "free", visible: false, why: "stage is greet, it needs diagnose or quote" },
		{ tool: "book", visible: false, why: "stage is greet, it needs quote" },
		{ tool: "soldOut", visible: false, why: "stage is greet, it needs quote" },
		{ tool: "human", visible: true },
	]);
	await use("findCustomer");
	await use("free");
	await use("soldOut");
	expect(session.visibility()[2]).toEqual({ tool: "book", visible: false, why: "when() says no" });
});

test("a when that gives a promise hides the tool and is logged", () => {
	class Promising extends Agent {
		@tool({ doc: "Never.", when: (() => Promise.resolve(true)) as never })
		never() {}
		@tool({ doc: "Never.", when: (() => Promise.reject(new Error("no"))) as never })
		neither() {}
	}
	const { session, log } = open(Promising);
	expect(shown(session)).toEqual([]);
	expect(log.events()).toEqual(["tool.when", "tool.when"]);
});

test("a declaration tells how each tool is gated and what it needs", () => {
	const { declaration } = open(Desk);
	expect(declaration.stages).toEqual({ values: ["greet", "diagnose", "quote", "booked"], initial: "greet" });
	expect(declaration.getters).toEqual(["offered"]);
	expect(declaration.tools[2]).toMatchObject({
		name: "book",
		description: "Books.",
		parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
		strict: true,
		effect: "once",
		pii: [],
		timeoutMs: 30_000,
		stages: ["quote"],
		conditional: true,
		end: false,
	});
});

describe("inheritance", () => {
	class Base extends Agent {
		stage = stages("a", "b");
		trail: string[] = [];
		@tool({ stage: "a" })
		first() {
			this.trail.push("base");
		}
		@tool({ stage: "a" })
		second() {}
	}
	class Sub extends Base {
		extra = 1;
		override first() {
			super.first();
			this.trail.push("sub");
		}
		@tool({ stage: "b", effect: "read" })
		override second() {}
		@tool({ when: (s) => s.extra > 0 })
		third() {}
	}
	class Sibling extends Base {}
	const manifest = (extra: Record<string, readonly string[]> = {}) =>
		manifestOf({ first: [], second: [], ...extra }, { stages: ["a", "b"] });

	test("tools are inherited in order, an override keeps its place, and the parent stays as it was", async () => {
		const { declaration, use } = open(Sub, manifest({ third: [] }));
		expect(declaration.tools.map(({ name, stages, effect }) => [name, stages, effect])).toEqual([
			["first", ["a"], "once"],
			["second", ["b"], "read"],
			["third", undefined, "once"],
		]);
		expect((await use("first")).changes[0]?.next).toEqual(["base", "sub"]);
		const others = [Base, Sibling].map((Class) =>
			open(Class, manifest()).declaration.tools.map(({ stages }) => stages),
		);
		expect(others).toEqual([
			[["a"], ["a"]],
			[["a"], ["a"]],
		]);
	});
});

describe("warnings about stages", () => {
	const warnings = (Class: Parameters<typeof open>[0], tools: readonly string[]) =>
		open(Class, manifestOf(Object.fromEntries(tools.map((name) => [name, []])))).declaration.warnings;

	test("a class without a docstring is warned of, a good one is not", () => {
		expect(open(Desk).declaration.warnings).toEqual([
			"Desk has no docstring above the class, so the model is not told what it is",
		]);
		expect(warnings(Desk, ["findCustomer", "free", "book", "soldOut", "human"])).toEqual([]);
	});

	test("a stage that no tool leaves, one that none reaches, and a tool that is never shown", () => {
		class Trap extends Agent {
			stage = stages("greet", "stuck", "lost", "done");
			@tool({ stage: "greet" })
			go() {
				this.stage = "stuck";
			}
			@tool({ stage: "stuck" })
			look() {
				return this.stage === "stuck";
			}
			@tool({ stage: "lost" })
			never() {
				this.stage = "done";
			}
		}
		expect(warnings(Trap, ["go", "look", "never"])).toEqual([
			"Trap: no tool leaves the stage stuck, so a call that comes there stays there",
			"Trap: no tool or hook reaches the stage lost",
			"Trap: no tool or hook reaches the stage done",
			"Trap: tool never is never shown, its stages are not reached",
		]);
	});

	test("a way out through a helper, a choice, an event, an ending or a hand-over counts", () => {
		class Helped extends Agent {
			static events = { paid: { from: ["app"] } };
			stage = stages("a", "b", "c", "d", "e", "f");
			@tool({ stage: "a" })
			one() {
				this.advance();
			}
			private advance() {
				this.stage = this.call.from === "x" ? "b" : "c";
			}
			@tool({ stage: "b" })
			two() {
				this.call.forward("desk");
			}
			@tool({ stage: "c", end: true })
			three() {}
			@tool({ stage: "d" })
			four() {
				this.stage = "e";
			}
			onEvent() {
				this.stage = "d";
			}
		}
		expect(warnings(Helped, ["one", "two", "three", "four"])).toEqual(["Helped: no tool or hook reaches the stage f"]);
	});

	test("where the text does not tell where a stage goes, nothing is claimed", () => {
		class Computed extends Agent {
			stage = stages("a", "b", "c");
			@tool({ stage: "a" })
			go() {
				this.stage = (["b", "c"] as const)[0];
			}
		}
		class Named extends Agent {
			stage = stages("a", "b", "c");
			@tool({ stage: "a" })
			go() {
				this.startIn({ stage: "b" });
			}
		}
		class Hidden extends Agent {
			stage = stages("a", "b", "c");
			#go() {
				this.stage = "b";
			}
			@tool({ stage: "a" })
			go() {
				this.#go();
			}
		}
		for (const Class of [Computed, Named, Hidden]) expect(warnings(Class, ["go"])).toEqual([]);
	});

	test("events without a handler and a handler without events are warned of", () => {
		class Deaf extends Agent {
			static events = { paid: { from: ["app"] } };
		}
		class Idle extends Agent {
			onEvent() {}
		}
		expect(warnings(Deaf, [])).toEqual(["Deaf declares events but has no onEvent, so nothing comes of them"]);
		expect(warnings(Idle, [])).toEqual(["Idle has onEvent but no static events, so it never hears any"]);
	});

	test("a timer whose event is not declared for timers is warned of", () => {
		class Late extends Agent {
			static events = { paid: { from: ["app"] }, asked: { from: ["timer"] } };
			onEvent() {}
			@tool({ doc: "Goes." })
			go() {
				this.call.later({ in: 60 }, "paid");
				this.call.later({ in: 60 }, "asked", { again: true });
			}
		}
		expect(warnings(Late, ["go"])).toEqual([
			'Late sets a timer for paid, and nothing hears it: write static events = { paid: { from: ["timer"] } }',
		]);
	});
});
