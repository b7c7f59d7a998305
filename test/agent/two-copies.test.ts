import { expect, test } from "vitest";
import { isAgentClass } from "../../src/agent/agent.js";
import { open } from "./opening.js";

test("a class made with another copy of the package is an agent all the same", async () => {
	const copy = async <T>(path: string) => (await import(/* @vite-ignore */ `${path}?another`)) as T;
	const { Agent } = await copy<typeof import("../../src/agent/agent.js")>("../../src/agent/agent.ts");
	const { tool } = await copy<typeof import("../../src/agent/tool.js")>("../../src/agent/tool.ts");
	const { stages } = await copy<typeof import("../../src/agent/stages.js")>("../../src/agent/stages.ts");
	const { state } = await copy<typeof import("../../src/agent/state.js")>("../../src/agent/state.ts");
	class Desk extends Agent {
		@state() stage = stages("a", "b");
		scratch = 1;
		@tool({ doc: "Goes.", stage: "a" })
		go() {
			this.stage = "b";
			return this.call.from;
		}
	}
	expect(isAgentClass(Desk)).toBe(true);
	const { use, session } = open(Desk);
	expect((await use("go")).result).toBe("web:a");
	expect(session.snapshot()).toEqual({ stage: "b" });
	expect(Desk.prototype).not.toBeInstanceOf((await import("../../src/agent/agent.js")).Agent);
});
