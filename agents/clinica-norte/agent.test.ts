import { join } from "node:path";
import { type Conversation, converse } from "callboard/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Agenda, agenda } from "./agenda.js";
import { dayMeant } from "./days.js";

const agent = join(import.meta.dirname, "agent.tsx");
const demo = join(import.meta.dirname, "demo.yaml");

let clinic: Conversation | undefined;
beforeEach(() => agenda.clear());
afterEach(async () => {
	await clinic?.close();
	clinic = undefined;
});

async function open(today = "2026-03-02"): Promise<Conversation> {
	clinic = await converse({ agent, script: demo, today });
	return clinic;
}

const toolsRun = (conversation: Conversation) => conversation.tools.map(({ tool }) => tool);

test("the whole way: greeted, identified, an hour tapped, booked, goodbye, and the call is over", async () => {
	const call = await open();
	expect((await call.opens())[0]).toContain("Clínica Norte");
	expect((await call.says("Ana Ruiz, 600 111 222"))[0]).toContain("Thank you, Ana Ruiz");
	expect(call.state.stage).toBe("choose");

	const [offer] = await call.says("cardiology, tomorrow please");
	expect(offer).toContain("Dr. Iborra has these hours on Tuesday 3 March");
	expect(call.person.offered.map(({ label }) => label)).toEqual(["09:00", "10:30", "12:00"]);
	expect(call.state.stage).toBe("book");

	const [booked] = await call.taps("10:30");
	expect(booked).toContain("at 10:30");
	expect(booked).toContain("Dr. Iborra");
	expect(booked).toMatch(/CN-\d{4}/);
	expect(call.state.stage).toBe("done");

	expect(await call.says("no thanks, bye")).toEqual(["Thank you for writing to Clínica Norte. Take care!"]);
	expect(toolsRun(call)).toEqual(["findPatient", "freeSlots", "book", "goodbye"]);
	expect(call.record?.ended?.reason).toBeDefined();
});

test("an unknown patient stays in identify, and is asked to check", async () => {
	const call = await open();
	await call.opens();
	expect((await call.says("Juan Nadie, 600 999 999"))[0]).toContain("cannot find");
	expect(call.state.stage).toBe("identify");
	expect(call.lastRequest?.allowed).toEqual(["findPatient", "human", "goodbye"]);
});

test("name and phone may come in two messages, and the day may have been named before", async () => {
	const call = await open();
	await call.opens();
	expect((await call.says("My name is Luis Vega"))[0]).toContain("phone number");
	expect((await call.says("it's 600-333-444, and tomorrow would be good"))[0]).toContain("Dr. Salas");
	expect(toolsRun(call)).toEqual(["findPatient", "freeSlots"]);
});

test("a day without free hours is told apart from a day never asked for", async () => {
	const call = await open();
	await call.says("Ana Ruiz, 600111222");
	expect((await call.says("sunday"))[0]).toContain("nothing free");
	expect(call.state.stage).toBe("choose");
	expect(call.state.asked).toEqual({ day: "2026-03-08", specialty: "general" });
	expect((await call.says("then friday"))[0]).toContain("Friday 6 March");
});

test("looking again for another day replaces the offer, and an hour can be typed", async () => {
	const call = await open("2026-04-06");
	await call.says("Ana Ruiz, 600111222", "skin doctor, wednesday");
	expect((await call.says("rather thursday"))[0]).toContain("Thursday 9 April");
	expect((await call.says("the 12:00 one"))[0]).toContain("at 12:00");
	expect(call.state.slots).toEqual([]);
});

test("a word off the path is answered and the path goes on", async () => {
	const call = await open();
	await call.says("Ana Ruiz, 600111222");
	expect((await call.says("do you take cards?"))[0]).toContain("cards and cash");
	expect(call.state.stage).toBe("choose");
	expect(toolsRun(call)).toEqual(["findPatient"]);
});

test("asked for a person, the call is handed over and the model is silent from then on", async () => {
	const call = await open();
	await call.opens();
	const [said] = await call.says("I want to talk to a human");
	expect(said).toBeDefined();
	expect(call.record?.owner).toBe("human");
	const requests = call.requests.length;
	expect(await call.says("hello?")).toEqual([]);
	expect(call.requests.length).toBe(requests);
});

test("the static region is the same, byte for byte, in every request of the call", async () => {
	const call = await open();
	await call.opens();
	await call.says("Ana Ruiz, 600 111 222", "paediatrics on friday", "the first one");
	expect(call.requests.length).toBeGreaterThan(4);
	expect(new Set(call.requests.map(({ system }) => system)).size).toBe(1);
	expect(new Set(call.requests.map(({ view }) => view)).size).toBeGreaterThan(3);
});

test("the same key books once, and a taken hour is refused in words", async () => {
	const agenda = new Agenda();
	const ana = { id: "P-104", name: "Ana Ruiz" };
	const [slot] = await agenda.free("2026-03-03", "general");
	if (!slot) throw new Error("no hour is free");
	const first = await agenda.book(ana, slot, "k1");
	expect(await agenda.book(ana, slot, "k1")).toBe(first);
	await expect(agenda.book(ana, slot, "k2")).rejects.toThrow("just been taken");
	expect(agenda.bookings()).toEqual([first]);
	expect((await agenda.free("2026-03-03", "general")).map(({ time }) => time)).not.toContain(slot.time);
});

test.each([
	["tomorrow", "2026-03-03"],
	["next monday", "2026-03-09"],
	["Friday afternoon", "2026-03-06"],
	["2026-12-24", "2026-12-24"],
	["2026-02-30", undefined],
	["2025-01-01", undefined],
	["whenever", undefined],
])("%s means %s", (words, day) => {
	expect(dayMeant(words, "2026-03-02")).toBe(day);
});
