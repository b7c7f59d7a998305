import { expect, test } from "vitest";
import { pause } from "../../src/clock.js";
import { replacing } from "./replacing.js";
import { Gate, newestWords, Stand, stand } from "./stand.js";

test("a message is answered, and what the person may see meanwhile is shown", async () => {
	const desk = await stand();
	const ana = desk.person();
	await ana.says("hi");
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["re: hi"]);
	const kinds = desk.channel.shown.map(({ event }) => event.kind);
	expect(kinds).toContain("typing");
	expect(kinds).toContain("draft");
	expect(desk.told("turn.committed")).toMatchObject([{ turn: 1, requests: 1, parts: 1, usage: { input: 10 } }]);
	await desk.end();
});

test("A1: m2 sent while m1's tool takes 65 s has its own turn, which sees m1's answer", async () => {
	const running: string[] = [];
	const desk = await stand({
		agent: { tools: { slow: { run: (_, { signal }) => pause(desk.clock, 65_000, signal) } } },
		model: (request) => {
			running.push(newestWords(request));
			if (request.history.at(-1)?.role === "tool") return "m1 is done";
			return newestWords(request) === "m1" ? { calls: [["slow"]] } : "m2 is done";
		},
	});
	const ana = desk.person();
	await ana.says("m1");
	await desk.clock.advance(40_000);
	await ana.says("m2");
	await desk.clock.advance(24_000);
	expect(ana.heard).toEqual([]);
	await desk.clock.advance(2_000);
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["m1 is done", "m2 is done"]);
	expect(JSON.stringify(desk.requests.at(-1)?.history)).toContain("m1 is done");
	expect(running).toEqual(["m1", "m1", "m2"]);
	await desk.end();
});

test("A5: all that waits when a turn begins is its input, one entry each; what comes later is the next turn's", async () => {
	const gate = new Gate();
	const desk = await stand({
		model: async (request) => {
			if (desk.requests.length === 1) await gate.pass();
			return `re: ${request.history.filter((each) => each.role === "user").length}`;
		},
	});
	const ana = desk.person();
	await ana.says("book a table");
	await gate.reached;
	await ana.says("for 4");
	await ana.says("outside");
	gate.open();
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["re: 1", "re: 3"]);
	await desk.end();
});

test("A8: a hundred chats of twenty messages, tools of random length: each chat in strict order, chats beside each other", async () => {
	let seed = 7;
	const random = (below: number) => {
		seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
		return seed % below;
	};
	let most = 0;
	let running = 0;
	const desk = await stand({
		limits: { items: 3 },
		model: async (request) => {
			running += 1;
			most = Math.max(most, running);
			await pause(desk.clock, random(500));
			running -= 1;
			return `re: ${newestWords(request)}`;
		},
	});
	const people = Array.from({ length: 100 }, (_, n) => desk.person(`chat${n}`));
	for (let n = 0; n < 20; n += 1) await Promise.all(people.map((person) => person.says(`m${n}`)));
	const rest = desk.runtime.idle();
	let idle = false;
	void rest.then(() => {
		idle = true;
	});
	while (!idle) {
		await desk.clock.settle();
		await desk.clock.step();
	}
	for (const person of people) {
		const { history } = await desk.backend.view(person.address, { history: 1_000 });
		const words = history.flatMap((row) =>
			row.role === "user" && row.content.kind === "text" ? [row.content.text] : [],
		);
		expect(words).toEqual(Array.from({ length: 20 }, (_, n) => `m${n}`));
		expect(person.heard.at(-1)).toBe("re: m19");
	}
	expect(most).toBeGreaterThan(30);
	await desk.end();
});

test("A3: a turn that failed is tried again, and a redelivery meanwhile changes nothing", async () => {
	let failed = false;
	const desk = await stand({
		agent: {
			onCall() {
				if (failed) return;
				failed = true;
				throw new Error("not yet");
			},
		},
	});
	const ana = desk.person();
	const hello = ana.message({ kind: "text", text: "hi" });
	await desk.channel.receive(hello);
	await desk.settle();
	expect(await desk.channel.receive(hello)).toEqual({ outcome: "duplicate" });
	expect(ana.heard).toEqual([]);
	await desk.clock.advance(1_000);
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["re: hi"]);
	await desk.end();
});

test("H13: a request that fails after a tool's effect is asked again, and the tool is not run again", async () => {
	let requests = 0;
	const keys: string[] = [];
	const desk = await stand({
		agent: { tools: { pay: { effect: "once", run: (_, { key }) => void keys.push(key) } } },
		model: () => {
			requests += 1;
			if (requests === 1) return { calls: [["pay"]] };
			if (requests === 2) throw new Error("HTTP 500");
			return "It is paid.";
		},
	});
	const ana = desk.person();
	await ana.says("pay it");
	await desk.settle();
	expect(desk.told("turn.failed")).toHaveLength(1);
	await desk.clock.advance(1_000);
	await desk.runtime.idle();
	expect([requests, keys.length]).toEqual([3, 1]);
	expect(ana.heard).toEqual(["It is paid."]);
	await desk.end();
});

test("a poison message is tried with growing waits, set aside with its reason, and the person told once", async () => {
	const times: number[] = [];
	let broken = true;
	const desk = await stand({
		agent: {
			onCall: () => {
				if (broken) {
					times.push(desk.clock.now());
					throw new Error("secret words");
				}
			},
		},
	});
	const ana = desk.person();
	await ana.says("hi");
	for (let second = 0; second < 30; second += 1) await desk.clock.advance(1_000);
	await desk.settle();
	expect(times.map((time) => time - times[0]!)).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
	expect(ana.heard).toEqual(["APOLOGY"]);
	const { parked, waiting } = await desk.backend.view(ana.address, { history: 0 });
	expect(parked).toContain("onCall");
	expect(parked).not.toContain("secret words");
	expect(waiting).toHaveLength(1);
	expect(desk.told("call.parked")).toHaveLength(1);
	await desk.backend.unpark(ana.address);
	for (let second = 0; second < 30; second += 1) await desk.clock.advance(1_000);
	expect(ana.heard).toEqual(["APOLOGY"]);
	broken = false;
	await desk.backend.unpark(ana.address);
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["APOLOGY", "re: hi"]);
	await desk.end();
});

test("listeners of the agent's own code are told once the turn is committed, and not of a turn that is not", async () => {
	const order: string[] = [];
	let refused = 1;
	const desk = await stand({
		agent: {
			tools: { hand: { run: (_, { acts }) => acts.push({ act: "forward", to: "desk" }) } },
		},
		model: () => ({ calls: [["hand"]] }),
		over: (backend) =>
			replacing(backend, {
				settle: async (...given) => {
					if (refused-- > 0) throw new Error("not now");
					const settled = await backend.settle(...given);
					order.push(`committed, told ${desk.agent.happened.told.length}`);
					return settled;
				},
			}),
	});
	const ana = desk.person();
	await ana.says("a human, please");
	await desk.settle();
	expect(desk.agent.happened.told).toEqual([]);
	await desk.clock.advance(1_000);
	await desk.runtime.idle();
	expect(order).toEqual(["committed, told 0"]);
	expect(desk.agent.happened.told).toEqual([{ event: "call.forwarded", data: { to: "desk" } }]);
	await desk.end();
});

test("a part that its channel cannot render fails the turn, visibly", async () => {
	const desk = await stand();
	const ana = desk.person();
	desk.channel.render = () => {
		throw new Error("no such part");
	};
	await ana.says("hi");
	await desk.settle();
	expect(desk.told("turn.failed")).toMatchObject([{ failures: 1 }]);
	Reflect.deleteProperty(desk.channel, "render");
	await desk.clock.advance(1_000);
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["re: hi"]);
	expect(desk.requests).toHaveLength(1);
	await desk.end();
});

test("a channel that throws while something is shown, or an observer that throws, disturbs nothing", async () => {
	const desk = await stand();
	desk.channel.show = () => {
		throw new Error("closed");
	};
	desk.runtime.on("turn.committed", () => {
		throw new Error("observer");
	});
	const ana = desk.person();
	await ana.says("hi");
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["re: hi"]);
	expect(desk.log.lines.map(({ event }) => event)).toEqual(
		expect.arrayContaining(["channel.threw", "listener.failed"]),
	);
	await desk.end();
});

test("an address of a door that is not configured waits, untouched, until it is", async () => {
	const both = await stand({ doors: ["fake", "other"] });
	await both.runtime.stop(0);
	const lost = { ...both.backend };
	expect(lost).toBeDefined();
	await both.backend.open();
	const message = {
		type: "message",
		id: "m1",
		address: "other|ana",
		contact: { id: "x" },
		content: { kind: "text", text: "hi" },
		sentAt: 0,
	} as const;
	await both.backend.accept(message, { inbox: 10, dedupeMs: 1_000 });
	await both.backend.close();
	const without = await stand({ after: both });
	await without.clock.advance(5_000);
	expect(without.log.lines.map(({ event }) => event)).toContain("door.unknown");
	await without.runtime.stop(0);
	const again = await stand({ after: both, doors: ["fake", "other"] });
	await again.runtime.idle();
	expect(again.channels[1]?.delivered).toHaveLength(1);
	await again.end();
});

test("G13: five hundred turns keep a bounded number of rows", async () => {
	const desk = await stand({ limits: { keep: 50 } });
	const ana = desk.person();
	for (let n = 0; n < 500; n += 1) {
		await ana.says(`m${n}`);
		await desk.runtime.idle();
	}
	const { history, record } = await desk.backend.view(ana.address, { history: 100_000 });
	expect(history).toHaveLength(50);
	expect(record?.rows).toBe(1_000);
	expect(desk.requests.at(-1)?.history.length).toBeLessThanOrEqual(60);
	await desk.end();
});

test("a stand that was never started has nothing running", async () => {
	const desk = new Stand();
	await desk.runtime.stop(0);
	expect(desk.facts).toEqual([]);
});
