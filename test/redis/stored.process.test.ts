import { type AddressInfo, connect, createServer } from "node:net";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/clock.js";
import { redis } from "../../src/engine/redis/redis.js";
import { silentLog } from "../../src/observe/log.js";
import { RecordingLog } from "../../src/testing/recording-log.js";
import { echo, limits, message, opened, sent, terms } from "./desk.js";
import { idleCallBytes } from "./idle-call-bytes.js";
import { JumpClock } from "./jump-clock.js";
import { RedisServer } from "./redis-server.js";

let server: RedisServer;
let admin: Redis;
beforeAll(async () => {
	server = await RedisServer.start();
	admin = new Redis(server.url);
});
afterAll(async () => {
	admin.disconnect();
	await server.dispose();
});

const DAY = 24 * 3_600_000;
const A = "web|ana";

test("G14: calls of another format, or over other partitions, are refused and left as they are", async () => {
	const { url } = server;
	const backend = await opened(url, "format");
	await backend.accept(message(A, "m1"), limits);
	await backend.close();
	const other = redis({ url, prefix: "format", partitions: 16, clock: systemClock, log: silentLog });
	await expect(other.open()).rejects.toMatchObject({
		code: "REDIS_FORMAT",
		message: "calls in Redis are spread over 64 partitions",
		next: "open them with partitions: 64, or choose another prefix for new ones",
	});
	await admin.set("format:format", "1 64");
	await expect(opened(url, "format")).rejects.toMatchObject({
		code: "REDIS_FORMAT",
		fault: "operator",
		message: "calls in Redis are of format 1, this is 2",
	});
	await admin.set("format:format", "2 64");
	const again = await opened(url, "format");
	expect((await again.view(A, { history: 0 })).waiting).toHaveLength(1);
	await again.close();
});

test("what a stranger publishes where news go is no news", async () => {
	const [one, other] = [await opened(server.url, "strange"), await opened(server.url, "strange")];
	const heard: unknown[] = [];
	let told = () => {};
	const ended = new Promise<void>((resolve) => {
		told = resolve;
	});
	await one.listen((news) => {
		heard.push(news);
		told();
	});
	for (const text of ["no JSON", "null", "7", '{"from":"x"}']) await admin.publish("strange:news", text);
	const news = { from: "two", address: A, news: "ended", reason: "idle" } as const;
	other.publish(news);
	await ended;
	expect(heard).toEqual([news]);
	await Promise.all([one.close(), other.close()]);
});

test("a Redis that would lose calls is refused, one without a file is warned about", async () => {
	const log = new RecordingLog();
	await (await opened(server.url, "risk", log)).close();
	expect(log.lines).toMatchObject([{ level: "warn", event: "redis.risk", fields: { next: expect.any(String) } }]);
	await admin.config("SET", "maxmemory-policy", "allkeys-lru");
	await expect(opened(server.url, "risk")).rejects.toMatchObject({
		code: "REDIS_UNFIT",
		fault: "operator",
		message: "maxmemory-policy is allkeys-lru, so that Redis may throw conversations away",
	});
	await admin.config("SET", "maxmemory-policy", "noeviction");
});

test("calls are kept in the database that the URL names; one that there is not is refused, not taken for the first", async () => {
	for (const name of ["99", "calls"]) {
		await expect(opened(`${server.url}/${name}`, "database")).rejects.toMatchObject({
			code: "REDIS_UNFIT",
			fault: "operator",
			message: `this Redis has no database ${name}`,
			next: expect.stringContaining("REDIS_URL"),
		});
	}
	expect(await admin.keys("database:*")).toEqual([]);
	const third = await opened(`${server.url}/3`, "database");
	await third.accept(message(A, "m1"), limits);
	await third.close();
	expect(await admin.keys("database:*")).toEqual([]);
	await admin.select(3);
	expect(await admin.keys("database:*")).toContain("database:format");
	await admin.select(0);
});

test("a Redis older than 6.2 is refused, with what to do; one of 6.2 is not", async () => {
	for (const [version, refused] of [
		["6.0", true],
		["6.2", false],
	] as const) {
		const proxy = createServer((client) => {
			const upstream = connect(server.port, "127.0.0.1");
			const told = (chunk: Buffer) =>
				Buffer.from(chunk.toString("latin1").replace(/redis_version:\d\.\d/, `redis_version:${version}`), "latin1");
			upstream.on("data", (chunk) => client.write(told(chunk)));
			client.on("data", (chunk) => upstream.write(chunk));
			for (const [one, other] of [
				[client, upstream],
				[upstream, client],
			] as const) {
				one.on("error", () => {});
				one.on("close", () => other.destroy());
			}
		});
		await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
		const opening = opened(`redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`, "old");
		if (refused) {
			await expect(opening).rejects.toMatchObject({
				code: "REDIS_UNFIT",
				fault: "operator",
				message: expect.stringMatching(/^Redis 6\.0\.\d+ is too old$/),
				next: "update it to 6.2 or newer",
			});
		} else await (await opening).close();
		proxy.close();
	}
});

test("G13: an ended call is forgotten in its time; what is left of it are ids, which run out by themselves", async () => {
	const open: { idle(): Promise<void> }[] = [];
	const clock = new JumpClock(async () => {
		for (const each of open) await each.idle();
	});
	const backend = redis({ url: server.url, prefix: "forget", clock, log: silentLog, keepEndedMs: 30 * DAY });
	open.push(backend);
	await backend.open();
	const { claimed } = await backend.accept(message(A, "m1"), limits, { owner: "one", ...terms });
	if (claimed === undefined) throw new Error("m1 was not claimed");
	const turn = echo(claimed);
	const record = { ...turn.record, ended: { at: clock.now(), reason: "done" } };
	const take = { owner: "one", leaseMs: 1_000 };
	const { taken } = await backend.settle(claimed.lease, { ...turn, record }, { take });
	if (taken?.outcome === "row") await backend.mark(A, "one", taken.row.id, { status: "failed", reason: "blocked" });
	await clock.advance(29 * DAY);
	expect((await backend.view(A, { history: 10 })).record?.ended).toBeDefined();
	await clock.advance(DAY);
	expect(await backend.list({ limit: 10 })).toEqual([]);
	expect(await backend.list({ limit: 10, only: "marked" })).toEqual([]);
	const left = (await admin.keys("forget:{p*")).filter((key) => key.includes(A));
	expect(left).toHaveLength(1);
	expect(await admin.type(left[0]!)).toBe("zset");
	expect(await admin.pttl(left[0]!)).toBeGreaterThan(6 * DAY);
	await backend.close();
});

test("what comes twice after its call was forgotten leaves nothing behind", async () => {
	const open: { idle(): Promise<void> }[] = [];
	const clock = new JumpClock(async () => {
		for (const each of open) await each.idle();
	});
	const backend = redis({ url: server.url, prefix: "twice", clock, log: silentLog, keepEndedMs: DAY });
	open.push(backend);
	await backend.open();
	const { claimed } = await backend.accept(message(A, "m1"), limits, { owner: "one", ...terms });
	if (claimed === undefined) throw new Error("m1 was not claimed");
	const turn = echo(claimed);
	const record = { ...turn.record, ended: { at: clock.now(), reason: "done" } };
	await backend.settle(claimed.lease, { ...turn, outbox: [], record });
	await clock.advance(DAY);
	expect(await backend.list({ limit: 10 })).toEqual([]);
	expect(await backend.accept(message(A, "m1"), limits)).toEqual({ outcome: "duplicate" });
	const left = (await admin.keys("twice:{p*")).filter((key) => key.includes(A));
	expect(await Promise.all(left.map((key) => admin.type(key)))).toEqual(["zset"]);
	await backend.close();
});

test("no key of a call that is not open is without an end", async () => {
	const backend = await opened(server.url, "ends");
	for (let n = 0; n < 5; n += 1) {
		const { claimed } = await backend.accept(message(A, `m${n}`), limits, { owner: "one", ...terms });
		if (claimed === undefined) throw new Error("nothing was claimed");
		await backend.journal(claimed.lease, 0, [{ entry: "began" }]);
		const { taken } = await backend.settle(claimed.lease, echo(claimed), { take: { owner: "one", leaseMs: 1_000 } });
		if (taken?.outcome === "row") await backend.mark(A, "one", taken.row.id, sent);
	}
	const kinds = (await admin.keys("ends:{p*")).map((key) => key.replace(/^ends:\{p\d+\}:/, ""));
	expect(kinds.sort()).toEqual(["a", `d:${A}`, `h:${A}`, `m:${A}`, `r:${A}`]);
	await backend.close();
});

test("an idle call of twenty turns takes few bytes, fewer when its history is trimmed", async () => {
	expect(await idleCallBytes(server.url, { calls: 500, keep: 1_000 })).toBeLessThanOrEqual(8_000);
	expect(await idleCallBytes(server.url, { calls: 500, keep: 20 })).toBeLessThanOrEqual(5_500);
});
