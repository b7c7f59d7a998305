import { describe, expect, test } from "vitest";
import type { Transport } from "../../src/call/transport.js";
import { FakeModel } from "../turn/fake-model.js";
import { Line, told, words } from "../turn/line.js";
import { declared } from "./declared.js";
import { type Services, seedSupport } from "./seed-support.mjs";

function support(model: FakeModel, over: Partial<Services> = {}) {
	const asked: unknown[] = [];
	const services: Services = {
		db: {
			orders: {
				findOne: async (id) => {
					asked.push(id);
					return id === "ORD-12345" ? { status: "shipped", trackingNumber: "TN-9", at: new Date(0) } : undefined;
				},
			},
			customers: {
				find: async ({ or }) => {
					asked.push(or);
					return or[0].phone === "600" ? { name: "Ana" } : null;
				},
			},
		},
		scheduler: {
			book: async (what) => {
				asked.push(what);
				return { booked: true };
			},
		},
		calendar: {
			book: async (what) => {
				asked.push(what);
				return what.duration > 30 ? { success: false, conflictReason: "taken" } : { success: true, id: "B-1" };
			},
		},
		...over,
	};
	return { line: new Line(declared(seedSupport(services)), model), asked };
}

describe("the patterns of the function-calling guide", () => {
	test("lookup: the model's call reaches the handler, and its result is the model's context", async () => {
		const model = new FakeModel(
			{ calls: [["lookupOrder", { orderId: "ORD-12345" }, "tc_abc"]] },
			"Your order shipped yesterday.",
		);
		const { line, asked } = support(model);
		const result = await line.say("Where's order ORD-12345?");
		expect(words(result)).toEqual(["Your order shipped yesterday."]);
		expect(asked).toEqual(["ORD-12345"]);
		expect(told(result)).toEqual({
			tc_abc: '{"status":"shipped","trackingNumber":"TN-9","at":"1970-01-01T00:00:00.000Z"}',
		});
		expect(model.requests[1]?.history.at(-1)).toEqual({ role: "tool", call: "tc_abc", content: told(result).tc_abc });
		expect(model.requests[0]?.system).toContain("You are a helpful support agent.");
		expect(model.requests[0]?.system).toBe(model.requests[1]?.system);
		expect(model.left).toBe(0);
	});

	test("several parallel calls come in one event and each gets its own result", async () => {
		const model = new FakeModel(
			{
				calls: [
					["lookupOrder", { orderId: "ORD-12345" }, "a"],
					["lookupOrder", { orderId: "ORD-0" }, "b"],
					["findCustomer", { query: "600" }, "c"],
					["findCustomer", { query: "x@y" }, "d"],
				],
			},
			"Done.",
		);
		const result = await support(model).line.say("all of it");
		expect(Object.keys(told(result))).toEqual(["a", "b", "c", "d"]);
		expect(told(result)).toMatchObject({
			b: '{"error":"Order not found"}',
			c: '{"name":"Ana"}',
			d: '{"error":"not_found"}',
		});
		expect(model.requests).toHaveLength(2);
	});

	test("scheduling uses call.from, which is never empty", async () => {
		const model = new FakeModel(
			{ calls: [["scheduleCallback", { datetime: "2026-05-04T10:00:00Z", reason: "fees" }]] },
			"Booked.",
		);
		const { line, asked } = support(model);
		await line.say("call me");
		expect(asked).toEqual([{ phone: "web:ana", datetime: "2026-05-04T10:00:00Z", reason: "fees" }]);
	});

	test("booking: success and conflict are both results the model can speak of", async () => {
		const book = (duration_minutes: number, id: string) =>
			["bookAppointment", { datetime: "2026-05-04T10:00:00Z", duration_minutes, patient_name: "Ana" }, id] as const;
		const model = new FakeModel({ calls: [book(30, "a"), book(60, "b")] }, "One of two.");
		const { line, asked } = support(model);
		const result = await line.say("book");
		expect(told(result)).toEqual({
			a: '{"booked":true,"confirmationId":"B-1"}',
			b: '{"booked":false,"error":"taken"}',
		});
		expect(asked).toEqual([
			{ start: new Date("2026-05-04T10:00:00Z"), duration: 30, patient: "Ana" },
			{ start: new Date("2026-05-04T10:00:00Z"), duration: 60, patient: "Ana" },
		]);
	});

	test("an error that a service throws is returned, and the model recovers", async () => {
		const model = new FakeModel({ calls: [["lookupOrder", { orderId: "1" }, "a"]] }, "I could not look it up.");
		const { line } = support(model, {
			db: {
				orders: {
					findOne: () => Promise.reject(new Error("database is down")),
				},
				customers: { find: async () => null },
			},
		});
		const result = await line.say("where is it?");
		expect(told(result)).toEqual({ a: '{"error":"database is down"}' });
		expect(words(result)).toEqual(["I could not look it up."]);
	});

	test("transfer: the person is told, the call belongs to people and the model is not asked again", async () => {
		const model = new FakeModel({ calls: [["transferToHuman", { department: "billing" }, "a"]] });
		const { line } = support(model);
		const result = await line.say("I want a person!");
		expect(words(result)).toEqual(["Of course, let me connect you to a specialist."]);
		expect(result.record).toMatchObject({ owner: "human", forwarded: { to: "+15551110002" } });
		expect(told(result)).toEqual({ a: '{"transferred":true}' });
		expect(result.events.map(({ name }) => name)).toContain("call.forwarded");
		const later = await line.say("hello?");
		expect([words(later), model.requests.length]).toEqual([[], 1]);
	});

	test("ending: goodbye first, then the call ends once it has left, and the model is not asked in between", async () => {
		const model = new FakeModel({ calls: [["endCall", {}, "a"]] });
		const { line } = support(model);
		const result = await line.say("bye");
		expect(words(result)).toEqual(["Have a great day!"]);
		expect(result.record).toMatchObject({ ending: { reason: "hangup" } });
		expect(result.record.ended).toBeUndefined();
		expect(result.then).toMatchObject({ occurrence: { kind: "delivered" } });
		const end = await line.take(result.then ? [result.then] : []);
		expect(end.record.ended).toMatchObject({ reason: "hangup" });
		expect([model.requests.length, words(end)]).toEqual([1, []]);
		expect(line.warnings()).toEqual([]);
	});

	test("ending: the same when the process died after the handler answered and another one goes on", async () => {
		const first = support(new FakeModel({ calls: [["endCall", {}, "a"]] }));
		const message = first.line.message("bye");
		await first.line.take([message]);
		const second = support(new FakeModel());
		const replayed = await second.line.take([message], { journal: first.line.journal });
		expect(words(replayed)).toEqual(["Have a great day!"]);
		expect(replayed.record).toMatchObject({ ending: { reason: "hangup" } });
		expect(replayed.then).toMatchObject({ occurrence: { kind: "delivered" } });
		const end = await second.line.take(replayed.then ? [replayed.then] : []);
		expect(end.record.ended).toMatchObject({ reason: "hangup" });
	});

	test.each<[string, Transport]>([
		["web", "chat"],
		["terminal", "chat"],
		["telegram", "telegram"],
		["slack", "slack"],
		["whatsapp", "whatsapp"],
	])("the same handler serves %s", async (name, transport) => {
		const model = new FakeModel({ calls: [["lookupOrder", { orderId: "ORD-12345" }]] }, "Shipped.");
		const { line } = support(model);
		const result = await line.take([line.message("where?")], { channel: { name, transport } });
		expect(words(result)).toEqual(["Shipped."]);
	});

	test("arguments that do not fit never reach the handler; the model is told and can try again", async () => {
		const model = new FakeModel(
			{
				calls: [
					["lookupOrder", { orderId: 7 }, "a"],
					["lookupOrder", { orderId: "1", extra: true }, "b"],
					["transferToHuman", { department: "legal" }, "c"],
					["lookupOrder", '{"orderId": "OR', "d"],
					["lookupOrder", { orderId: "ORD-12345" }, "e"],
					["dropTables", {}, "f"],
				],
			},
			"Found one.",
		);
		const { line, asked } = support(model);
		const result = await line.say("go");
		expect(asked).toEqual(["ORD-12345"]);
		const all = told(result);
		expect(all.a).toContain("orderId: expected a string, got a number");
		expect(all.b).toContain("extra: expected only orderId, got an unknown member");
		expect(all.c).toContain("department: expected one of");
		expect(all.d).toContain("not JSON");
		expect(all.e).toContain("shipped");
		expect(all.f).toContain("there is no tool");
	});
});
