import { expect, test } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { CallboardError } from "../../src/errors.js";
import { platformAnswers } from "../../src/testing/platform-answers.js";
import { attempts, marks } from "./four-lines.js";
import { stand } from "./stand.js";

test("a store that is down while a send is marked: the mark is written when it is back, nothing is sent twice", async () => {
	const desk = await stand();
	const mark = desk.backend.mark.bind(desk.backend);
	let outage = 3;
	desk.backend.mark = (...args) => {
		outage -= 1;
		return outage < 0 ? mark(...args) : Promise.reject(new CallboardError("BACKEND_UNAVAILABLE", "platform", "down"));
	};
	const ana = desk.person();
	await ana.says("hi");
	await desk.settle();
	expect((await desk.backend.view(ana.address, { history: 0 })).outbox).toMatchObject([{ status: "sending" }]);
	await desk.clock.advance(1_000);
	await desk.runtime.idle();
	expect(desk.channel.attempts).toHaveLength(1);
	expect(await marks(desk, ana)).toEqual([]);
	await desk.end();
});

test("a store that is down for minutes after a send: what was sent counts as sent", async () => {
	const desk = await stand({ channel: { capabilities: { ambiguous: "leave" } } });
	const { mark, keep } = desk.backend;
	const until = desk.clock.now() + 3 * 60_000;
	const reach = () => {
		if (desk.clock.now() < until) throw new CallboardError("BACKEND_UNAVAILABLE", "platform", "down");
		return desk.backend;
	};
	desk.backend.mark = async (...args) => mark.apply(reach(), args);
	desk.backend.keep = async (...args) => keep.apply(reach(), args);
	const ana = desk.person();
	await ana.says("hi");
	await desk.settle();
	await desk.clock.advance(3 * 60_000 + 1_000);
	await desk.runtime.idle();
	expect(desk.channel.attempts).toHaveLength(1);
	expect(await marks(desk, ana)).toEqual([]);
	expect((await desk.backend.view(ana.address, { history: 0 })).outbox).toEqual([]);
	expect(desk.told("delivery.sent")).toHaveLength(1);
	await desk.end();
});

test("a slow send keeps its row from other processes as long as it takes, and a dead one for seconds only", async () => {
	const desk = await stand();
	desk.channel.answer(platformAnswers.late(9_000));
	const ana = desk.person();
	await ana.says("hi");
	await desk.settle();
	for (let second = 0; second < 9; second += 1) {
		const now = desk.clock.now();
		const taken = await desk.backend.take(ana.address, { owner: "other", leaseMs: 1_000 });
		expect(taken).toMatchObject({
			outcome: "busy",
			until: expect.toSatisfy((until: number) => until > now && until <= now + 3_000),
		});
		await desk.clock.advance(999);
	}
	await desk.clock.advance(1_000);
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["re: hi"]);
	await desk.end();
});

test.each([
	["what arrives meanwhile is not sent again", true],
	["what has not arrived by then is sent", false],
] as const)(
	"C6: a sender that may only stand still is waited for as long as a send may take: %s",
	async (_, arrives) => {
		const before = await stand({ roles: ["gateway", "worker"] });
		const ana = before.person();
		await ana.says("hi");
		await before.settle();
		const taken = await before.backend.take(ana.address, { owner: "stands still", leaseMs: 3_000 });
		if (taken.outcome !== "row") throw new Error(`it was ${taken.outcome}`);
		await before.runtime.stop(0);
		const manyProcesses = (backend: Backend) => Object.assign(backend, { hold: async () => true });
		const desk = await stand({ after: before, over: manyProcesses });
		await desk.clock.advance(8_000);
		const delivery = { address: ana.address, key: taken.row.id, signal: new AbortController().signal };
		if (arrives) await desk.channel.send(taken.row.payload, delivery);
		await desk.clock.advance(2_000);
		expect(desk.channel.delivered).toHaveLength(arrives ? 1 : 0);
		await desk.clock.advance(4_000);
		await desk.runtime.idle();
		expect(attempts(desk)).toEqual(["re: hi"]);
		expect(await marks(desk, ana)).toEqual([]);
		await desk.end();
	},
);

test.each([
	["its right is all but over: it takes the row anew, and sends it once", 2_600, ["re: hi"], []],
	["another process has marked it by then: it is not sent any more", 4_000, [], [["re: hi", "ambiguous"]]],
] as const)("a process stood still between taking a row and sending it, %s", async (_, ms, heard, marked) => {
	const desk = await stand({ channel: { capabilities: { ambiguous: "leave" } } });
	const settle = desk.backend.settle.bind(desk.backend);
	const ana = desk.person();
	desk.backend.settle = async (...args) => {
		const settled = await settle(...args);
		expect(settled.taken).toMatchObject({ outcome: "row" });
		await desk.clock.advance(ms);
		if (marked.length === 0) return settled;
		const found = await desk.backend.take(ana.address, { owner: "other", leaseMs: 3_000 });
		if (found.outcome === "unknown")
			await desk.backend.mark(ana.address, "other", found.row.id, {
				status: "ambiguous",
				reason: "its sender is gone",
			});
		return settled;
	};
	await ana.says("hi");
	await desk.settle();
	await desk.clock.advance(10_000);
	await desk.runtime.idle();
	expect(ana.heard).toEqual(heard);
	expect(desk.channel.attempts).toHaveLength(heard.length);
	expect(await marks(desk, ana)).toEqual(marked);
	await desk.end();
});

test("stopping in mid-send waits for the answer within the grace; without one the send is marked unknown", async () => {
	for (const [grace, expected] of [
		[10_000, []],
		[1_000, [["re: hi", "ambiguous"]]],
	] as const) {
		const desk = await stand({ channel: { capabilities: { ambiguous: "leave" } } });
		desk.channel.answer(platformAnswers.late(5_000));
		const ana = desk.person();
		await ana.says("hi");
		await desk.settle();
		const stopping = desk.runtime.stop(grace);
		await desk.clock.advance(10_000);
		await stopping;
		await desk.backend.open();
		expect(await marks(desk, ana)).toEqual(expected);
		expect((await desk.backend.view(ana.address, { history: 0 })).outbox).toEqual([]);
		await desk.backend.close();
	}
});
