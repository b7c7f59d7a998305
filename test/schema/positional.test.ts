import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { argumentChecker } from "../../src/schema/check-arguments.js";
import { positional } from "../../src/schema/positional.js";
import { readAgents } from "../../src/schema/read-agents.js";
import { inProject } from "./in-folder.js";

const source = `import { Agent, tool } from "callboard";
export class Days extends Agent {
	/** One. */
	@tool() one(at: Date, note = "none", until?: Date | null, more: { days: Date[]; label: string }[] = []) {}
	/** Two. */
	@tool() two({ at, note }: { at: Date; note?: string }) {}
	/** Three. */
	@tool() three() {}
}`;

describe("arguments by position", { timeout: 60_000 }, () => {
	test("checked arguments go to their positions, absent ones undefined, texts of Date parameters as Dates", async () => {
		await inProject({ "agent.ts": source }, async (root) => {
			const { agents } = await readAgents(root, [join(root, "agent.ts")]);
			const { one, two, three } = agents.Days?.tools ?? {};
			if (one?.parameters === undefined || two === undefined || three === undefined) throw new Error("not read");
			const text = "2026-05-04T17:00:00Z";
			const at = new Date(text);
			const checked = argumentChecker(one.parameters)({ more: [{ label: text, days: [text] }], until: null, at: text });
			if (!checked.ok) throw new Error("refused");
			expect(positional(one, checked.value)).toEqual([at, undefined, null, [{ label: text, days: [at] }]]);
			expect(positional(one, { at: text })).toEqual([at, undefined, undefined, undefined]);
			expect(positional(two, { at: text })).toEqual([{ at }]);
			expect(positional(three, {})).toEqual([]);
			expect(argumentChecker(one.parameters)({ at: "today" })).toMatchObject({ ok: false, issues: [{ path: "at" }] });
		});
	});

	test("a tool with zod params gets the whole object", () => {
		expect(positional({ order: [] }, { a: 1 })).toEqual([{ a: 1 }]);
	});
});
