import { Redis } from "ioredis";
import type { CallRecord } from "../../src/call/call-record.js";
import { limits, message, opened, sent, terms } from "./desk.js";

export interface IdleCalls {
	/** How many calls to write. */
	calls: number;
	/** History rows kept of each. */
	keep: number;
}

const TURNS = 20;
const WORDS = "hello world, this is a typical inbound message of about eighty characters long";
const MESSAGE_ID = "wamid.HBgLNDkxNzAwMDAwMRUCABIYFjNFQjBD";
const START = 1_790_000_000_000;
const DAY = 24 * 3_600_000;

/**
 * Bytes that one idle call of twenty turns takes in Redis: state, forty rows of history, twenty ids, the timer of its
 * idle close, and its place in the listings. Calls are written by the engine's own operations; Redis says how much more
 * memory it uses, which divided by `calls` is the answer. The server must be used by nobody else meanwhile.
 */
export async function idleCallBytes(url: string, { calls, keep }: IdleCalls): Promise<number> {
	const prefix = `bytes${keep}`;
	const backend = await opened(url, prefix);
	const admin = new Redis(url);
	const used = async () => Number(/used_memory:(\d+)/.exec(await admin.info("memory"))?.[1]);
	await converse(backend, "web|first", keep);
	await backend.idle();
	const before = await used();
	for (let at = 0; at < calls; at += 50) {
		const chats = Array.from({ length: Math.min(50, calls - at) }, (_, n) => `web|4917000${at + n}`);
		await Promise.all(chats.map((address) => converse(backend, address, keep)));
	}
	await backend.idle();
	const after = await used();
	await backend.close();
	admin.disconnect();
	return (after - before) / calls;
}

async function converse(backend: Awaited<ReturnType<typeof opened>>, address: string, keep: number): Promise<void> {
	const call = `call-${address.slice(4)}-8b1f7d52-93a4`;
	for (let turn = 1; turn <= TURNS; turn += 1) {
		const id = `${MESSAGE_ID}${turn}`;
		const text = WORDS.slice(0, 20 + ((turn * 37) % 60));
		const { claimed } = await backend.accept(message(address, id, text), limits, { owner: "bench", ...terms });
		if (claimed === undefined) throw new Error("a message was not claimed");
		const at = START + turn;
		const said = `echo: ${WORDS}`.slice(0, 30 + ((turn * 53) % 55));
		const part = `${call}.${turn}.1`;
		const take = { owner: "bench", leaseMs: 2_000 };
		const { taken } = await backend.settle(
			claimed.lease,
			{
				through: turn,
				record: record(call, address, turn),
				fresh: turn === 1,
				append: [
					{ role: "user", id, content: { kind: "text", text }, name: "Ada Lovelace", at },
					{ role: "said", id: part, part: { kind: "text", text: said }, by: "model", at },
				],
				keep,
				outbox: [{ id: `${part}.0`, payload: { text: said }, by: "model", epoch: 0, turn: `${call}.${turn}` }],
				timers: [
					{
						id: "idle",
						at: Date.now() + DAY,
						item: {
							type: "occurrence",
							id: `idle.${call}.${turn}`,
							address,
							occurrence: { kind: "close", reason: "idle" },
							at: Date.now() + DAY,
						},
					},
				],
				cancel: [],
			},
			{ take },
		);
		if (taken?.outcome === "row") await backend.mark(address, "bench", taken.row.id, sent);
	}
}

/** A record whose state is as long as that of the payload that was measured when the engine was designed. */
function record(id: string, address: string, turns: number): CallRecord {
	const state = {
		flow: "support",
		node: "collect_email",
		vars: { name: "Ada Lovelace", lang: "en", email: null, cart: [1, 2, 3], topic: "billing" },
		user: { id: address, ch: "whatsapp", first: START, last: START + 500_000 },
		tags: ["vip", "de"],
	};
	const contact = { id: `+49${address.slice(4)}`, name: "Ada Lovelace" };
	return { v: 1, id, agent: "support", contact, startedAt: START, turns, rows: 0, state, owner: "agent", epoch: 0 };
}
