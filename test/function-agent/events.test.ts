import { describe, expect, test } from "vitest";
import { callboard } from "../../src/agent/function-agent.js";
import { FakeModel } from "../turn/fake-model.js";
import { Line, words } from "../turn/line.js";
import { declared } from "./declared.js";
import { ok, open } from "./handled.js";

describe("events of an agent", () => {
	test("call.started may speak before the model does; call.ended and call.forwarded are told; a throw is logged", async () => {
		const heard: unknown[] = [];
		const agent = callboard().agent("events", {
			llm: { prompt: "You chat." },
			tools: [{ name: "pass", description: "Passes on." }],
		});
		agent
			.on("call.started", (_data, call) => call.say(`Hello ${call.from}.`))
			.on("call.forwarded", ({ to }) => void heard.push(to))
			.on("call.ended", ({ reason }, call) => {
				heard.push([reason, call.id]);
				throw new Error("no");
			})
			.on("llm.tool_call", (data, call) => {
				call.forward("desk");
				call.toolResult(
					data.msgId,
					data.toolCalls.map(({ id }) => ok(id)),
				);
			});
		const line = new Line(declared(agent), new FakeModel("Hi.", { calls: [["pass"]] }));
		expect(words(await line.say("hi"))).toEqual(["Hello web:ana.", "Hi."]);
		await line.say("a person please");
		await line.take([line.occurrence({ kind: "close", reason: "done" })]);
		expect(heard).toEqual(["desk", ["done", "call-1"]]);
		expect(line.warnings()).toContain("listener.failed");
	});

	test("bot.finished tells when the words of a turn have left, and what it asks for then is ignored", async () => {
		const heard: unknown[] = [];
		const agent = callboard().agent("events", { llm: { prompt: "You chat." } });
		agent.on("bot.finished", (data, call) => {
			heard.push(data.turn);
			call.hangup();
		});
		const line = new Line(declared(agent), new FakeModel("Hi.", "Still here."));
		const result = await line.say("hi");
		expect(result.record.ending).toBeUndefined();
		expect(result.then).toMatchObject({ occurrence: { kind: "delivered" } });
		await line.take(result.then ? [result.then] : []);
		expect(heard).toEqual(["call-1.1"]);
		expect(line.warnings()).toEqual(["call.ignored"]);
		expect(words(await line.say("and now?"))).toEqual(["Still here."]);
	});

	test("call.event hears the declared pairs of name and source, also its own timers, and no others", async () => {
		const heard: unknown[] = [];
		const agent = callboard().agent("events", {
			llm: { prompt: "You chat." },
			events: { paid: { from: ["app"] }, remind: { from: ["timer"] } },
		});
		agent.on("call.started", (_data, call) => void call.later({ in: 60 }, "remind", { n: 1 }, { id: "r" }));
		agent.on("call.event", ({ name, data, source }, call) => {
			heard.push([name, data, source]);
			call.say(`Heard ${name}.`);
		});
		const line = new Line(declared(agent), new FakeModel("Hi."));
		const [timer] = (await line.say("hi")).timers;
		expect(words(await line.take(timer ? [timer.item] : []))).toEqual(["Heard remind."]);
		const event = (name: string, source: "app" | "participant") =>
			line.take([line.occurrence({ kind: "event", name, data: null, source })]);
		expect(words(await event("paid", "app"))).toEqual(["Heard paid."]);
		expect(words(await event("paid", "participant"))).toEqual([]);
		expect(words(await event("other", "app"))).toEqual([]);
		expect(heard).toEqual([
			["remind", { n: 1 }, "timer"],
			["paid", null, "app"],
		]);
		expect(line.warnings().filter((event) => event === "event.dropped")).toHaveLength(2);
	});

	test("a call.started handler that throws or hangs means that the call has not begun", async () => {
		const agent = callboard().agent("events", { llm: { prompt: "You chat." } });
		agent.on("call.started", () => Promise.reject(new Error("crm is down")));
		const line = new Line(declared(agent), new FakeModel());
		await expect(line.say("hi")).rejects.toMatchObject({ code: "HOOK_FAILED" });
		const slow = callboard().agent("slow", { llm: { prompt: "You chat." } });
		slow.on("call.started", () => new Promise(() => {}));
		const { session, clock } = open(slow);
		const hook = session.hook("onCall", new AbortController().signal);
		const refused = expect(hook).rejects.toMatchObject({ code: "HOOK_TIMEOUT" });
		await clock.advance(30_000);
		await refused;
	});
});
