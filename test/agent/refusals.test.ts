import { Agent, state } from "callboard";
import { describe, expect, test } from "vitest";
import { declare } from "../../src/agent/declare.js";
import { manifestOf, refusalOf } from "./opening.js";
import { refused } from "./refused.js";

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
