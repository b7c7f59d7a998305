import { afterEach, expect, test } from "vitest";
import { metricsOf } from "../../src/cli/operator-view.js";
import { inMemory } from "../../src/engine/embedded/embedded.js";
import { createRuntime } from "../../src/engine/runtime.js";
import type { ModelRequest } from "../../src/model/model.js";
import { loadScript } from "../../src/model/script-file.js";
import { ScriptedModel } from "../../src/model/scripted.js";
import { pinoLog } from "../../src/observe/pino-log.js";
import { agentUnderTest } from "../../src/testing/agent-under-test.js";
import { FakeChannel } from "../../src/testing/fake-channel.js";
import { FakePerson } from "../../src/testing/fake-person.js";
import { seededRandom } from "../../src/testing/replay-plan.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import { stand } from "../engine/stand.js";
import { RecordedTraces } from "./recorded-traces.js";

let traces: RecordedTraces | undefined;
afterEach(() => {
	traces?.end();
	traces = undefined;
});

/** Words of people in the booking below, and a key somebody pasted: none of them may leave the call. */
const canaries = ["Ana", "Ruiz", "600", "111 222", "111222", "marzipan", "Quixote", "sk-canary", "ana.ruiz", "P-104"];

test("a whole booking leaves no word of the person in logs, metrics or traces, at the most talkative level", async () => {
	traces = new RecordedTraces();
	const clock = new VirtualClock("2026-03-02");
	let logged = "";
	const output = { write: (line: string) => (logged += line) };
	const log = pinoLog({ level: "debug", clock, form: "json", output });
	const agent = await agentUnderTest("agents/clinica-norte/agent.tsx");
	const model = new ScriptedModel(await loadScript("agents/clinica-norte/demo.yaml"), { clock, pace: 0 });
	const channel = new FakeChannel({ clock });
	const doors = [{ name: "fake", channel, agent, model }];
	let calls = 0;
	const newId = () => `call-${++calls}`;
	const runtime = createRuntime({ backend: inMemory({ clock, log }), doors, clock, log, newId });
	const page = metricsOf(runtime, clock);
	await runtime.start();
	const ana = new FakePerson(channel, { chat: "c1", name: "Marzipan Quixote" });
	const says = async (text: string) => {
		await ana.says(text);
		await settled(clock, runtime.idle());
	};
	await ana.opens();
	await settled(clock, runtime.idle());
	await says("I am Ana Ruiz, 600 111 222");
	await says("tomorrow, marzipan allergy, write to ana.ruiz@example.org, my key is sk-canary-0123456789abcdef");
	channel.answer({ result: { outcome: "retry", afterMs: 100, scope: "chat", reason: "429" } });
	await ana.taps("10:30");
	await settled(clock, runtime.idle());
	await says("no thanks, bye");
	expect(ana.heard.join("\n")).toMatch(/Ana Ruiz[\s\S]*10:30[\s\S]*Take care/);

	const { text } = await page();
	await runtime.stop(0);
	const spans = JSON.stringify(
		traces.spans.map(({ name, attributes, events, status, links }) => ({ name, attributes, events, status, links })),
	);
	expect(logged.split("\n").length).toBeGreaterThan(20);
	expect(logged).toContain('"args":{"name":"***","phone":"***"}');
	expect(traces.spans.length).toBeGreaterThan(15);
	expect(text).toContain('callboard_tools_total{door="fake",tool="book",status="ok"} 1');
	for (const [place, held] of Object.entries({ logged, metrics: ours(text), spans }))
		for (const canary of canaries)
			expect(`${place} holds ${held.includes(canary) ? canary : "none"}`).toBe(`${place} holds none`);
});

/** Figures of Node and the process may hold any digits. */
function ours(page: string): string {
	return page
		.split("\n")
		.filter((line) => line.startsWith("callboard_"))
		.map((line) => line.slice(0, line.lastIndexOf(" ")))
		.join("\n");
}

async function settled(clock: VirtualClock, idle: Promise<void>): Promise<void> {
	let over = false;
	const done = idle.then(() => {
		over = true;
	});
	while (!over) {
		await clock.settle();
		if (!over && !(await clock.step())) break;
	}
	await done;
}

const TURNS = 1_000;
const PEOPLE = 8;

test("I5: a thousand interleaved turns of people with one display name, and no prompt holds another's words", async () => {
	const random = seededRandom(5);
	const owners = new Map<string, string>();
	const leaks: string[] = [];
	let asked = 0;
	const engine = await stand({
		agent: {
			state: { noted: "" },
			view: (state) => `Noted: ${JSON.stringify(state.noted)}`,
			settings: { window: 12 },
			tools: {
				note: { args: ["what"], effect: "idempotent", run: ({ what }, { state }) => (state.noted = what ?? "") },
			},
		},
		model: (request) => {
			asked += 1;
			const own = ownerOf(request, owners);
			const foreign = wordsIn(request).filter((word) => !word.startsWith(`${own}-`));
			if (foreign.length > 0) leaks.push(`${own} was shown ${foreign[0]}`);
			const last = request.history.at(-1);
			if (last?.role !== "user") return `noted ${own}`;
			const [word = ""] = CANARY.exec(last.text) ?? [];
			return random() < 0.5 ? { calls: [["note", { what: word }]] } : `you said ${word}`;
		},
	});
	const people = Array.from({ length: PEOPLE }, (_, index) => {
		const name = `canary${index}`;
		return { name, person: new FakePerson(engine.channel, { chat: `chat-${index}`, name: "Ana Ruiz" }), said: 0 };
	});
	while (engine.told("turn.committed").length < TURNS) {
		const some = people.filter(() => random() < 0.5);
		for (const each of some) await each.person.says(`word ${each.name}-${++each.said}`);
		await engine.clock.settle();
	}
	await engine.settle();
	expect(leaks).toEqual([]);
	expect(asked).toBeGreaterThanOrEqual(TURNS);
	for (const { name, person } of people) {
		const heard = person.heard.join("\n").match(new RegExp(CANARY, "g")) ?? [];
		expect(heard.filter((word) => !word.startsWith(`${name}-`))).toEqual([]);
		const { record } = await engine.backend.view(person.address, { history: 0 });
		expect(JSON.stringify(record?.state)).toContain(`${name}-`);
	}
	await engine.runtime.stop(0);
}, 60_000);

const CANARY = /canary\d+-\d+/;

function wordsIn(request: ModelRequest): readonly string[] {
	return JSON.stringify(request).match(new RegExp(CANARY, "g")) ?? [];
}

/** Whose call it is: who spoke first in it, by the key that stays the same through a call. */
function ownerOf(request: ModelRequest, owners: Map<string, string>): string {
	const known = owners.get(request.cacheKey);
	if (known !== undefined) return known;
	const [first = ""] = wordsIn(request);
	const own = first.slice(0, first.indexOf("-"));
	owners.set(request.cacheKey, own);
	return own;
}
