import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type AgentsRead, readAgents } from "../../src/schema/read-agents.js";
import { readFixtures, SLOW } from "./fixture-agents.js";
import { inProject } from "./in-folder.js";

let read: AgentsRead;
beforeAll(async () => {
	read = await readFixtures();
}, SLOW.timeout);

describe("a project", SLOW, () => {
	test("lists only its own sources: no packages, not callboard, nothing the agents do not import", () => {
		expect(read.files.filter((file) => !file.endsWith(".d.ts"))).toEqual([
			"test/schema/fixtures/clinic/clinic.tsx",
			"test/schema/fixtures/clinic/patient.ts",
			"test/schema/fixtures/hard.tsx",
		]);
		expect(read.configs).toEqual(["tsconfig.json"]);
	});

	const agentFile = `import { Agent, tool } from "callboard";
		import type { Day } from "./day.js";
		/** Day by day. */
		export default class Daily extends Agent {
			/** Picks a day. */
			@tool() pick(day: Day | undefined) { return day; }
			render() { return <p>Days.</p>; }
		}`;
	const pick = { day: { type: "string", enum: ["tue", "mon"], description: "A working day." } };
	const day = '/** A working day. */\nexport type Day = "tue" | "mon";';

	test("needs no tsconfig", async () => {
		await inProject({ "bot/agent.tsx": agentFile, "bot/day.ts": day }, async (root) => {
			const found = await readAgents(root, [join(root, "bot/agent.tsx")], true);
			expect(found.problems).toEqual([]);
			expect(found.typeMistakes).toEqual([]);
			expect(found.files).toEqual(["bot/agent.tsx", "bot/day.ts"]);
			expect(found.configs).toEqual([]);
			expect(found.agents.Daily?.tools.pick?.parameters?.properties).toEqual(pick);
		});
	});

	test("is read by whichever tsconfig includes the file", async () => {
		const options = {
			module: "nodenext",
			target: "es2022",
			strict: true,
			jsx: "react-jsx",
			jsxImportSource: "callboard",
		};
		const files = {
			"tsconfig.json": JSON.stringify({ compilerOptions: options, include: ["elsewhere"] }),
			"tsconfig.bots.json": JSON.stringify({
				compilerOptions: {
					...options,
					lib: ["es2023", "esnext.decorators"],
					composite: true,
					paths: { "#days": ["./days/day.ts"] },
				},
				include: ["bot", "days"],
			}),
			"bot/agent.tsx": agentFile.replace("./day.js", "#days"),
			"days/day.ts": day,
			"days/unrelated.ts": "export const unrelated = 1;",
		};
		await inProject(files, async (root) => {
			const found = await readAgents(root, [join(root, "bot/agent.tsx")], true);
			expect(found).toMatchObject({ problems: [], typeMistakes: [], configs: ["tsconfig.bots.json"] });
			expect(found.files).toEqual(["bot/agent.tsx", "days/day.ts"]);
			expect(found.agents.Daily?.tools.pick?.parameters?.properties).toEqual(pick);
		});
	});

	test("in plain JavaScript is read from its JSDoc types", async () => {
		const source = `import { Agent, stages, tool } from "callboard";
			/** Plain. */
			export default class Plain extends Agent {
				stage = stages("late", "early");
				/** Picks a day.
				 * @param {"tue" | "mon"} day The day.
				 * @param {number} [people] How many. */
				@tool() pick(day, people) { return [day, people]; }
			}`;
		await inProject({ "agent.js": source }, async (root) => {
			const { agents, problems } = await readAgents(root, [join(root, "agent.js")]);
			expect(problems).toEqual([]);
			expect(agents.Plain?.stages).toEqual(["late", "early"]);
			expect(agents.Plain?.tools.pick?.parameters).toMatchObject({
				properties: {
					day: { type: "string", description: "The day." },
					people: { type: "number", description: "How many." },
				},
				required: ["day"],
			});
		});
	});

	test("takes the dash between a parameter's name and its text for what it is", async () => {
		const source = `import { Agent, tool } from "callboard";
			export class Dashed extends Agent {
				/**
				 * - keeps its own dashes
				 * @param a - The first.
				 * @param b — The second.
				 * @param c -1 or less. */
				@tool() pick(a: string, b: string, c: number) {}
			}`;
		await inProject({ "agent.ts": source }, async (root) => {
			const { agents } = await readAgents(root, [join(root, "agent.ts")]);
			const { doc, parameters } = agents.Dashed?.tools.pick ?? {};
			expect(doc).toBe("- keeps its own dashes");
			expect(parameters?.properties).toEqual({
				a: { type: "string", description: "The first." },
				b: { type: "string", description: "The second." },
				c: { type: "number", description: "-1 or less." },
			});
		});
	});

	test("tells what the compiler has against an agent file, with its line and its suggestion", async () => {
		expect(read.typeMistakes).toEqual([]);
		const source = `import { Agent, type Stages, tool } from "callboard";
			// «é» moves no line and no column
			export class Typo extends Agent {
				stage: Stages<"identify" | "book"> = "identify";
				/** Finds. */
				@tool({ stage: "identfy" }) find() {}
			}`;
		await inProject({ "agent.ts": source }, async (root) => {
			const { typeMistakes } = await readAgents(root, [join(root, "agent.ts")], true);
			expect(typeMistakes).toHaveLength(1);
			expect(typeMistakes[0]).toMatchObject({ file: "agent.ts", line: 6, code: "TS2820" });
			expect(typeMistakes[0]?.text).toContain("Did you mean '\"identify\"'?");
		});
	});
});
