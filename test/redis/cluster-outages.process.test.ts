import { afterEach, expect, test } from "vitest";
import { Partitions } from "../../src/engine/redis/partition.js";
import type { RedisBackend } from "../../src/engine/redis/redis-backend.js";
import { RecordingLog } from "../../src/testing/recording-log.js";
import { echo, limits, message, opened, terms } from "./desk.js";
import { RedisCluster, type RedisClusterOptions } from "./redis-cluster.js";
import type { RedisServer } from "./redis-server.js";

const ends: (() => unknown)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0).reverse()) await end();
});

async function start(options: RedisClusterOptions): Promise<RedisCluster> {
	const cluster = await RedisCluster.start(options);
	ends.push(() => cluster.dispose());
	const warnings: Error[] = [];
	const warned = (warning: Error) => warnings.push(warning);
	process.on("warning", warned);
	ends.push(() => {
		process.off("warning", warned);
		expect(warnings).toEqual([]);
	});
	return cluster;
}

async function open(cluster: RedisCluster): Promise<RedisBackend> {
	const backend = await opened(cluster.urls, PREFIX, new RecordingLog());
	ends.push(() => backend.close());
	return backend;
}

/** A process that answers; resolves what it did when asked whether it answered a message of a chat. */
function serve(backend: RedisBackend): (chat: string, id: string) => Promise<void> {
	const answered = new Set<string>();
	const watching = new Set<() => void>();
	const serving = backend.serve("turns", 5, async (address) => {
		const got = await backend.claim(address, { owner: "worker", ...terms }).catch(() => undefined);
		if (got?.outcome !== "claimed") return;
		await backend.settle(got.lease, echo(got)).then(
			() => {
				for (const { id } of got.items) answered.add(`${address} ${id}`);
				for (const look of watching) look();
			},
			() => {},
		);
	});
	ends.push(() => serving.stop(1_000));
	return (chat, id) =>
		new Promise((resolve) => {
			const look = () => {
				if (!answered.has(`${chat} ${id}`)) return;
				watching.delete(look);
				resolve();
			};
			watching.add(look);
			look();
		});
}

const PREFIX = "out";
const partitions = new Partitions(PREFIX, 64);
const unavailable = { code: "BACKEND_UNAVAILABLE", fault: "platform" };
const apart = ["--cluster-require-full-coverage", "no"];

/** Chats of a node, as many as are asked for. */
async function chatsOf(cluster: RedisCluster, node: RedisServer, count: number): Promise<string[]> {
	const found: string[] = [];
	for (let n = 0; found.length < count; n += 1) {
		const chat = `web|${n}`;
		if ((await cluster.nodeOf(partitions.of(chat))) === node) found.push(chat);
	}
	return found;
}

/** Repeats an operation until the cluster takes it. */
async function eventually<T>(operation: () => Promise<T>): Promise<T> {
	for (;;) {
		try {
			return await operation();
		} catch (error) {
			expect(error).toMatchObject(unavailable);
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	}
}

async function waitingAt(backend: RedisBackend, chat: string): Promise<string[]> {
	return (await backend.view(chat, { history: 0 })).waiting.map(({ id }) => id);
}

for (const [which, hasQueue] of [
	["of some chats", false],
	["of the wake-ups", true],
] as const) {
	test(`the node ${which} is killed: its chats are refused, the others are served, and nothing is lost when it is back`, async () => {
		const cluster = await start({ args: apart });
		const queue = await cluster.nodeOf(`{${PREFIX}}:cb-turn:wait`);
		const victim = hasQueue ? queue : cluster.nodes.find((node) => node !== queue)!;
		const other = cluster.nodes.find((node) => node !== victim)!;
		const [lost = "", held = ""] = await chatsOf(cluster, victim, 2);
		const [here = "", dead = ""] = await chatsOf(cluster, other, 2);
		const backend = await open(cluster);
		await backend.accept(message(lost, "m1"), limits);
		const { claimed } = await backend.accept(message(held, "m1"), limits, { owner: "cut off", ...terms });
		await backend.accept(message(dead, "m1"), limits, { owner: "died", ...terms, leaseMs: 500 });

		await victim.kill();
		const answered = serve(backend);
		await expect(backend.accept(message(lost, "m2"), limits)).rejects.toMatchObject(unavailable);
		await expect(backend.list({ limit: 100 })).rejects.toMatchObject(unavailable);
		await backend.answers();
		expect(await backend.accept(message(here, "m1"), limits)).toEqual({ outcome: "accepted" });
		await answered(here, "m1");
		await answered(dead, "m1");
		await open(cluster);

		await victim.start();
		if (claimed === undefined) throw new Error("m1 was not claimed");
		await eventually(() => backend.accept(message(lost, "m2"), limits));
		await answered(lost, "m1");
		await answered(lost, "m2");
		await answered(held, "m1");
		expect(await waitingAt(backend, held)).toEqual([]);
		await expect(backend.settle(claimed.lease, echo(claimed))).rejects.toMatchObject({ code: "LEASE_LOST" });
	});
}

test("a replica takes over from a killed primary: the process goes on, with what was acknowledged", async () => {
	const cluster = await start({ replica: true, args: ["--cluster-node-timeout", "500"] });
	const [primary] = cluster.nodes;
	const [chat = ""] = await chatsOf(cluster, primary!, 1);
	const backend = await open(cluster);
	const heard: unknown[] = [];
	await backend.listen((news) => heard.push(news));
	const answered = serve(backend);
	await backend.accept(message(chat, "m1"), limits);
	await answered(chat, "m1");
	await cluster.replicated();
	await primary!.kill();
	await eventually(() => backend.accept(message(chat, "m2"), limits));
	await answered(chat, "m2");
	const { record } = await backend.view(chat, { history: 0 });
	expect(record?.turns).toBe(2);
	const news = { from: "one", address: chat, news: "ended", reason: "done" } as const;
	while (heard.length === 0) {
		backend.publish(news);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	expect(heard[0]).toEqual(news);
	await primary!.start();
	await eventually(() => backend.accept(message(chat, "m3"), limits));
	await answered(chat, "m3");
});

test("a cluster that is down at the start: refused in time, not waited for", async () => {
	const cluster = await start({ args: ["--cluster-node-timeout", "500"] });
	const backend = await open(cluster);
	await Promise.all(cluster.nodes.slice(1).map((node) => node.kill()));
	await expect(backend.accept(message("web|ana", "m1"), limits)).rejects.toMatchObject(unavailable);
	await expect(open(cluster)).rejects.toMatchObject(unavailable);
});
