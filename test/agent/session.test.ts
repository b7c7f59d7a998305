import { Agent, tool } from "callboard";
import { describe, expect, test } from "vitest";
import { Desk } from "./desk-agent.js";
import { facts, manifestOf, open } from "./opening.js";

describe("runs beside each other", () => {
	test("each sees the state as it was and none of the other's writes; outcomes come in request order", async () => {
		class Reads extends Agent {
			log: string[] = [];
			@tool({ doc: "Reads.", effect: "read" })
			async read(name: string) {
				this.log.push(name);
				await new Promise((resolve) => setImmediate(resolve));
				return this.log;
			}
		}
		const { session } = open(Reads, manifestOf({ read: ["name"] }));
		const call = (id: string) => ({ id, tool: "read", args: { name: id }, key: id });
		const outcomes = await session.run([call("a"), call("b")], { msgId: "m", signal: new AbortController().signal });
		expect(outcomes.map(({ id, result }) => [id, result])).toEqual([
			["a", ["a"]],
			["b", ["b"]],
		]);
		expect(outcomes.flatMap(({ changes }) => changes.map(({ seq }) => seq))).toEqual([1, 2]);
	});

	test("a tool that does not exist is an outcome, not a throw", async () => {
		expect(await open(Desk).run("nope")).toMatchObject({ status: "failed", tool: "nope" });
	});

	test("arguments come by name and go by position, and are the tool's own", async () => {
		const args = { day: "tue", who: { name: "Ana" } };
		class Takes extends Agent {
			@tool({ doc: "Takes." })
			take(who: { name: string }, day: string, more?: string) {
				who.name = "changed";
				return [who, day, more ?? null];
			}
		}
		const { run } = open(Takes, manifestOf({ take: ["who", "day", "more"] }));
		expect((await run("take", args)).result).toEqual([{ name: "changed" }, "tue", null]);
		expect(args.who.name).toBe("Ana");
	});
});

describe("this.call", () => {
	test("its facts are readable in render, getters and when", () => {
		class Where extends Agent {
			get channel() {
				return this.call.channel;
			}
			@tool({ doc: "Web only.", when: (s) => s.call.transport === "chat" })
			web() {}
			render() {
				return this.call.from;
			}
		}
		const { session } = open(Where);
		expect([session.render(), session.readable(), session.visibility()]).toEqual([
			facts.from,
			{ channel: "web" },
			[{ tool: "web", visible: true }],
		]);
	});
});
