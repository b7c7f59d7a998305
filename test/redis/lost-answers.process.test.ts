import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Claimed } from "../../src/engine/backend.js";
import { Partitions } from "../../src/engine/redis/partition.js";
import { take } from "../../src/engine/redis/scripts/take.js";
import { echo, limits, message, opened, sent, terms } from "./desk.js";
import { RedisServer } from "./redis-server.js";
import { Wire } from "./wire.js";

let server: RedisServer;
beforeAll(async () => {
	server = await RedisServer.start();
});
afterAll(() => server.dispose());

const A = "web|ana";
const owner = "direct";

test("G3: answers lost on the way, at any operation of a turn: the same turn, once, and its words once", async () => {
	const wire = await Wire.to(server.port);
	for (let after = 1; after <= 16; after += 1) {
		const backend = await opened(wire.url, `lost${after}`);
		wire.loseAnswer(after);
		const words: unknown[] = [];
		for (const id of ["m1", "m2", "m3"]) {
			const { outcome, claimed } = await backend.accept(message(A, id), limits, { owner, ...terms });
			expect(outcome).toBe("accepted");
			let claim: Claimed | undefined = claimed;
			if (claim === undefined) throw new Error(`${id} was not claimed`);
			await backend.journal(claim.lease, 0, [{ entry: "began" }, { entry: "answered" }]);
			await backend.extend(claim.lease, terms.leaseMs);
			const end = await backend.settle(claim.lease, echo(claim), { claim: terms, take: { owner, leaseMs: 2_000 } });
			claim = end.claimed;
			for (let taken = end.taken; taken?.outcome === "row"; ) {
				words.push(taken.row.payload);
				taken = await backend.mark(A, owner, taken.row.id, sent, { leaseMs: 2_000 });
			}
			expect(claim).toBeUndefined();
		}
		const { record, history, outbox, marks, waiting } = await backend.view(A, { history: 100 });
		expect({ turns: record?.turns, outbox, marks, waiting }).toEqual({ turns: 3, outbox: [], marks: [], waiting: [] });
		expect(history.map((row) => "id" in row && row.id)).toEqual(["m1", "m2", "m3"]);
		expect(words).toEqual(["m1", "m2", "m3"].map((text) => ({ text })));
		wire.loseAnswer(Number.POSITIVE_INFINITY);
		await backend.close();
	}
	expect(wire.cuts).toBeGreaterThan(12);
	wire.close();
});

test("a failed turn, a parked call and a human's words, with every answer lost once", async () => {
	const wire = await Wire.to(server.port);
	for (let after = 1; after <= 7; after += 1) {
		const backend = await opened(wire.url, `failed${after}`);
		wire.loseAnswer(after);
		const first = await backend.accept(message(A, "m1"), limits, { owner, ...terms });
		if (first.claimed === undefined) throw new Error("m1 was not claimed");
		await backend.release(first.claimed.lease, { failure: "it threw" });
		const second = await backend.claim(A, { owner, ...terms });
		if (second.outcome !== "claimed") throw new Error(`the claim was answered ${second.outcome}`);
		await backend.park(second.lease, "it threw");
		const say = [{ id: "h1", payload: { text: "hello" }, by: "human", epoch: 1, turn: "human" }] as const;
		await backend.amend(A, { owner: "human", say });
		await backend.unpark(A);
		const { failures, parked, outbox, waiting } = await backend.view(A, { history: 0 });
		expect({ seen: second.failures, failures, parked }).toEqual({ seen: 1, failures: 0, parked: undefined });
		expect([outbox.length, waiting.length]).toEqual([1, 1]);
		wire.loseAnswer(Number.POSITIVE_INFINITY);
		await backend.close();
	}
	expect(wire.cuts).toBeGreaterThan(5);
	wire.close();
});

test("E2: a take whose answer was lost is asked again after the row it discarded was sent again by order", async () => {
	const backend = await opened(server.url, "retried");
	const client = new Redis(server.url);
	const partition = new Partitions("retried", 64).of(A);
	const taken = async (operation: string) => {
		const reply = await client.eval(take.lua, 1, partition, "", A, owner, 2_000, "", operation);
		const [[outcome, row]] = reply as [[string, string]];
		return [outcome, row.split("\n")[1]];
	};
	for (const id of ["m1", "m2", "m3"]) {
		const { claimed } = await backend.accept(message(A, id), limits, { owner, ...terms });
		if (claimed === undefined) throw new Error(`${id} was not claimed`);
		await backend.settle(claimed.lease, echo(claimed));
	}
	await taken("first");
	await backend.mark(A, owner, "call-1.1.0", { status: "failed", reason: "blocked" });
	await backend.amend(A, { owner: "human" });
	expect(await taken("second")).toEqual(["discarded", '"call-1.2.0"']);
	expect(await backend.resend(A, "call-1.1.0", "call-1.1.0~2")).toBe(true);
	expect(await taken("second")).toEqual(["discarded", '"call-1.2.0"']);
	await taken("third");
	expect(await backend.resend(A, "call-1.3.0", "call-1.3.0~2")).toBe(true);
	expect(await taken("third")).toEqual(["row", '"call-1.1.0~2"']);
	await backend.mark(A, owner, "call-1.1.0~2", sent);
	await backend.resend(A, "call-1.2.0", "call-1.2.0~2");
	expect((await backend.view(A, { history: 0 })).outbox.map(({ row }) => row.id)).toEqual([
		"call-1.3.0~2",
		"call-1.2.0~2",
	]);
	client.disconnect();
	await backend.close();
});
