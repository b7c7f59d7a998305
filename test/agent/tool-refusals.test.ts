import { Agent, tool } from "callboard";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { declare } from "../../src/agent/declare.js";
import { manifestOf } from "./opening.js";
import { loose, refused } from "./refused.js";

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
