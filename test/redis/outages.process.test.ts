import { Redis } from "ioredis";
import { afterEach, expect, test } from "vitest";
import type { CallboardError } from "../../src/errors.js";
import { RecordingLog } from "../../src/testing/recording-log.js";
import { echo, limits, message, opened, sent, terms } from "./desk.js";
import { freePort, RedisServer, type RedisServerOptions } from "./redis-server.js";
import { Wire } from "./wire.js";

const ends: (() => unknown)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0).reverse()) await end();
});

async function start(options?: RedisServerOptions): Promise<RedisServer> {
	const server = await RedisServer.start(options);
	ends.push(() => server.dispose());
	return server;
}

async function open(url: string, log = new RecordingLog()) {
	const backend = await opened(url, "out", log);
	ends.push(() => backend.close());
	return { backend, log };
}

const A = "web|ana";
const SECRET = "my card is 4111";
const refused = { code: "BACKEND_UNAVAILABLE", fault: "platform" };

/** What an operation is refused with; nothing in it may quote what people said. */
async function refusal(operation: Promise<unknown>): Promise<string> {
	const error = (await operation.then(
		() => undefined,
		(thrown) => thrown,
	)) as CallboardError | undefined;
	expect(error).toMatchObject(refused);
	const all = [error?.message, error?.next, error?.stack, String(error?.cause), JSON.stringify(error)].join(" ");
	expect(all).not.toContain(SECRET);
	return error?.explain() ?? "";
}

/** Repeats an operation until Redis takes it. */
async function eventually<T>(operation: () => Promise<T>): Promise<T> {
	for (;;) {
		try {
			return await operation();
		} catch (error) {
			expect(error).toMatchObject(refused);
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	}
}

test("down at start: it says so at once, and starts once Redis is there", async () => {
	const port = await freePort();
	const url = `redis://:hunter2@127.0.0.1:${port}`;
	const says = await refusal(opened(url, "out"));
	expect(says).toBe("Redis cannot be reached (ECONNREFUSED); start it, or correct host and port in REDIS_URL");
	await start({ port });
	const { backend } = await open(`redis://127.0.0.1:${port}`);
	expect(await backend.accept(message(A, "m1"), limits)).toEqual({ outcome: "accepted" });
});

test("down while it runs: every operation is refused, the loss is logged once, and all goes on when it is back", async () => {
	const server = await start({ aof: true });
	const { backend, log } = await open(server.url);
	const { claimed } = await backend.accept(message(A, "m1"), limits, { owner: "one", ...terms });
	if (claimed === undefined) throw new Error("m1 was not claimed");
	await server.kill();
	const operations = [
		() => backend.accept(message(A, "m2", SECRET), limits),
		() => backend.claim(A, { owner: "two", ...terms }),
		() => backend.extend(claimed.lease, 2_000),
		() => backend.journal(claimed.lease, 0, [SECRET]),
		() => backend.settle(claimed.lease, echo(claimed)),
		() => backend.release(claimed.lease, {}),
		() => backend.park(claimed.lease, "it threw"),
		() => backend.unpark(A),
		() => backend.take(A, { owner: "one", leaseMs: 2_000 }),
		() => backend.mark(A, "one", "row", { status: "failed", reason: SECRET }),
		() => backend.amend(A, { owner: "human" }),
		() => backend.revise(A, "m1", { kind: "text", text: SECRET }),
		() => backend.revise(A, "m9", { kind: "text", text: SECRET }, 60_000),
		() => backend.reach(A, SECRET),
		() => backend.view(A, { history: 1 }),
		() => backend.list({ limit: 1 }),
		() => backend.hold("poller", { owner: "one", leaseMs: 1_000 }),
	];
	for (let round = 0; round < 3; round += 1)
		await Promise.all(operations.map(async (operation) => refusal(operation())));
	await server.start();
	await eventually(() => backend.accept(message(A, "m3"), limits));
	const { waiting } = await backend.view(A, { history: 0 });
	expect(waiting.map(({ id }) => id)).toContain("m3");
	const lines = log.lines.map(({ event }) => event).filter((event) => event.startsWith("redis."));
	expect(lines).toEqual(["redis.lost", "redis.back"]);
	expect(JSON.stringify(log.lines)).not.toContain(SECRET);
});

test("a turn cut off by an outage settles when Redis is back, once", async () => {
	const server = await start({ aof: true });
	const { backend } = await open(server.url);
	const { claimed } = await backend.accept(message(A, "m1"), limits, { owner: "one", ...terms });
	if (claimed === undefined) throw new Error("m1 was not claimed");
	await server.kill();
	const settled = eventually(() => backend.settle(claimed.lease, echo(claimed)));
	await server.start();
	await settled;
	const { record, outbox, waiting } = await backend.view(A, { history: 0 });
	expect([record?.turns, outbox.length, waiting.length]).toEqual([1, 1, 0]);
});

test("keys that something else has written over fail for good: no outage that may be waited for", async () => {
	const server = await start();
	const { backend } = await open(server.url);
	const { claimed } = await backend.accept(message(A, "m1", SECRET), limits, { owner: "one", ...terms });
	if (claimed === undefined) throw new Error("m1 was not claimed");
	const admin = new Redis(server.url);
	ends.push(() => admin.disconnect());
	const [inbox = ""] = await admin.keys("out:*:i:web|ana");
	await admin.set(inbox, SECRET);
	const fault = { code: "STORE_FAULT", fault: "operator", message: expect.not.stringContaining(SECRET) };
	await expect(backend.settle(claimed.lease, echo(claimed))).rejects.toMatchObject(fault);
	await expect(backend.view(A, { history: 0 })).rejects.toMatchObject({
		...fault,
		message: 'Redis could not run "view" (WRONGTYPE)',
	});
	expect(await backend.accept(message("web|ben", "m1"), limits)).toEqual({ outcome: "accepted" });
});

test("a primary that became a replica takes nothing, says which, and takes all when it is primary again", async () => {
	const [server, other] = [await start(), await start()];
	const { backend } = await open(server.url);
	const admin = new Redis(server.url);
	ends.push(() => admin.disconnect());
	const warnings: Error[] = [];
	const warned = (warning: Error) => warnings.push(warning);
	process.on("warning", warned);
	ends.push(() => process.off("warning", warned));
	await admin.replicaof("127.0.0.1", other.port);
	const many = Array.from({ length: 30 }, (_, n) => refusal(backend.accept(message(`web|${n}`, "m1"), limits)));
	expect((await Promise.all(many)).filter((says) => !says.includes("(READONLY)"))).toEqual([]);
	expect(await refusal(backend.accept(message(A, "m1", SECRET), limits))).toContain(
		"Redis cannot be used now (READONLY)",
	);
	await expect(opened(server.url, "out")).rejects.toMatchObject({ code: "REDIS_UNFIT", fault: "operator" });
	await admin.replicaof("NO", "ONE");
	expect(await eventually(() => backend.accept(message(A, "m1"), limits))).toEqual({ outcome: "accepted" });
	expect(warnings).toEqual([]);
});

test("out of memory: what runs ends, nothing new begins or is written by halves, and all goes on when there is more", async () => {
	const server = await start({ args: ["--maxmemory", "8mb"] });
	const { backend } = await open(server.url);
	const { claimed } = await backend.accept(message("web|ben", "m0"), limits, {
		owner: "one",
		...terms,
		leaseMs: 60_000,
	});
	if (claimed === undefined) throw new Error("m0 was not claimed");
	const long = "x".repeat(100_000);
	let accepted = 0;
	let says = "";
	while (says === "") {
		await backend.accept(message(A, `m${accepted}`, SECRET + long), limits).then(
			() => {
				accepted += 1;
			},
			async (error) => {
				says = await refusal(Promise.reject(error));
			},
		);
	}
	expect(says).toBe("Redis cannot be used now (OOM); give Redis more memory, or raise its maxmemory");
	expect((await backend.view(A, { history: 0 })).waiting).toHaveLength(accepted);
	const admin = new Redis(server.url);
	await admin.config("SET", "maxmemory", "1mb");
	expect(await refusal(backend.claim(A, { owner: "one", ...terms }))).toContain("(OOM)");
	await backend.extend(claimed.lease, 60_000);
	const take = { owner: "one", leaseMs: 2_000 };
	const { taken } = await backend.settle(claimed.lease, echo(claimed), { take });
	expect(taken).toMatchObject({ outcome: "row", attempt: 1 });
	if (taken?.outcome === "row") await backend.mark("web|ben", "one", taken.row.id, sent);
	const part = { owner: "one", most: 25, withinMs: 1_000, has: 0, wants: 25, leaseMs: 3_000, closedUntil: 0 };
	expect(await backend.share("web", part)).toMatchObject({ part: 25 });
	await admin.config("SET", "maxmemory", "0");
	admin.disconnect();
	expect(await backend.accept(message(A, `m${accepted}`), limits)).toEqual({ outcome: "accepted" });
	const { record, outbox } = await backend.view("web|ben", { history: 0 });
	expect([record?.turns, outbox]).toEqual([1, []]);
});

test("a Redis that stands still: refused in time, and what it took in the end is a duplicate when it comes again", async () => {
	const server = await start();
	const { backend } = await open(server.url);
	server.freeze();
	expect(await refusal(backend.accept(message(A, "m1", SECRET), limits))).toContain("(TIMEOUT)");
	server.thaw();
	const { outcome } = await eventually(() => backend.accept(message(A, "m1"), limits));
	expect(["accepted", "duplicate"]).toContain(outcome);
	expect((await backend.view(A, { history: 0 })).waiting).toHaveLength(1);
});

test("a claim and a row taken whose answers came too late are still this process's when it asks again", async () => {
	const server = await start();
	const { backend } = await open(server.url);
	const { claimed } = await backend.accept(message(A, "m1"), limits, { owner: "one", ...terms });
	if (claimed === undefined) throw new Error("m1 was not claimed");
	await backend.settle(claimed.lease, echo(claimed));
	await backend.accept(message(A, "m2"), limits);
	server.freeze();
	const leaseMs = 60_000;
	await Promise.all([
		refusal(backend.take(A, { owner: "one", leaseMs })),
		refusal(backend.claim(A, { owner: "one", ...terms, leaseMs })),
	]);
	server.thaw();
	const taken = await eventually(() => backend.take(A, { owner: "one", leaseMs }));
	expect(taken).toMatchObject({ outcome: "row", attempt: 1 });
	expect(await eventually(() => backend.claim(A, { owner: "one", ...terms, leaseMs }))).toMatchObject({
		outcome: "claimed",
		items: [{ id: "m2" }],
	});
});

test("a Redis that reads its data: refused, then served", async () => {
	const slow = ["--key-load-delay", "100000", "--loading-process-events-interval-bytes", "1024"];
	const server = await start({ aof: true, args: slow });
	const { backend } = await open(server.url);
	const chats = Array.from({ length: 30 }, (_, n) => `web|${n}`);
	await Promise.all(chats.map((chat) => backend.accept(message(chat, "m1"), limits)));
	const admin = new Redis(server.url);
	await admin.call("BGREWRITEAOF");
	while ((await admin.info("persistence")).includes("aof_rewrite_in_progress:1"))
		await new Promise((resolve) => setTimeout(resolve, 20));
	admin.disconnect();
	await server.kill();
	server.launch();
	const early = new Redis(server.url, { enableReadyCheck: false, maxRetriesPerRequest: null, retryStrategy: () => 5 });
	early.on("error", () => {});
	await expect(early.get("any")).rejects.toThrow("LOADING");
	await refusal(backend.accept(message(A, "m1", SECRET), limits));
	await early.config("SET", "key-load-delay", "0");
	early.disconnect();
	const { outcome } = await eventually(() => backend.accept(message(A, "m1"), limits));
	expect(["accepted", "duplicate"]).toContain(outcome);
	expect(await backend.list({ limit: 100 })).toHaveLength(31);
});

test("G5: after a restart of Redis, and after connections that died without a goodbye, workers go on by themselves", async () => {
	const server = await start({ aof: true });
	const wire = await Wire.to(server.port);
	ends.push(() => wire.close());
	const { backend } = await open(wire.url);
	const producer = await open(server.url);
	const served: string[] = [];
	const serving = backend.serve("turns", 5, async (address) => {
		const got = await backend.claim(address, { owner: "worker", ...terms }).catch(() => undefined);
		if (got?.outcome !== "claimed") return;
		await backend.settle(got.lease, echo(got)).then(
			() => served.push(address),
			() => {},
		);
	});
	const works = async (chat: string) => {
		await eventually(() => producer.backend.accept(message(chat, "m1"), limits));
		while (!served.includes(chat)) await new Promise((resolve) => setTimeout(resolve, 20));
	};
	await works("web|1");
	await server.kill();
	await server.start();
	await works("web|2");
	wire.die();
	await works("web|3");
	await serving.stop(1_000);
});

test("G9: closing does not wait for a Redis that is gone", async () => {
	const server = await start();
	const { backend } = await open(server.url);
	const serving = backend.serve("turns", 5, async () => {});
	await backend.listen(() => {});
	await server.kill();
	await serving.stop(1_000);
	await backend.close();
	await expect(backend.list({ limit: 1 })).rejects.toMatchObject(refused);
});
