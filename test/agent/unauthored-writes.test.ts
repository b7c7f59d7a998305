import { Agent, stages, tool } from "callboard";
import { describe, expect, test } from "vitest";
import { Desk, hold } from "./desk-agent.js";
import { loggedError, open, refusalOf } from "./opening.js";

describe("case 5: writes without an author", () => {
	test("outside of any tool they throw, naming the field", async () => {
		class Loose extends Agent {
			stage = stages("a", "b");
			slots: string[] = [];
			get sneaky() {
				this.slots = ["x"];
				return 1;
			}
			@tool({
				doc: "Shown never.",
				when: (s) => {
					s.slots.push("x");
					return true;
				},
			})
			never() {}
			render() {
				this.slots.push("x");
				return "";
			}
		}
		const { session, log } = open(Loose);
		const error = await refusalOf(() => session.render());
		expect(error.code).toBe("UNAUTHORED_WRITE");
		expect(error.message).toContain("Loose.slots");
		expect(session.visibility()).toEqual([{ tool: "never", visible: false, why: "when() failed" }]);
		expect(session.readable()).toEqual({ stage: "a", slots: [] });
		expect(log.events()).toEqual(["tool.when", "state.getter"]);
		expect(session.snapshot()).toEqual({ stage: "a", slots: [] });
	});

	test("after the tool returned they are logged and refused without a throw, nested ones too", async () => {
		let release = () => {};
		hold.gate = () => new Promise((resolve) => (release = resolve));
		const { use, session, log, clock } = open(Desk, undefined, {
			state: { stage: "quote", slots: [{ id: "s1", at: "10:00" }], note: "first" },
		});
		expect((await use("leaves")).status).toBe("ok");
		release();
		await clock.settle();
		hold.gate = async () => {};
		expect(session.snapshot()).toEqual({ stage: "quote", slots: [{ id: "s1", at: "10:00" }], note: "first" });
		const written = log.lines.filter(({ event }) => event === "state.unauthored");
		expect(written.length).toBeGreaterThanOrEqual(7);
		expect(written.every(({ fields }) => fields.author === "leaves")).toBe(true);
		expect(new Set(written.map(({ fields }) => fields.field))).toEqual(
			new Set(["slots", "slotz", "stage", "patient", "note"]),
		);
		expect(written[0]?.fields.code).toBe("UNAUTHORED_WRITE");
	});

	test("an object kept from an earlier tool cannot be changed by a later one or from outside", async () => {
		let stored: { a: number } | undefined;
		class Keeper extends Agent {
			thing = { a: 1 };
			@tool({ doc: "Keeps." })
			keep() {
				stored = this.thing;
			}
			@tool({ doc: "Uses what was kept." })
			use() {
				stored!.a = 2;
			}
		}
		const { use, log, session } = open(Keeper);
		await use("keep");
		expect((await use("use")).status).toBe("failed");
		expect(loggedError(log).code).toBe("UNAUTHORED_WRITE");
		expect((await refusalOf(() => (stored!.a = 3))).code).toBe("UNAUTHORED_WRITE");
		expect(session.snapshot()).toEqual({ thing: { a: 1 } });
	});

	test("a write between two awaits has the tool's name, also from a helper and a timer it waits for", async () => {
		class Waiting extends Agent {
			steps: string[] = [];
			private async step(name: string) {
				await Promise.resolve();
				this.steps.push(name);
			}
			@tool({ doc: "Works." })
			async work() {
				await this.step("one");
				await new Promise<void>((resolve) => setImmediate(() => this.step("two").then(resolve)));
				await Promise.all([this.step("three"), this.step("four")]);
			}
		}
		const outcome = await open(Waiting).use("work");
		expect(outcome.changes).toMatchObject([{ author: "work", next: ["one", "two", "three", "four"] }]);
	});

	test("where the context is lost, an object in hand can still be written, the fields cannot", async () => {
		let later: (() => void) | undefined;
		class Lost extends Agent {
			list: string[] = [];
			fields = "";
			@tool({ doc: "Waits." })
			async wait() {
				const { list } = this;
				await new Promise<void>((resolve, reject) => {
					later = () => {
						list.push("through the object");
						try {
							this.fields = "through this";
							reject(new Error("it was taken"));
						} catch {
							resolve();
						}
					};
				});
			}
		}
		const { use } = open(Lost);
		const running = use("wait");
		later?.();
		expect((await running).changes).toMatchObject([{ field: "list", next: ["through the object"], author: "wait" }]);
	});

	test("restore, startIn and collapse are refused outside", async () => {
		let instance: Agent | undefined;
		class Outside extends Agent {
			a = 1;
			@tool({ doc: "Shows itself." })
			show() {
				instance = this;
			}
		}
		await open(Outside).use("show");
		const loose = instance as unknown as Record<string, (value: unknown) => void>;
		for (const [name, value] of [
			["restore", { a: 2 }],
			["startIn", { a: 2 }],
			["collapse", "words"],
		] as const) {
			expect((await refusalOf(() => loose[name]?.call(instance, value))).code).toBe("UNAUTHORED_WRITE");
		}
	});
});
