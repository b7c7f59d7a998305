import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { JsonSchema } from "../../src/schema/json-schema.js";
import type { AgentManifest } from "../../src/schema/manifest.js";
import { type AgentsRead, readAgents } from "../../src/schema/read-agents.js";
import { readFixtures, SLOW } from "./fixture-agents.js";
import { inProject } from "./in-folder.js";

let read: AgentsRead;
const agent = (name: string): AgentManifest => {
	const found = read.agents[name];
	if (found === undefined) throw new Error(`no agent ${name}`);
	return found;
};
const properties = (name: string, tool: string) => agent(name).tools[tool]?.parameters?.properties as JsonSchema;

beforeAll(async () => {
	read = await readFixtures();
}, SLOW.timeout);

describe("a class", SLOW, () => {
	test("gives its docstring, its stages in the order written, its fields and which of them are personal", () => {
		const { doc, file, stages, fields } = agent("Clinic");
		expect({ doc, file, stages, fields }).toEqual({
			doc: "Books a visit at the clinic.",
			file: "test/schema/fixtures/clinic/clinic.tsx",
			stages: ["identify", "choose", "book", "done"],
			fields: {
				stage: { doc: "" },
				slots: { doc: "Free hours of the day that was asked for." },
				caller: { doc: "", pii: true },
				patient: { doc: "A patient of the clinic." },
			},
		});
	});

	test("gives its stages through an alias, by value, and from a plain union", async () => {
		expect(agent("Hard").stages).toEqual(["zeta", "alpha", "mid"]);
		expect(agent("Bound").stages).toEqual(["two", "one"]);
		const source = `import { Agent } from "callboard";
			const ALL = ["c", "a", "b"] as const;
			export class Union extends Agent { stage: "z" | "y" = "z" }
			export class Listed extends Agent { stage: (typeof ALL)[number] = "c" }
			export class Heir extends Union {}
			export class Without extends Agent {}`;
		await inProject({ "agent.ts": source }, async (root) => {
			const { agents, problems } = await readAgents(root, [join(root, "agent.ts")]);
			expect(problems).toEqual([]);
			expect(Object.entries(agents).map(([name, { stages }]) => [name, stages])).toEqual([
				["Heir", ["z", "y"]],
				["Listed", ["c", "a", "b"]],
				["Union", ["z", "y"]],
				["Without", undefined],
			]);
		});
	});

	test.each([
		'export { default } from "./clinic.js";',
		'export { Clinic as default } from "./clinic.js";',
		'import { Clinic } from "./clinic.js";\nexport default Clinic;',
	])("is read where it stands when a file only passes it on: %s", async (source) => {
		const clinic = `import { Agent, tool } from "callboard";
			/** Books. */
			export class Clinic extends Agent {
				/** Books. */
				@tool() book(day: string) {}
			}
			export default Clinic;`;
		await inProject({ "agents/a/agent.ts": source, "agents/a/clinic.ts": clinic }, async (root) => {
			const { agents, problems } = await readAgents(root, [join(root, "agents/a/agent.ts")]);
			expect(problems).toEqual([]);
			expect(agents.Clinic).toMatchObject({ file: "agents/a/clinic.ts", tools: { book: { order: ["day"] } } });
		});
	});

	test("that is abstract, or no agent, is not read", () => {
		expect(Object.keys(read.agents)).toEqual(["Bound", "Clinic", "Generic", "Hard"]);
	});
});

describe("a tool", SLOW, () => {
	test("gives its place, its docstring without @param, the order and the schema of its parameters", () => {
		expect(agent("Clinic").tools.lookup).toEqual({
			at: "test/schema/fixtures/clinic/clinic.tsx:21",
			doc: "Look the caller up by name.\nAsk for the name first.",
			order: ["name", "day", "n", "patient"],
			parameters: {
				type: "object",
				properties: {
					name: { type: "string", "x-pii": true, description: "The caller's full name, as spoken." },
					day: { type: "string", enum: ["mon", "tue"], description: "The day the caller asks for." },
					n: { type: "number", description: "How many people come." },
					patient: {
						type: "object",
						properties: {
							id: { type: "number", description: "Record number." },
							name: { type: "string", description: "Given and family name." },
							phone: { type: "string" },
						},
						required: ["id", "name"],
						additionalProperties: false,
						description: "The record already found.",
					},
				},
				required: ["name", "day"],
				additionalProperties: false,
			},
			pii: ["name"],
		});
	});

	test("is a method with @tool: others are not in the manifest", () => {
		expect(Object.keys(agent("Clinic").tools)).toEqual(["lookup", "hold"]);
	});

	test("is inherited, base first, with the types of this class and the docstring of the method it overrides", () => {
		expect(Object.keys(agent("Hard").tools)).toEqual(["hangup", "hard", "more", "taken", "explicit", "none"]);
		expect(agent("Hard").tools.hangup?.doc).toBe("Ends the call.");
		expect(Object.keys(agent("Bound").tools)).toEqual(["hangup", "keep"]);
		expect(agent("Bound").tools.hangup?.doc).toBe("Ends the call.");
		expect(properties("Bound", "hangup")).toEqual({
			reason: { type: "string", enum: ["tired", "done"], description: "Why, in a few words." },
		});
		expect(properties("Bound", "keep")).toEqual({ thing: { type: "string", enum: ["second", "first"] } });
	});

	test("that takes its one object apart gets the members as arguments", () => {
		expect(agent("Hard").tools.taken).toMatchObject({ order: [], whole: true, parameters: { required: ["name"] } });
		expect(properties("Hard", "taken")).toEqual({
			name: { type: "string", description: "The full name." },
			day: { type: "string", enum: ["wed", "mon", "tue"] },
		});
	});

	test("with zod params has no schema from its signature", () => {
		const { at: _at, ...explicit } = agent("Hard").tools.explicit ?? {};
		expect(explicit).toEqual({ doc: "Books what zod says.", order: [], pii: [] });
	});

	test("without parameters takes an object without members", () => {
		const { at: _at, ...none } = agent("Hard").tools.none ?? {};
		expect(none).toEqual({
			doc: "No arguments at all.",
			order: [],
			parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
			pii: [],
		});
	});

	test("may have its docstring on the line of the class", async () => {
		const source =
			'import { Agent, tool } from "callboard"; export class Tight extends Agent { /** x */ @tool() x() {} }';
		await inProject({ "agent.ts": source }, async (root) => {
			const { agents, problems } = await readAgents(root, [join(root, "agent.ts")]);
			expect(problems).toEqual([]);
			expect(agents.Tight?.tools.x?.doc).toBe("x");
		});
	});

	test("may come from a mixin", async () => {
		const source = `import { Agent, tool } from "callboard";
			type Base = abstract new (...args: any[]) => Agent;
			function withHangup<T extends Base>(base: T) {
				abstract class Mixed extends base {
					/** Ends. */
					@tool() hangup(reason: string) { return reason; }
				}
				return Mixed;
			}
			export default class Desk extends withHangup(Agent) {
				/** Own. */
				@tool() own(a: 2 | 1) { return a; }
			}`;
		await inProject({ "agent.ts": source }, async (root) => {
			const { agents, problems } = await readAgents(root, [join(root, "agent.ts")]);
			expect(problems).toEqual([]);
			expect(Object.keys(agents.Desk?.tools ?? {})).toEqual(["hangup", "own"]);
			expect(agents.Desk?.tools.own?.parameters?.properties).toEqual({ a: { type: "number", enum: [2, 1] } });
		});
	});

	test("decorated under another name or through a namespace is one as well, another decorator is none", async () => {
		const source = `import * as callboard from "callboard";
			import { Agent, tool as t } from "callboard";
			const mine = (_method: unknown, _context: ClassMethodDecoratorContext) => {};
			export class Named extends Agent {
				/** One. */ @t() one() {}
				/** Two. */ @callboard.tool() two() {}
				/** Three. */ @mine three() {}
				/** Four. */ @mine @t() four() {}
			}`;
		await inProject({ "agent.ts": source }, async (root) => {
			const { agents, problems } = await readAgents(root, [join(root, "agent.ts")]);
			expect(problems).toEqual([]);
			expect(Object.keys(agents.Named?.tools ?? {})).toEqual(["one", "two", "four"]);
		});
	});
});

describe("a type", () => {
	const patientParts = {
		id: { type: "number", description: "Record number." },
		name: { type: "string", description: "Given and family name." },
		phone: { type: "string" },
	};
	const closed = { additionalProperties: false };

	test.each<[string, JsonSchema]>([
		["day", { type: "string", enum: ["wed", "mon", "tue"] }],
		[
			"address",
			{
				type: "object",
				properties: {
					street: { type: "string" },
					zip: { type: "number" },
					kind: { type: "string", enum: ["work", "home"] },
				},
				required: ["street", "kind"],
				...closed,
			},
		],
		[
			"who",
			{
				type: "object",
				properties: { name: patientParts.name, phone: patientParts.phone },
				required: ["name"],
				...closed,
			},
		],
		["part", { type: "object", properties: patientParts, required: [], ...closed }],
		["rec", { type: "object", additionalProperties: { type: "number" } }],
		["kind", { type: "string", enum: ["regular", "new", "former"] }],
		["tags", { type: "array", items: { type: "string" } }],
		[
			"pair",
			{ type: "array", prefixItems: [{ type: "string" }, { type: "number" }], minItems: 2, maxItems: 2, items: false },
		],
		[
			"either",
			{
				anyOf: [
					{
						type: "object",
						properties: { k: { type: "string", enum: ["b"] }, s: { type: "string" } },
						required: ["k", "s"],
						...closed,
					},
					{
						type: "object",
						properties: { k: { type: "string", enum: ["a"] }, n: { type: "number" } },
						required: ["k", "n"],
						...closed,
					},
				],
			},
		],
		["at", { type: "string", format: "date-time" }],
		["flag", { type: "boolean", default: true }],
		["limit", { type: "number", default: 5 }],
		["maybe", { type: ["string", "null"] }],
	])("%s is read", (name, schema) => {
		expect(properties("Hard", "hard")[name]).toEqual(schema);
	});

	test("is required unless it has ?, a default or undefined among its values", () => {
		const required = (tool: string) => agent("Hard").tools[tool]?.parameters?.required as string[];
		const left = (tool: string) =>
			Object.keys(properties("Hard", tool)).filter((name) => !required(tool).includes(name));
		expect({ hard: left("hard"), more: left("more") }).toEqual({
			hard: ["flag", "limit", "maybe"],
			more: ["type", "personal"],
		});
	});

	test.each<[string, JsonSchema]>([
		["level", { type: "number", enum: [3, 1] }],
		["maybeDay", { type: ["string", "null"], enum: ["sun", "sat", null] }],
		["hour", { type: "string", pattern: "^-?\\d+(\\.\\d+)?:-?\\d+(\\.\\d+)?$" }],
		["id", { type: "string" }],
		["days", { type: "array", items: { type: "string", enum: ["z", "y", "x"] } }],
		["open", { type: "array", prefixItems: [{ type: "string" }], minItems: 1, items: { type: "number" } }],
		["either", { anyOf: [{ type: "boolean" }, { type: "string", enum: ["later"] }] }],
		[
			"without",
			{
				type: "object",
				properties: { name: patientParts.name, phone: patientParts.phone },
				required: ["name"],
				...closed,
			},
		],
		["key", { type: "string", enum: ["id", "name", "phone"] }],
		["type", { type: "string" }],
		["mixed", { type: ["number", "string", "null"], enum: [1, "one", null] }],
		["one", { type: "string", enum: ["only"] }],
		["fresh", { type: "string", enum: ["wed", "tue"] }],
		[
			"secrets",
			{
				type: "object",
				properties: { phone: { type: "string", "x-pii": true }, rest: { type: "string" } },
				required: ["phone", "rest"],
				...closed,
			},
		],
		["personal", { type: "string", enum: ["b", "a"], "x-pii": true }],
		[
			"people",
			{
				type: "array",
				items: { type: "object", properties: patientParts, required: ["id", "name"], ...closed, "x-pii": true },
			},
		],
	])("%s is read", (name, schema) => {
		const { description: _said, ...found } = properties("Hard", "more")[name] as JsonSchema;
		expect(found).toEqual(schema);
	});

	test("marked Pii anywhere makes its whole parameter personal for logs", () => {
		expect(agent("Hard").tools.more?.pii).toEqual(["secrets", "personal", "people"]);
	});
});
