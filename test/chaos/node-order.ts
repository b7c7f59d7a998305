import { systemClock } from "../../src/clock.js";
import type { Backend } from "../../src/engine/backend.js";
import { embedded } from "../../src/engine/embedded/embedded.js";
import { redis } from "../../src/engine/redis/redis.js";
import type { Log } from "../../src/observe/log.js";
import type { DoorName } from "./plan.js";

/** What a process of the run does: accept messages, run turns and send, or both. */
export type Role = "gateway" | "worker" | "all";

/** Where calls live. */
export type Store = { kind: "embedded"; path: string } | { kind: "redis"; port: number };

export interface NodeOrder {
	name: string;
	role: Role;
	store: Store;
	/** Port of the ledger. */
	ledger: number;
	seed: number;
	/** History rows kept of a call. */
	keep: number;
	/** Where its log goes. */
	log: string;
}

/** What a process tells whoever started it. `asked` and `settled`: it began a turn of an address, or ended one. */
export type NodeNews = { ready: true; port: number } | { asked: string } | { settled: string };

/** What is posted to `/message` of a gateway. */
export interface HandedOver {
	door: DoorName;
	chat: string;
	id: string;
	n: number;
}

export function openStore(store: Store, log: Log): Backend {
	if (store.kind === "embedded") return embedded({ path: store.path, clock: systemClock, log });
	return redis({ url: `redis://127.0.0.1:${store.port}`, clock: systemClock, log });
}
