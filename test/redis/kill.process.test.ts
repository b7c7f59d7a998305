import { expect, test } from "vitest";
import { isUnavailable } from "../../src/engine/persist.js";
import type { RedisBackend } from "../../src/engine/redis/redis-backend.js";
import { echo, limits, message, opened, sent, terms } from "./desk.js";
import { RedisServer } from "./redis-server.js";

const CHATS = 40;
const MESSAGES = 30;
const KILLS = 3;

/** Repeats an operation until it is answered, as a platform repeats a webhook that was answered 503. */
async function insist<T>(operation: () => Promise<T>): Promise<T> {
	for (;;) {
		try {
			return await operation();
		} catch (error) {
			if (!isUnavailable(error)) throw error;
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	}
}

/** Serves turns and sends until nothing is left; notes what was sent. */
function work(backend: RedisBackend, heard: Map<string, string[]>): void {
	backend.serve("turns", 20, async (address) => {
		const got = await backend.claim(address, { owner: "worker", ...terms, items: 3 }).catch(() => undefined);
		if (got?.outcome !== "claimed") return;
		await insist(() => backend.settle(got.lease, echo(got))).catch(() => {});
	});
	backend.serve("sends", 20, async (address) => {
		const owner = "sender";
		const leaseMs = 10_000;
		let taken = await insist(() => backend.take(address, { owner, leaseMs }));
		while (taken.outcome === "row") {
			const { id, payload } = taken.row;
			heard.get(address)?.push((payload as { text: string }).text);
			taken = (await insist(() => backend.mark(address, owner, id, sent, { leaseMs }))) ?? { outcome: "empty" };
		}
	});
}

test("G11: Redis killed under load and started again: nothing acknowledged is lost, doubled or out of order", async () => {
	const server = await RedisServer.start({ aof: true });
	const gateway = await opened(server.url, "kill");
	const worker = await opened(server.url, "kill");
	const chats = Array.from({ length: CHATS }, (_, n) => `web|${n}`);
	const ids = Array.from({ length: MESSAGES }, (_, n) => `m${n}`);
	const heard = new Map(chats.map((chat) => [chat, [] as string[]]));
	work(worker, heard);
	let accepted = 0;
	const killedAt = Array.from({ length: KILLS }, (_, n) => Math.round(((n + 1) * CHATS * MESSAGES) / (KILLS + 1)));
	let kills = Promise.resolve();
	const said = chats.map(async (chat) => {
		for (const id of ids) {
			await insist(() => gateway.accept(message(chat, id), limits));
			accepted += 1;
			if (killedAt.includes(accepted)) {
				kills = kills.then(async () => {
					await server.kill();
					await server.start();
				});
			}
		}
	});
	await Promise.all(said);
	await kills;
	while ([...heard.values()].some((words) => words.length < MESSAGES))
		await new Promise((resolve) => setTimeout(resolve, 50));
	for (const chat of chats) {
		expect(heard.get(chat)).toEqual(ids);
		const { history, marks, waiting, outbox } = await insist(() => gateway.view(chat, { history: 1_000 }));
		expect(history.map((row) => "id" in row && row.id)).toEqual(ids);
		expect([marks, waiting, outbox]).toEqual([[], [], []]);
	}
	await Promise.all([gateway.close(), worker.close()]);
	await server.dispose();
});
