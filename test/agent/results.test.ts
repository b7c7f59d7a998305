import { Agent, CallboardError, tool } from "callboard";
import { describe, expect, test } from "vitest";
import { manifestOf, open } from "./opening.js";

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
