import { expect, test } from "vitest";
import { pause } from "../../src/clock.js";
import { CallboardError } from "../../src/errors.js";
import { replacing } from "./replacing.js";
import { Gate, newestWords, stand } from "./stand.js";

const down = () => new CallboardError("BACKEND_UNAVAILABLE", "platform", "the store is down");

test("A13: a worker frozen past its lease commits nothing and sends nothing", async () => {
	const gate = new Gate();
	const desk = await stand({
		model: async () => {
			await gate.pass();
			return "too late";
		},
	});
	const ana = desk.person();
	await ana.says("hi");
	await gate.reached;
	const frozen = desk.clock.now();
	Object.defineProperty(desk.clock, "now", { value: () => frozen + 10_000, configurable: true });
	const other = await desk.backend.claim(ana.address, { owner: "other", leaseMs: 60_000, window: 60, items: 100 });
	Reflect.deleteProperty(desk.clock, "now");
	expect(other.outcome).toBe("claimed");
	gate.open();
	await desk.settle();
	expect(desk.log.lines.map(({ event }) => event)).toContain("lease.lost");
	const { record, waiting, outbox } = await desk.backend.view(ana.address, { history: 10 });
	expect({ record, waiting: waiting.length, outbox }).toEqual({ record: undefined, waiting: 1, outbox: [] });
	expect(ana.heard).toEqual([]);
	await desk.runtime.stop(0);
});

test("G3: a lease that cannot be renewed in time aborts the turn, which starts over and answers once", async () => {
	let cut = true;
	const signals: AbortSignal[] = [];
	const desk = await stand({
		over: (backend) =>
			replacing(backend, { extend: (lease, ms) => (cut ? Promise.reject(down()) : backend.extend(lease, ms)) }),
		model: async (_, signal) => {
			signals.push(signal);
			if (signals.length === 1) await pause(desk.clock, 60_000, signal);
			return "answer";
		},
	});
	const ana = desk.person();
	await ana.says("hi");
	await desk.clock.advance(3_000);
	expect(signals[0]?.reason).toMatchObject({ code: "LEASE_LOST", fault: "lease" });
	cut = false;
	await desk.clock.advance(5_000);
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["answer"]);
	expect(desk.told("turn.failed")).toEqual([]);
	await desk.end();
});

test.each(["model", "tool"] as const)(
	"G3: another has the lease: the %s is aborted at the next renewal, long before the lease would have run out",
	async (where) => {
		let taken = true;
		let runs = 0;
		const signals: AbortSignal[] = [];
		const hangs = async (signal: AbortSignal) => {
			signals.push(signal);
			if (signals.length === 1) await pause(desk.clock, 60_000, signal);
		};
		const lost = () => new CallboardError("LEASE_LOST", "lease", "another worker has this address now");
		const desk = await stand({
			over: (backend) =>
				replacing(backend, {
					extend: (lease, ms, look) => (taken ? Promise.reject(lost()) : backend.extend(lease, ms, look)),
				}),
			agent: { tools: { slow: { effect: "idempotent", run: (_, { signal }) => hangs(signal) } } },
			model: async (request, signal) => {
				runs += 1;
				if (where === "model") await hangs(signal);
				else if (request.history.at(-1)?.role !== "tool") return { calls: [["slow"]] };
				return "answer";
			},
		});
		const ana = desk.person();
		await ana.says("hi");
		await desk.clock.advance(699);
		expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
		await desk.clock.advance(1);
		await desk.settle();
		expect(signals[0]?.reason).toMatchObject({ code: "LEASE_LOST", fault: "lease" });
		expect(desk.told("turn.fenced")).toHaveLength(1);
		expect((await desk.backend.view(ana.address, { history: 0 })).record).toBeUndefined();
		taken = false;
		await desk.clock.advance(5_000);
		await desk.runtime.idle();
		expect(ana.heard).toEqual(["answer"]);
		expect(runs).toBe(2);
		await desk.end();
	},
);

test("a store that is down for a moment fails no turn: what was decided is written when it is back", async () => {
	let outage = 3;
	const desk = await stand({
		over: (backend) =>
			replacing(backend, {
				settle: (lease, settlement) => (outage-- > 0 ? Promise.reject(down()) : backend.settle(lease, settlement)),
			}),
	});
	const ana = desk.person();
	await ana.says("hi");
	await desk.clock.advance(2_000);
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["re: hi"]);
	expect(desk.requests).toHaveLength(1);
	expect(desk.told("turn.failed")).toEqual([]);
	await desk.end();
});

test("G9: a turn that outlives the grace is handed on with its journal, and resumes at its next step elsewhere", async () => {
	const gate = new Gate();
	const tool = { effect: "once", run: () => "done" } as const;
	const desk = await stand({
		agent: { tools: { charge: tool } },
		model: async (request) => {
			if (request.history.at(-1)?.role !== "tool") return { calls: [["charge"]] };
			await gate.pass();
			return "never said";
		},
	});
	const ana = desk.person();
	await ana.says("hi");
	await gate.reached;
	const stopping = desk.runtime.stop(10_000);
	await desk.settle();
	await desk.clock.advance(10_000);
	await stopping;
	expect(desk.log.lines.map(({ event }) => event)).toContain("turn.handed-on");

	const next = await stand({ after: desk, agent: { tools: { charge: tool } }, model: () => "charged" });
	await next.runtime.idle();
	expect(next.person().heard).toEqual(["charged"]);
	expect([desk.agent.happened.ran.length, next.agent.happened.ran.length]).toEqual([1, 0]);
	expect(next.requests).toHaveLength(1);
	await next.end();
});

test("a stopping worker finishes what it can within the grace, and takes nothing new", async () => {
	const gate = new Gate();
	const desk = await stand({
		model: async (request) => {
			await gate.pass();
			return `re: ${newestWords(request)}`;
		},
	});
	const ana = desk.person();
	await ana.says("hi");
	await gate.reached;
	const { accept } = desk.runtime.host("fake");
	const late = desk.person("ben").message({ kind: "text", text: "late" });
	const stopping = desk.runtime.stop(10_000);
	await accept(late);
	gate.open();
	await stopping;
	expect(ana.heard).toEqual(["re: hi"]);
	const next = await stand({ after: desk });
	await next.runtime.idle();
	expect(next.channel.delivered.map(({ address }) => address)).toEqual([late.address]);
	await next.end();
});

test("a write that fails for good is a failed turn, tried again as such and set aside: never for ever", async () => {
	const fault = new CallboardError("STORE_FAULT", "operator", "the store could not write it");
	const desk = await stand({
		over: (backend) => replacing(backend, { settle: () => Promise.reject(fault) }),
		limits: { failures: 3 },
	});
	const ana = desk.person();
	await ana.says("hi");
	await desk.settle();
	await desk.clock.advance(10_000);
	await desk.settle();
	expect(desk.told("turn.failed")).toHaveLength(3);
	const { parked } = await desk.backend.view(ana.address, { history: 0 });
	expect(parked).toBe("the store could not write it");
	await desk.end();
});

test("a turn that cannot be written keeps no place at a door with a limit: the next one's words leave at once", async () => {
	let fails = true;
	const desk = await stand({
		channel: { capabilities: { rate: { perChatPerSecond: 1, chatBurst: 3, perDoorPerSecond: 25 } } },
		over: (backend) =>
			replacing(backend, {
				settle: (...args) => {
					if (!fails) return backend.settle(...args);
					fails = false;
					return Promise.reject(new Error("it cannot be written"));
				},
			}),
	});
	const ana = desk.person();
	await ana.says("hi");
	await desk.settle();
	expect(desk.told("turn.failed")).toHaveLength(1);
	await desk.clock.advance(1_000);
	await desk.settle();
	expect(ana.heard).toEqual(["re: hi"]);
	await desk.end();
});
