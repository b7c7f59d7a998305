import { Redis } from "ioredis";
import { afterEach, describe, expect, it } from "vitest";
import { healthOf } from "../../src/cli/operator-view.js";
import { systemClock } from "../../src/clock.js";
import { redis } from "../../src/engine/redis/redis.js";
import { createRuntime } from "../../src/engine/runtime.js";
import type { Model } from "../../src/model/model.js";
import { assertGlobalProperties } from "../../src/testing/global-properties.js";
import { RecordingLog } from "../../src/testing/recording-log.js";
import { startTelegramServer } from "../../src/testing/telegram-server.js";
import { Gate, newestWords } from "../engine/stand.js";
import { RedisServer } from "../redis/redis-server.js";
import { Wire } from "../redis/wire.js";
import { fakeAgent } from "../turn/fake-agent.js";
import { responseOf } from "../turn/fake-model.js";
import { served } from "./stand.js";

const open: (() => unknown)[] = [];
afterEach(async () => {
	for (const close of open.splice(0).reverse()) await close();
});

/** The whole way, nothing of it faked but the platform: webhook, engine, Redis, and the real client back. */
async function telegramOverRedis(ask?: Model["ask"]) {
	const store = await RedisServer.start({ aof: true });
	open.push(() => store.dispose());
	const server = await startTelegramServer({ webhookRetryMs: 100 });
	open.push(() => server.stop());
	const { channel, gateway } = await served(server, { mode: "webhook" });
	open.push(() => gateway?.stop(0));
	const log = new RecordingLog();
	const wire = await Wire.to(store.port);
	open.push(() => wire.close());
	const backend = redis({ url: wire.url, clock: systemClock, log });
	const agent = fakeAgent({ tools: { pay: { effect: "once", run: () => "paid" } } });
	const model: Model = {
		name: "fake",
		ask: ask ?? (async (request) => responseOf(`re: ${newestWords(request)}`, request.history.length)),
	};
	const runtime = createRuntime({ backend, doors: [{ name: "telegram", channel, agent, model }], log });
	const delivered: { address: string; key: string }[] = [];
	runtime.on("delivery.sent", ({ address, data }) => delivered.push({ address, key: String(data.row) }));
	await runtime.start();
	open.push(() => runtime.stop(0));
	const admin = new Redis(store.url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
	admin.on("error", () => {});
	open.push(() => admin.disconnect());
	return {
		store,
		wire,
		log,
		server,
		admin,
		agent,
		ana: server.person({ id: 7001, name: "Ana" }),
		health: healthOf(runtime, systemClock),
		heard: () => server.texts(7001),
		async end() {
			await runtime.idle();
			await assertGlobalProperties(backend, { delivered, texts: [JSON.stringify(log.lines)] });
		},
	};
}

type World = Awaited<ReturnType<typeof telegramOverRedis>>;

interface Trouble {
	begin(world: World): unknown;
	end(world: World): unknown;
	/** What the readiness check says meanwhile of a backend that cannot even be read. */
	unreadable?: true;
}

const troubles: Record<string, Trouble> = {
	"is down": { begin: ({ store }) => store.kill(), end: ({ store }) => store.start(), unreadable: true },
	"stands still": { begin: ({ store }) => store.freeze(), end: ({ store }) => store.thaw(), unreadable: true },
	"became a read-only replica": {
		begin: ({ admin }) => admin.replicaof("127.0.0.1", 1),
		end: ({ admin }) => admin.replicaof("NO", "ONE"),
	},
	"is out of memory": {
		begin: ({ admin }) => admin.config("SET", "maxmemory", "1mb"),
		end: ({ admin }) => admin.config("SET", "maxmemory", "0"),
	},
};

describe("G5: a webhook while Redis is in trouble", () => {
	it.each(Object.entries(troubles))(
		"answers 503 while Redis %s, and what the platform brings again is answered once, in order",
		async (_, trouble) => {
			const world = await telegramOverRedis();
			const { server, ana, heard, health } = world;
			ana.says("one");
			await server.until(() => heard().length === 1);
			await trouble.begin(world);
			const update = ana.says("two");
			expect(await server.updates.handed(update)).toBe("refused");
			expect(server.updates.info).toMatchObject({ last_error_message: expect.stringContaining("503") });
			ana.says("three");
			expect((await health()).ready).toBe(trouble.unreadable === undefined);
			await trouble.end(world);
			await server.until(() => heard().length === 3);
			expect(heard()).toEqual(["re: one", "re: two", "re: three"]);
			expect(server.updates.waiting).toEqual([]);
			expect((await health()).ready).toBe(true);
			await world.end();
		},
	);

	it("waits for a Redis that answers half a second late: acknowledged, answered once, no lease lost for it", async () => {
		const gate = new Gate();
		const world = await telegramOverRedis(async (request) => {
			if (newestWords(request) === "two") await gate.pass();
			return responseOf(`re: ${newestWords(request)}`, request.history.length);
		});
		const { wire, server, ana, heard, log } = world;
		wire.slow(500);
		ana.says("one");
		await server.until(() => heard().length === 1);
		expect(await server.updates.handed(ana.says("two"))).toBe("acknowledged");
		await gate.reached;
		await new Promise((resolve) => setTimeout(resolve, 3_000));
		gate.open();
		await server.until(() => heard().length === 2);
		expect(heard()).toEqual(["re: one", "re: two"]);
		expect(log.lines.map(({ event }) => event)).not.toContain("lease.lost");
		await world.end();
	});

	it.each([200, 3_000])(
		"killed in the middle of a turn, after a tool, and gone for %i ms: the tool ran once, the answer comes once",
		async (downMs) => {
			const gate = new Gate();
			const world = await telegramOverRedis(async (request) => {
				if (request.history.at(-1)?.role !== "tool") return responseOf({ calls: [["pay"]] }, 1);
				await gate.pass();
				return responseOf("it is paid", 2);
			});
			const { server, store, ana, agent, heard } = world;
			ana.says("pay it");
			await gate.reached;
			await store.kill();
			gate.open();
			await new Promise((resolve) => setTimeout(resolve, downMs));
			await store.start();
			await server.until(() => heard().length === 1);
			await world.end();
			expect(agent.happened.ran).toHaveLength(1);
			expect(heard()).toEqual(["it is paid"]);
		},
	);
});
