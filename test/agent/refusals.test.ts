import { Agent, type Stages, stages, state, tool } from "callboard";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { AgentClass } from "../../src/agent/agent.js";
import { declare } from "../../src/agent/declare.js";
import type { AgentManifest } from "../../src/schema/manifest.js";
import { manifestOf, refusalOf } from "./opening.js";

async function refused(Class: AgentClass, manifest?: AgentManifest): Promise<string> {
	const error = await refusalOf(() => declare(Class, manifest));
	expect(error.fault).toBe("author");
	return `${error.code} ${error.explain()}`;
}

/** What a plain JavaScript author could write, for whom nothing is checked before. */
const loose = (options: object) => tool(options as never);

describe("stages", () => {
	test("case 1: a misspelled stage in plain JavaScript is refused with tool, class, value, legal values and a suggestion", async () => {
		class Desk extends Agent {
			stage = stages("greet", "diagnose", "quote", "booked");
			@loose({ stage: "qoute", doc: "Free hours." })
			slots() {}
		}
		const said = await refused(Desk);
		expect(said).toContain("UNKNOWN_STAGE");
		for (const part of ["tool slots", "Desk", '"qoute"', 'did you mean "quote"?', "greet, diagnose, quote, booked"]) {
			expect(said).toContain(part);
		}
	});

	test("case 2: a stage on a class without a stage field is refused with the line to add", async () => {
		class ClinicaNorte extends Agent {
			@loose({ stage: "identify" })
			findPatient() {}
		}
		expect(await refused(ClinicaNorte, manifestOf({ findPatient: [] }))).toBe(
			"NO_STAGE_FIELD agents/desk/agent.tsx:7: tool findPatient: stage names a value of this agent's own stage field, and " +
				'ClinicaNorte declares none; add `stage: Stages<"…"> = "…"` to the class, or ask when(state) instead',
		);
	});

	test("a stage that the manifest does not know is refused in a tool and as a first value", async () => {
		class Desk extends Agent {
			stage: Stages<"greet" | "quote"> = "greet";
			@loose({ stage: ["greet", "quoted"] })
			slots() {}
		}
		expect(await refused(Desk, manifestOf({ slots: [] }, { stages: ["greet", "quote"] }))).toContain(
			'did you mean "quote"?',
		);
		class Other extends Agent {
			stage = "gret";
		}
		expect(await refused(Other, manifestOf({}, { stages: ["greet", "quote"] }))).toContain("NOT_A_STAGE");
	});

	test("a stage field without a first value is refused", async () => {
		class Desk extends Agent {
			stage?: "a" | "b";
		}
		expect(await refused(Desk, manifestOf({}, { stages: ["a", "b"] }))).toContain('write stage: Stages<"…"> = "a"');
	});

	test("stages() with something that is no word is refused", async () => {
		class Desk extends Agent {
			stage = stages("a", 3 as never);
		}
		expect(await refused(Desk)).toContain("BAD_STAGE");
	});

	test("a stage that is scratch because others are @state is refused", async () => {
		class Desk extends Agent {
			stage = stages("a", "b");
			@state() name = "";
		}
		expect(await refused(Desk)).toContain("write @state() before it");
	});

	test("stages that are named nowhere are taken from the tools, with a warning", () => {
		class Desk extends Agent {
			stage = "greet";
			@loose({ stage: "quote", doc: "Free hours." })
			slots() {}
		}
		const declaration = declare(Desk);
		expect(declaration.stages).toEqual({ values: ["greet", "quote"], initial: "greet" });
		expect(declaration.warnings.join()).toContain('write stage = stages("…")');
	});
});

describe("case 3: tools", () => {
	test("a tool without docstring is refused with class, method, file and line", async () => {
		class Desk extends Agent {
			@tool()
			book() {}
		}
		const known = manifestOf({ book: [] });
		const manifest = { ...known, tools: { book: { ...known.tools.book!, doc: "" } } };
		expect(await refused(Desk, manifest)).toBe(
			"NO_DOCSTRING agents/desk/agent.tsx:7: tool book of Desk has no docstring, and the model would not know what it is for; write /** what it does */ above book",
		);
	});

	test("names that a model cannot call are refused", async () => {
		class Dashed extends Agent {
			@tool({ doc: "Books." })
			"book-it"() {}
		}
		expect(await refused(Dashed)).toContain("BAD_TOOL_NAME");
		class Hidden extends Agent {
			@tool({ doc: "Books." })
			#book() {}
			call2() {
				this.#book();
			}
		}
		expect(await refused(Hidden)).toContain("make it a public method");
		class Symbolic extends Agent {
			@tool({ doc: "Books." })
			[Symbol.iterator]() {}
		}
		expect(await refused(Symbolic)).toContain("is symbol");
		class Taken extends Agent {
			@tool({ doc: "Renders." })
			render() {}
		}
		expect(await refused(Taken)).toContain("RESERVED_NAME");
	});

	test("pii that names no parameter is refused with the parameters there are", async () => {
		class Desk extends Agent {
			@tool({ pii: ["tel"] })
			find(phone: string) {
				return phone;
			}
		}
		const said = await refused(Desk, manifestOf({ find: ["phone"] }));
		expect(said).toContain('pii names "tel", which is no parameter');
		expect(said).toContain("it has phone");
	});

	test.each([
		[{ stge: "a" }, 'stge is no option of @tool; did you mean "stage"?'],
		[{ when: true }, "when is no function"],
		[{ when: async () => true }, "when is no function that answers at once"],
		[{ preview: 0 }, "preview is not a number of rows"],
		[{ timeout: -1 }, "timeout is not a number of seconds"],
		[{ effect: "onse" }, 'did you mean "once"?'],
		[{ end: "yes" }, "end is neither true nor false"],
		[{ pii: "phone" }, "pii is no list of parameter names"],
		[{ doc: "  " }, "doc says nothing"],
		[{ params: { phone: "string" } }, "params is no zod 4 schema"],
		[{ stage: [] }, "stage names no stage"],
		[{ stage: 3 }, "stage names no stage"],
	])("the option %o is refused", async (options, message) => {
		class Desk extends Agent {
			@loose({ doc: "Books.", ...options })
			book() {}
		}
		expect(await refused(Desk)).toContain(message);
	});

	test("a tool that the manifest does not know is refused as stale", async () => {
		class Desk extends Agent {
			@tool({ doc: "Books." })
			book() {}
		}
		expect(await refused(Desk, manifestOf({}))).toContain("run `callboard build` again");
	});

	test("parameters of unknown types are refused where there is no manifest", async () => {
		class Desk extends Agent {
			@tool({ doc: "Books." })
			book(hour: string) {
				return hour;
			}
		}
		expect(await refused(Desk)).toContain("give the tool zod `params`");
	});

	test("zod params need no manifest", () => {
		class Desk extends Agent {
			@tool({ doc: "Books.", params: z.object({ hour: z.string() }), pii: ["hour"] })
			book({ hour }: { hour: string }) {
				return hour;
			}
		}
		const [book] = declare(Desk).tools;
		expect(book?.parameters).toMatchObject({ type: "object", properties: { hour: { type: "string" } } });
		expect(book?.check({ hour: "ten" })).toEqual({ ok: true, value: { hour: "ten" } });
		expect(book?.check({ hour: 10 })).toMatchObject({ ok: false });
	});
});

describe("tools that could never answer", () => {
	test("a generator is refused, for none of its code would run", async () => {
		class Desk extends Agent {
			@loose({ doc: "Free hours." })
			*slots() {
				yield 1;
			}
		}
		expect(await refused(Desk)).toBe(
			"BAD_TOOL_METHOD tool slots of Desk is a generator, and a tool answers once; take away the * and return a list",
		);
		class Other extends Agent {
			@loose({ doc: "Free hours." })
			async *slots() {
				yield 1;
			}
		}
		expect(await refused(Other)).toContain("BAD_TOOL_METHOD");
	});

	test("one hidden behind a field of its name is refused", async () => {
		class Desk extends Agent {
			@loose({ doc: "Free hours." })
			slots() {}
		}
		class Heir extends Desk {
			override slots = 3 as never;
		}
		expect(await refused(Heir)).toBe(
			"BAD_MEMBER tool slots of Heir is hidden behind a field of the same name; give the field another name",
		);
	});
});

describe("state", () => {
	test("a first value that cannot be stored is refused with the way out", async () => {
		class Agenda {}
		class Desk extends Agent {
			agenda = new Agenda();
		}
		const said = await refused(Desk);
		expect(said).toContain("field agenda of Desk begins with an instance of Agenda");
		expect(said).toContain("make it a method, which is never state: agenda() { return … }");
		class Nested extends Agent {
			slots = [{ at: new Date(0) }];
		}
		expect(await refused(Nested)).toContain("Nested.slots[0].at was given a Date");
	});

	test("a getter that hands out a collaborator is refused; one that throws on the first state is not", async () => {
		class Agenda {}
		class Desk extends Agent {
			get agenda() {
				return new Agenda();
			}
		}
		expect(await refused(Desk)).toContain("make it a method: agenda() { return … }");
		class Fine extends Agent {
			patient?: { name: string };
			get name() {
				return this.patient!.name;
			}
		}
		expect(declare(Fine).getters).toEqual(["name"]);
	});

	test("pii together with another visibility is refused by name, in every way to say it", async () => {
		class Decorated extends Agent {
			@state({ pii: true, visibility: "public" }) phone = "";
		}
		expect(await refused(Decorated)).toContain(
			"Decorated.phone is marked as personal data and also as visible to public",
		);
		class Mapped extends Agent {
			static visibility = { phone: "public" };
			@state({ pii: true }) phone = "";
		}
		expect(await refused(Mapped)).toContain("Mapped.phone");
		class Typed extends Agent {
			static visibility = { phone: "tenant" };
			phone = "";
		}
		expect(await refused(Typed, manifestOf({}, { fields: { phone: { doc: "", pii: true } } }))).toContain(
			"Typed.phone",
		);
	});

	test("static visibility that names no field, or a level that does not exist, is refused", async () => {
		class Desk extends Agent {
			static visibility = { phon: "pii" };
			phone = "";
		}
		expect(await refused(Desk)).toContain('did you mean "phone"?');
		class Other extends Agent {
			static visibility = { phone: "secret" };
			phone = "";
		}
		expect(await refused(Other)).toContain("none of tenant, public, pii");
	});

	test("only decorated fields are state once one is; visibility comes from all three places", () => {
		class All extends Agent {
			static visibility = { c: "public" };
			a = 1;
			b = 2;
			c = 3;
			helper = () => 1;
			greeting = "hello";
		}
		expect(declare(All, manifestOf({}, { fields: { b: { doc: "", pii: true }, d: { doc: "" } } })).fields).toEqual([
			{ name: "a", visibility: "tenant" },
			{ name: "b", visibility: "pii" },
			{ name: "c", visibility: "public" },
			{ name: "d", visibility: "tenant" },
		]);
		class Some extends Agent {
			@state({ visibility: "public" }) a = 1;
			@state b = 2;
			scratch = new Map();
		}
		expect(declare(Some).fields).toEqual([
			{ name: "a", visibility: "public" },
			{ name: "b", visibility: "tenant" },
		]);
	});

	test("a field or getter with a name of the framework is refused", async () => {
		class Field extends Agent {}
		Object.defineProperty(Field.prototype, "restore", { get: () => 1 });
		expect(await refused(Field)).toContain("RESERVED_NAME");
		const Named = class Desk extends Agent {
			constructor() {
				super();
				Object.defineProperty(this, "call", { value: 1, enumerable: true });
			}
		};
		expect(await refused(Named)).toContain("field call of Desk has a name that belongs to Callboard");
	});

	test("@state on a configuration field is refused", async () => {
		class Desk extends Agent {
			@state() greeting = "hello";
		}
		expect(await refused(Desk)).toContain("@state stands on greeting of Desk");
	});
});

describe("the class itself", () => {
	test("a class without a name or with a slug that is none is refused", async () => {
		expect(await refused((() => class extends Agent {})())).toContain("NO_CLASS_NAME");
		class Desk extends Agent {
			static slug = "Front Desk";
		}
		expect(await refused(Desk)).toContain("BAD_SLUG");
	});

	test("the slug is the class name in kebab-case unless said otherwise", () => {
		class ClinicaNorte extends Agent {}
		class HTTPDesk2 extends Agent {}
		class Other extends Agent {
			static slug = "front-desk";
		}
		expect([ClinicaNorte, HTTPDesk2, Other].map((Class) => declare(Class).name)).toEqual([
			"clinica-norte",
			"http-desk2",
			"front-desk",
		]);
	});

	test("a subclass has its own slug and its own docstring", () => {
		class Base extends Agent {
			static slug = "base";
			static doc = "The base.";
		}
		class FrontDesk extends Base {}
		expect(declare(FrontDesk)).toMatchObject({ name: "front-desk", doc: "The base." });
		expect(declare(FrontDesk, manifestOf({}, { doc: "A desk." }))).toMatchObject({ doc: "A desk." });
		expect(declare(Base, manifestOf({}, { doc: "Not this." }))).toMatchObject({ name: "base", doc: "The base." });
	});

	test("an auto-accessor that the source knows as a field is a field, not a getter", () => {
		class Desk extends Agent {
			accessor visits = 1;
		}
		const declaration = declare(Desk, manifestOf({}, { fields: { visits: { doc: "" } } }));
		expect([declaration.fields.map(({ name }) => name), declaration.getters]).toEqual([["visits"], []]);
	});

	test("a first value that needs a call is refused", async () => {
		class Desk extends Agent {
			from = this.call.from;
		}
		const said = await refused(Desk);
		expect(said).toContain("this.call was used while Desk serves no call");
		expect(said).toContain("onCall");
	});

	test.each([
		[{ say: "a", reply: "b" }, "has both say and reply"],
		[{}, "is neither words, { say } nor { reply }"],
		[3, "is neither words"],
	])("the greeting %o is refused", async (greeting, message) => {
		class Desk extends Agent {
			greeting = greeting;
		}
		expect(await refused(Desk)).toContain(message);
	});

	test("greetings of both kinds are taken", () => {
		class Words extends Agent {
			greeting = "hello";
		}
		class Instructions extends Agent {
			greeting = { reply: "greet by the time of day" };
		}
		expect(declare(Words).greeting).toEqual({ say: "hello" });
		expect(declare(Instructions).greeting).toEqual({ reply: "greet by the time of day" });
		expect(declare(class Silent extends Agent {}).greeting).toBeUndefined();
	});

	test("knowledge in a file that is not there is refused with the path tried", async () => {
		class Desk extends Agent {
			knowledge = "./hours.md";
		}
		const error = await refusalOf(() => declare(Desk, undefined, { file: "/srv/agents/desk/agent.tsx" }));
		expect(error.explain()).toContain("/srv/agents/desk/hours.md");
		expect(await refused(Desk)).toContain("the agent's own file is not known");
	});

	test("knowledge is text, or the file beside the agent", () => {
		class Text extends Agent {
			knowledge = "Open from nine to five. See hours.md";
		}
		class File extends Agent {
			knowledge = "opening.ts";
		}
		class Path extends Agent {
			knowledge = "./opening.ts";
		}
		expect(declare(Text).knowledge).toBe("Open from nine to five. See hours.md");
		expect(declare(File).knowledge).toBe("opening.ts");
		expect(declare(Path, undefined, { file: import.meta.filename }).knowledge).toContain("export function manifestOf");
	});

	test.each([
		[{ maxStep: 3 }, 'no setting maxStep; did you mean "maxSteps"?'],
		[{ maxSteps: 0 }, "maxSteps of Desk is not a whole number from 1"],
		[{ arrivals: "later" }, '"queue", "debounce", "interrupt" or "drop"'],
		[{ model: { name: "" } }, "setting model of Desk"],
		[[], "is no object"],
	])("the settings %o are refused", async (settings, message) => {
		class Desk extends Agent {
			static settings = settings;
		}
		expect(await refused(Desk)).toContain(message);
	});

	test("settings left out are at their defaults", () => {
		class Desk extends Agent {
			static settings = { maxSteps: 3 };
		}
		expect(declare(Desk).settings).toMatchObject({ maxSteps: 3, window: 60, idleMs: 7_200_000, arrivals: "queue" });
	});

	test.each([
		[{ paid: {} }, "event paid of Desk does not say where it comes from"],
		[{ paid: { from: ["apps"] } }, "the sources are app, participant, timer"],
		[[], "is no object"],
	])("the events %o are refused", async (events, message) => {
		class Desk extends Agent {
			static events = events;
		}
		expect(await refused(Desk)).toContain(message);
	});

	test("an async render and a hook that is no method are refused", async () => {
		class Desk extends Agent {
			async render() {
				return "later";
			}
		}
		expect(await refused(Desk)).toContain("render of Desk is async");
		class Other extends Agent {
			@state() a = 1;
			onCall = 3;
		}
		expect(await refused(Other)).toContain("onCall of Other is no method");
	});
});

describe("case 10: the author's own blocks", () => {
	const slots = (s: { slots: string[] }) => s.slots.join();

	test("a static block that reads state is refused, naming block and field", async () => {
		class Desk extends Agent {
			static blocks = { static: { offer: slots } };
			slots: string[] = [];
		}
		const said = await refused(Desk);
		expect(said).toContain("static block offer of Desk reads slots");
	});

	test("a framework name, a missing source, an unknown region and an async source are refused", async () => {
		const cases: [object, string][] = [
			[{ static: { view: "text" } }, "block view of Desk has the name of a block of Callboard"],
			[{ static: { rules: undefined } }, "block rules has no source"],
			[{ dynamic: { rules: "" } }, "block rules has no source"],
			[{ dynamic: { rules: async () => "" } }, "block rules has no source"],
			[{ fixed: {} }, "there is no region fixed"],
			[{ static: { rules: "a" }, dynamic: { rules: "b" } }, "block rules is declared twice"],
			[{ static: { rules: "./none.md" } }, "block rules of Desk names ./none.md"],
			[{ static: { "a b": "text" } }, "has a name that is no word"],
		];
		for (const [blocks, message] of cases) {
			class Desk extends Agent {
				static blocks = blocks;
			}
			expect(await refused(Desk)).toContain(message);
		}
	});

	test("a static block that throws is refused with its name", async () => {
		class Desk extends Agent {
			static blocks = {
				static: {
					rules: () => {
						throw new Error("no rules");
					},
				},
			};
		}
		expect(await refused(Desk)).toContain("static block rules of Desk cannot be rendered; it threw: no rules");
	});
});
