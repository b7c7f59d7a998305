import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Json } from "../../src/call/json.js";
import type { ModelMessage } from "../../src/model/model.js";
import { loadScript } from "../../src/model/script-file.js";
import { ScriptedModel } from "../../src/model/scripted.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import { ask, requestWith } from "./asking.js";

const demo = await loadScript(join(import.meta.dirname, "fixtures/demo.yaml"));
const slots = [
	{ id: "s1", time: "10:00" },
	{ id: "s2", time: "11:30" },
	{ id: "s3", time: "12:00" },
];

/** A conversation with the script: tools answer what they are told to, all are visible. */
class Conversation {
	readonly history: ModelMessage[] = [];
	readonly calls: string[] = [];
	allowed = ["findPatient", "freeSlots", "book", "endCall"];
	results: Record<string, Json> = {
		findPatient: { name: "Ana García" },
		freeSlots: slots,
		book: { ok: true, day: "2026-03-03" },
		endCall: null,
	};
	readonly model = new ScriptedModel(demo, { clock: new VirtualClock("2026-03-02"), pace: 0 });

	async say(text: string): Promise<string> {
		this.history.push({ role: "user", text });
		for (let step = 0; step < 5; step += 1) {
			const answer = await ask(this.model, requestWith({ history: this.history, allowed: this.allowed }));
			this.history.push({ role: "assistant", text: answer.text, calls: answer.calls });
			if (answer.calls.length === 0) return answer.text;
			for (const call of answer.calls) {
				this.calls.push(`${call.name} ${call.arguments}`);
				this.history.push({ role: "tool", call: call.id, content: JSON.stringify(this.results[call.name]) });
			}
		}
		throw new Error("the script calls tools without end");
	}

	/** Up to the question for a day. */
	async identify(): Promise<void> {
		await this.say("hola");
		await this.say("Ana García, 600 111 222");
		this.calls.length = 0;
	}
}

let talk: Conversation;
beforeEach(() => {
	talk = new Conversation();
});

describe("a free conversation", () => {
	test("is held to its end, whatever the order and the spelling", async () => {
		expect(await talk.say("buenas")).toBe("Hola. ¿Me dice su nombre completo y su teléfono?");
		expect(await talk.say("Soy ana garcía")).toBe("Gracias, Ana García. ¿Y su teléfono?");
		expect(await talk.say("es el 600 11 12 22")).toBe("Gracias, Ana García. ¿Qué día le viene bien?");
		expect(await talk.say("¿tienen parking?")).toBe("¿Perdone? No le he entendido.");
		expect(await talk.say("MANANA por la tarde")).toBe("El martes, 3 de marzo tengo 10:00 y 11:30.");
		expect(await talk.say("a las 11:30, gracias")).toBe("Hecho. Le esperamos el martes, 3 de marzo.");
		expect(talk.calls).toEqual([
			'findPatient {"name":"ana garcía","phone":"600111222"}',
			'freeSlots {"day":"2026-03-03","specialty":"general"}',
			'book {"slot":"s2"}',
		]);
	});

	test("takes values that come together, and asks for one that is missing", async () => {
		await talk.say("hola");
		expect(await talk.say("600111222")).toBe("Gracias. ¿Y su nombre completo?");
		await talk.say("me llamo Ana García");
		expect(talk.calls).toEqual(['findPatient {"name":"Ana García","phone":"600111222"}']);

		talk = new Conversation();
		await talk.say("hola");
		await talk.say("Ana García, 600 111 222");
		expect(talk.calls).toHaveLength(1);
	});

	test("corrects itself with the newest value, and does not call again without a new one", async () => {
		await talk.say("hola");
		talk.results.findPatient = null;
		expect(await talk.say("Ana García, 600 111 222")).toContain("No encuentro a nadie");
		expect(await talk.say("¿cómo?")).not.toContain("encuentro");
		expect(talk.calls).toHaveLength(1);
		await talk.say("perdón, 699 999 999");
		expect(talk.calls[1]).toContain("699999999");
	});

	test("goes back, and to another day", async () => {
		await talk.identify();
		await talk.say("el viernes");
		await talk.say("no, mejor el 15 de abril");
		expect(talk.calls).toEqual([
			'freeSlots {"day":"2026-03-06","specialty":"general"}',
			'freeSlots {"day":"2026-04-15","specialty":"general"}',
		]);
	});

	test("says goodbye in words and with a tool at once", async () => {
		await talk.say("hola");
		talk.history.push({ role: "user", text: "adios" });
		const answer = await ask(talk.model, requestWith({ history: talk.history, allowed: talk.allowed }));
		expect(answer.text).toBe("Hasta pronto.");
		expect(answer.calls).toEqual([{ id: "call00001", name: "endCall", arguments: "{}" }]);
		expect(answer.finish).toBe("tools");
	});

	test("calls only what is visible", async () => {
		await talk.identify();
		talk.allowed = ["endCall"];
		expect(await talk.say("el viernes")).toBe("¿Perdone? No le he entendido.");
		expect(talk.calls).toEqual([]);
	});

	test("skips a rule whose template has no value: an hour that is not on the list", async () => {
		await talk.identify();
		await talk.say("el viernes");
		expect(await talk.say("a las 19:00")).toBe("Esa hora no la tengo.");
		expect(talk.calls).toHaveLength(1);
	});

	test("looks into a result by path, and takes alternatives and exceptions", async () => {
		await talk.identify();
		await talk.say("el viernes");
		talk.results.book = { ok: false, error: "hora ocupada" };
		expect(await talk.say("a las 12")).toBe("Lo siento, esa hora acaba de ocuparse.");
		expect(await talk.say("no, a las 10:00 no")).toContain("hora no");
		expect(talk.calls).toHaveLength(2);
	});

	test.each(['Lo primero que haya\n[tapped the answer with id "first-slot"]', "first-slot"])(
		"knows a tapped choice by its id: %s",
		async (tapped) => {
			await talk.identify();
			await talk.say("el viernes");
			await talk.say(tapped);
			expect(talk.calls[1]).toBe('book {"slot":"s1"}');
		},
	);

	test("takes no number for heard out of what the framework says of a message", async () => {
		await talk.say("hola");
		expect(await talk.say("[sent a location: latitude 40.41678900, longitude -3.703790000]")).toContain("Perdone");
	});

	test("of several lines, the one said longest ago has its turn", async () => {
		await talk.say("hola");
		const [first, second, third] = [await talk.say("a"), await talk.say("b"), await talk.say("c")];
		expect(first).toBe("¿Perdone? No le he entendido.");
		expect(second).toBe("Disculpe, ¿me lo dice de otra manera?");
		expect(third).toBe(first);
	});

	test("goes on after a tool that spoke by itself", async () => {
		await talk.identify();
		talk.history.push(
			{ role: "user", text: "el viernes" },
			{ role: "assistant", calls: [{ id: "x", name: "freeSlots", arguments: '{"day":"2026-03-06"}' }] },
			{ role: "tool", call: "x", content: "[]" },
			{ role: "assistant", text: "Un momento, lo miro." },
		);
		const answer = await ask(talk.model, requestWith({ history: talk.history, allowed: talk.allowed }));
		expect(answer.text).toBe("El viernes, 6 de marzo no queda nada. ¿Otro día?");
	});

	test("says words when tools are off", async () => {
		await talk.identify();
		talk.history.push({ role: "user", text: "el viernes" });
		const answer = await ask(
			talk.model,
			requestWith({ history: talk.history, allowed: talk.allowed, toolChoice: "none" }),
		);
		expect(answer.calls).toEqual([]);
		expect(answer.text).not.toBe("");
	});

	test("is the same in every process: all is read from the request", async () => {
		await talk.say("hola");
		await talk.say("Soy Ana García");
		talk.history.push({ role: "user", text: "600 11 12 22" });
		const request = requestWith({ history: talk.history, allowed: talk.allowed });
		const elsewhere = new ScriptedModel(demo, { clock: new VirtualClock("2026-03-02"), pace: 0 });
		expect(await ask(elsewhere, request)).toEqual(await ask(talk.model, request));
	});
});

describe("a condition", () => {
	const looked: ModelMessage[] = [
		{ role: "user", text: "one" },
		{ role: "assistant", calls: [{ id: "c1", name: "look", arguments: "{}" }] },
		{ role: "tool", call: "c1", content: "[1]" },
		{ role: "assistant", text: "Which?" },
		{ role: "user", text: "two" },
	];

	test.each<[string, object, object, boolean]>([
		["called", { called: "look" }, {}, true],
		["called", { called: ["look", "book"] }, {}, false],
		["uncalled", { uncalled: "look" }, {}, false],
		["uncalled", { uncalled: "book" }, {}, true],
		["view", { view: "stage: b" }, { view: "stage: book" }, true],
		["view", { view: "stage: b" }, { view: "stage: choose" }, false],
		["asked", { asked: "^which" }, {}, true],
		["asked", { asked: "who" }, {}, false],
		["noTool", { noTool: "book" }, { allowed: ["look"] }, true],
		["noTool", { noTool: "look" }, { allowed: ["look"] }, false],
		["tools", { tools: ["b", "a"] }, { allowed: ["a", "b"] }, true],
		["tools", { tools: ["a"] }, { allowed: ["a", "b"] }, false],
		["toolChoice", { toolChoice: "none" }, { toolChoice: "none" }, true],
		["toolChoice", { toolChoice: "none" }, {}, false],
		["first", { first: false }, {}, true],
		["first", { first: true }, {}, false],
		["result", { result: "some" }, {}, true],
		["result", { result: "none" }, {}, false],
		["result", { result: { "0": 1, length: 1 } }, {}, true],
		["result", { result: [1, 2] }, {}, false],
		["result", { result: "/^1$/" }, {}, true],
	])("%s: %j", async (_name, when, request, holds) => {
		const model = new ScriptedModel({ rules: [{ when, say: "holds" }], otherwise: "does not", pace: 0 });
		const answer = await ask(model, requestWith({ history: looked, ...request }));
		expect(answer.text).toBe(holds ? "holds" : "does not");
	});
});

test("a demo that runs for ever keeps the newest requests only", async () => {
	const model = new ScriptedModel({ rules: [], otherwise: "yes", pace: 0 });
	for (let n = 0; n < 510; n += 1) await ask(model, requestWith({ cacheKey: `call-${n}` }));
	expect(model.requests).toHaveLength(500);
	expect(model.requests.at(-1)?.cacheKey).toBe("call-509");
});

describe("words are streamed", () => {
	test("one by one at the script's pace", async () => {
		const clock = new VirtualClock();
		const pieces: string[] = [];
		const running = ask(new ScriptedModel(demo, { clock }), requestWith(), { onText: (piece) => pieces.push(piece) });
		await clock.advance(20);
		expect(pieces).toEqual(["Hola."]);
		await clock.advance(20);
		expect(pieces).toEqual(["Hola.", " ¿Me"]);
		await clock.advance(1000);
		expect((await running).text).toBe(pieces.join(""));
	});

	test("until the caller gives up", async () => {
		const clock = new VirtualClock();
		const cancel = new AbortController();
		const running = ask(new ScriptedModel(demo, { clock }), requestWith(), { signal: cancel.signal });
		await clock.advance(20);
		cancel.abort(new Error("interrupted"));
		await expect(running).rejects.toThrow("interrupted");
		expect(clock.pending).toBe(0);
	});
});
