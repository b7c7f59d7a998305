import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { RedisBackend } from "../../src/engine/redis/redis-backend.js";
import { echo, limits, message, opened, sent, terms } from "./desk.js";
import { RedisServer } from "./redis-server.js";

let server: RedisServer;
let backend: RedisBackend;
let prefix = "";
let round = 0;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
	server = await RedisServer.start();
});
afterAll(() => server.dispose());

async function fresh(): Promise<RedisBackend> {
	round += 1;
	prefix = `wake${round}`;
	backend = await opened(server.url, prefix);
	ends.push(() => backend.close());
	return backend;
}
afterEach(async () => {
	for (const end of ends.splice(0).reverse()) await end();
});

const A = "web|ana";
const queue = (at: 0 | 1) => backend.queues[at] as Queue;

/** Serves turns; resolves when the address was served. */
function served(by: RedisBackend, address: string): Promise<readonly string[]> {
	return new Promise((resolve) => {
		const serving = by.serve("turns", 5, async (woken) => {
			const got = await by.claim(woken, { owner: "next", ...terms });
			if (got.outcome !== "claimed" || woken !== address) return;
			await by.settle(got.lease, echo(got));
			resolve(got.items.map(({ id }) => id));
			void serving.stop(0);
		});
	});
}

/** Takes wake-ups out of the queue as somebody else does, and ends them so. */
async function steal(count: number, end: () => Promise<unknown>): Promise<void> {
	const connection = new Redis(server.url, { maxRetriesPerRequest: null });
	let stolen = 0;
	await new Promise<void>((resolve) => {
		const done = () => {
			stolen += 1;
			if (stolen === count) resolve();
		};
		const thief = new Worker("cb-turn", end, { connection, prefix: `{${prefix}}` });
		thief.on("completed", done);
		thief.on("failed", done);
		ends.push(async () => {
			await thief.close(true);
			connection.disconnect();
		});
	});
}

test("G10: a producer that dies before it wakes anybody: the message is served", async () => {
	await fresh();
	await backend.accept(message(A, "m1"), limits);
	await backend.idle();
	await queue(0).obliterate({ force: true });
	expect(await served(backend, A)).toEqual(["m1"]);
	expect(backend.swept).toBeGreaterThan(0);
});

test("G2: a wake-up failed by force: the message is served", async () => {
	await fresh();
	const stolen = steal(1, () => Promise.reject(new Error("failed by force")));
	await backend.accept(message(A, "m1"), limits);
	await stolen;
	for (const end of ends.splice(1)) await end();
	expect((await queue(0).getFailed()).length).toBe(1);
	expect(await served(backend, A)).toEqual(["m1"]);
});

test("G6: a finished wake-up of the same address, kept, does not keep the next one back", async () => {
	await fresh();
	await queue(0).add("wake", { address: A }, { jobId: "kept", removeOnComplete: false });
	await steal(1, () => Promise.resolve());
	for (const end of ends.splice(1)) await end();
	await backend.accept(message(A, "m1"), limits);
	expect(await served(backend, A)).toEqual(["m1"]);
});

test("G7: wake-ups of addresses of digits and with separators come through", async () => {
	await fresh();
	for (const address of ["5511|99", "web|wa%3A5511|7"]) {
		await backend.accept(message(address, "m1"), limits);
		expect(await served(backend, address)).toEqual(["m1"]);
	}
});

test("a wake-up for nothing does no harm", async () => {
	await fresh();
	await queue(0).add("wake", { address: "web|nobody" });
	await backend.accept(message(A, "m1"), limits);
	expect(await served(backend, A)).toEqual(["m1"]);
	expect(await backend.list({ limit: 10 })).toEqual([A]);
});

test("rows whose sender was never woken, or died while sending, are offered again", async () => {
	await fresh();
	const { claimed } = await backend.accept(message(A, "m1"), limits, { owner: "one", ...terms });
	if (claimed === undefined) throw new Error("m1 was not claimed");
	await backend.settle(claimed.lease, echo(claimed));
	await backend.idle();
	await queue(1).obliterate({ force: true });
	const outcomes: string[] = [];
	await new Promise<void>((resolve) => {
		backend.serve("sends", 5, async (address) => {
			const taken = await backend.take(address, { owner: `sender ${outcomes.length}`, leaseMs: 500 });
			if (taken.outcome === "row") outcomes.push("row");
			if (taken.outcome !== "unknown") return;
			outcomes.push("unknown");
			await backend.mark(address, `sender ${outcomes.length - 1}`, taken.row.id, sent);
			resolve();
		});
	});
	expect(outcomes).toEqual(["row", "unknown"]);
	expect((await backend.view(A, { history: 0 })).outbox).toEqual([]);
});

test("a timer comes in while several processes look", async () => {
	await fresh();
	const others = await Promise.all([opened(server.url, prefix), opened(server.url, prefix)]);
	for (const other of others) ends.push(() => other.close());
	const { claimed } = await backend.accept(message(A, "m1"), limits, { owner: "one", ...terms });
	if (claimed === undefined) throw new Error("m1 was not claimed");
	const item = {
		type: "occurrence",
		id: "o1",
		address: A,
		occurrence: { kind: "close", reason: "idle" },
		at: 0,
	} as const;
	const timers = [{ id: "t1", at: Date.now() + 300, item }];
	await backend.settle(claimed.lease, { ...echo(claimed), timers });
	expect(await served(backend, A)).toEqual(["o1"]);
	expect(await backend.claim(A, { owner: "two", ...terms })).toEqual({ outcome: "idle" });
});

test("a right of a name is one process's at a time, and another's when it is given back or runs out", async () => {
	await fresh();
	const other = await opened(server.url, prefix);
	ends.push(() => other.close());
	expect(await backend.hold("poller", { owner: "one", leaseMs: 60_000 })).toBe(true);
	expect(await other.hold("poller", { owner: "two", leaseMs: 60_000 })).toBe(false);
	expect(await backend.hold("poller", { owner: "one", leaseMs: 60_000 })).toBe(true);
	await other.letGo("poller", "two");
	expect(await other.hold("poller", { owner: "two", leaseMs: 60_000 })).toBe(false);
	await backend.letGo("poller", "one");
	expect(await other.hold("poller", { owner: "two", leaseMs: 100 })).toBe(true);
	while (!(await backend.hold("poller", { owner: "one", leaseMs: 60_000 })))
		await new Promise((resolve) => setTimeout(resolve, 20));
	expect(await other.hold("poller", { owner: "two", leaseMs: 60_000 })).toBe(false);
});

test("news reach the other process", async () => {
	await fresh();
	const other = await opened(server.url, prefix);
	ends.push(() => other.close());
	const heard: unknown[] = [];
	await other.listen((news) => heard.push(news));
	const news = { from: "one", address: A, news: "ended", reason: "done" } as const;
	backend.publish(news);
	while (heard.length === 0) await new Promise((resolve) => setImmediate(resolve));
	expect(heard).toEqual([news]);
});

/** A process of its own that begins turns and holds them; resolves with the addresses it begins. */
function holder(way: "direct" | "worker"): { child: ChildProcess; began: Promise<string> } {
	const script = join(import.meta.dirname, "holder-child.ts");
	const args = ["-C", "callboard-source", "--import", "tsx", script, server.url, prefix, way];
	const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
	ends.push(() => child.kill("SIGKILL"));
	const began = new Promise<string>((resolve) => createInterface({ input: child.stdout! }).once("line", resolve));
	return { child, began };
}

for (const way of ["direct", "worker"] as const) {
	test(`A14, G12: a process killed in a turn, ${way}: another one takes the call over`, async () => {
		await fresh();
		const { child, began } = holder(way);
		if (way === "worker") await backend.accept(message("web|worker", "m1"), limits);
		const address = await began;
		const taken = served(backend, address);
		expect(await backend.claim(address, { owner: "too early", ...terms })).toMatchObject({ outcome: "busy" });
		child.kill("SIGKILL");
		expect(await taken).toEqual(["m1"]);
	});
}
