import { Agent, type Stages, stages, state } from "callboard";
import { describe, expect, test } from "vitest";
import { declare } from "../../src/agent/declare.js";
import { manifestOf } from "./opening.js";
import { loose, refused } from "./refused.js";

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
