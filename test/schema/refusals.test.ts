import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CallboardError } from "../../src/errors.js";
import { buildManifest } from "../../src/schema/manifest-file.js";
import { readAgents } from "../../src/schema/read-agents.js";
import { inProject, repository } from "./in-folder.js";

const file = "test/schema/fixtures/refused.tsx";
let reading: ReturnType<typeof readAgents> | undefined;
const refused = () => {
	reading ??= readAgents(repository, [join(repository, file)]);
	return reading;
};
const ZOD = "give it a type that JSON has, or give the tool zod `params`";

describe("refusals", { timeout: 60_000 }, () => {
	test("case 3: everything that cannot be told to a model is refused at once, with its line, class, tool and parameter", async () => {
		const { problems } = await refused();
		const parameters = problems.filter(({ what }) => what.startsWith("Refused.one: "));
		expect(parameters.map(({ at, what }) => `${at.slice(file.length + 1)} ${what.slice(13)}`)).toEqual([
			'23 parameter "a" is any, which tells the model nothing',
			'24 parameter "b" is unknown, which tells the model nothing',
			'25 parameter "c" is a function, which a model cannot send',
			'26 parameter "d.kids[]" is of a recursive type, which has no end when it is written out',
			'27 parameter "e" is a bigint, which JSON does not have',
			'28 parameter "f" is a symbol, which JSON does not have',
			'29 parameter "g" is a Map, which JSON does not have',
			'30 parameter "h" is an instance of the class Money, which a model cannot send',
			'31 parameter "i" is object, which tells the model nothing',
			'32 parameter "j.nothing" is never, which no value fits',
			'33 parameter "k" can only be undefined',
			'34 parameter "l.deep[].save" is a function, which a model cannot send',
			'35 parameter "m.next.next.next" is of a recursive type, which has no end when it is written out',
			'36 parameter "n" is a Promise, which JSON does not have',
			'37 parameter "o" is Uppercase<string>, which cannot be written as a schema',
			'38 parameter "p" is a template text too involved to check',
			'39 parameter "q" is a class, which a model cannot send',
			'40 parameter "r" has members named by a pattern',
			'41 parameter "s" is an object without members, which tells the model nothing',
			'42 parameter "t" is a tuple whose open part is not its last',
		]);
		expect(new Set(parameters.map(({ next }) => next))).toEqual(new Set([ZOD]));
	});

	test("case 3: a tool without docstring, with a bad name, or whose pii names no parameter is refused with its line", async () => {
		const { problems } = await refused();
		const rest = problems.filter(({ what }) => !what.startsWith("Refused.one: "));
		expect(rest.map(({ at, what, next }) => `${at.slice(file.length + 1)} ${what}; ${next}`)).toEqual([
			'17 Refused.stage is string, which does not name the stages; write `stage: Stages<"first" | "second"> = "first"`',
			'49 Refused.two: rest parameter "rest" has no name for each of its values; take one list parameter instead, or give the tool zod `params`',
			"55 Refused.three: parameter 2 is taken apart and has no name; give every parameter a name, or take only one object parameter",
			`61 Refused.four: parameter "what" is a type parameter, which is not known until the program runs; ${ZOD}`,
			`67 Refused.five: parameter "{…}" is taken apart but is not one object with named members; ${ZOD}`,
			"75 tool Refused.six has 2 overloads; write one signature",
			"80 tool Refused.seven has no docstring, and the model would not know what it is for; write /** what it does */ above seven",
			"86 tool Refused.book-it has a name that models cannot call; begin with a letter, use letters, digits and underscores, 64 at most",
			'91 Refused.nine: pii names "tel", which is no parameter; it has phone',
			"103 an agent class has no name; write `export default class ClinicaNorte extends Agent`",
		]);
	});

	test("two agents of one name are refused, naming both files", async () => {
		const files = ["test/schema/fixtures/clinic/clinic.tsx", "test/schema/fixtures/twin.ts"];
		const error = await buildManifest({ root: repository, files }).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(CallboardError);
		expect(error).toMatchObject({
			code: "BAD_SIGNATURE",
			fault: "author",
			where: "test/schema/fixtures/twin.ts:4",
			message: "agent Clinic is already the name of the one at test/schema/fixtures/clinic/clinic.tsx:5",
			next: "rename one of the two classes",
		});
	});

	test("one error tells of all problems, a line each", async () => {
		const error = await buildManifest({ root: repository, files: [file] }).catch((thrown: unknown) => thrown);
		const lines = (error as CallboardError).message.split("\n");
		expect(lines[0]).toBe("30 things stand in the way:");
		expect(lines).toHaveLength(31);
		expect(lines[1]).toMatch(/^ {2}test\/schema\/fixtures\/refused\.tsx:17: Refused\.stage is string/);
	});

	test("a parameter without a type, a type that is not found and @tool without parentheses are refused", async () => {
		const source = `import { Agent, tool } from "callboard";
import type { Gone } from "./gone.js";
export class Loose extends Agent {
	/** One. */
	@tool() one(a, b: Gone, c: Missing, d = "fine") {}
	/** Two. */
	@tool two() {}
	/** Three. */
	@tool() three(__proto__: string, it: { __proto__: string }) {}
}`;
		await inProject({ "agent.ts": source }, async (root) => {
			const { problems } = await readAgents(root, [join(root, "agent.ts")]);
			expect(problems.map(({ at, what, next }) => `${at} ${what}; ${next}`)).toEqual([
				`agent.ts:5 Loose.one: parameter "a" has no type; ${ZOD}`,
				`agent.ts:5 Loose.one: parameter "b" has a type that cannot be found; ${ZOD}`,
				`agent.ts:5 Loose.one: parameter "c" has a type that cannot be found; ${ZOD}`,
				"agent.ts:7 tool Loose.two is marked @tool without parentheses; write @tool()",
				`agent.ts:9 Loose.three: parameter "__proto__" has a name that no object can carry; ${ZOD}`,
				`agent.ts:9 Loose.three: parameter "it.__proto__" has a name that no object can carry; ${ZOD}`,
			]);
		});
	});

	test("a docstring given as an option, for code whose comments are stripped, is enough", async () => {
		const source = `import { Agent, tool } from "callboard";
export class Stripped extends Agent {
	@tool({ doc: "Ends the call." }) hangup() {}
}`;
		await inProject({ "agent.ts": source }, async (root) => {
			const { problems, agents } = await readAgents(root, [join(root, "agent.ts")]);
			expect(problems).toEqual([]);
			expect(agents.Stripped?.tools.hangup?.doc).toBe("");
		});
	});

	test("a file that is not there is refused by its path", async () => {
		await inProject({}, async (root) => {
			await expect(readAgents(root, [join(root, "agents/none.ts")])).rejects.toMatchObject({
				code: "NO_AGENT_FILE",
				where: "agents/none.ts",
			});
		});
	});
});
