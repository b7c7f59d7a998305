import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../src/clock.js";
import { embedded } from "../../src/engine/embedded/embedded.js";
import { silentLog } from "../../src/observe/log.js";
import { ended, startNode } from "./engine-process.js";

let path = "";
const started: ChildProcess[] = [];

beforeEach(() => {
	path = mkdtempSync(join(tmpdir(), "callboard-lock-"));
});

afterEach(() => {
	for (const child of started.splice(0)) child.kill("SIGKILL");
	rmSync(path, { recursive: true, force: true });
});

async function holder(): Promise<ChildProcess> {
	const child = startNode("store-child.ts", [path, "hold"]);
	started.push(child);
	await once(child.stdout!, "data");
	return child;
}

const here = () => embedded({ path, clock: systemClock, log: silentLog });

test("a second process is refused, and told which one has the store", async () => {
	const child = await holder();
	await expect(here().open()).rejects.toMatchObject({ code: "STORE_IN_USE", fault: "operator" });
	await expect(here().open()).rejects.toThrow(`process ${child.pid} is using`);
	const { code, out } = await ended(startNode("store-child.ts", [path, "hold"]));
	expect([code, out]).toEqual([2, expect.stringContaining("STORE_IN_USE")]);
});

test("a process that stands still is not dead: its store is not taken", async () => {
	const child = await holder();
	child.kill("SIGSTOP");
	await expect(here().open()).rejects.toMatchObject({ code: "STORE_IN_USE" });
});

test("the store of a killed process is taken over at once, and nothing of its lock is left", async () => {
	const child = await holder();
	child.kill("SIGKILL");
	await once(child, "close");
	const backend = here();
	await backend.open();
	await backend.close();
	expect(readdirSync(path).sort()).toEqual(["data.mdb", "lock.mdb"]);
});

test("of several processes that come for a dead one's store, exactly one gets it", async () => {
	const child = await holder();
	child.kill("SIGKILL");
	await once(child, "close");
	const contenders = [1, 2, 3].map(() => startNode("store-child.ts", [path, "hold"]));
	started.push(...contenders);
	const said = await Promise.all(contenders.map(async (each) => String((await once(each.stdout!, "data"))[0])));
	expect(said.map((words) => words.split(" ")[0]?.trim()).sort()).toEqual(["STORE_IN_USE", "STORE_IN_USE", "open"]);
});

test("a full disk is an error the platform is told of, never a crash; what was accepted is kept and goes on when there is room", async () => {
	const full = await ended(startNode("store-child.ts", [path, "fill"], "ulimit -f 1024;"));
	expect(full.code, full.out).toBe(0);
	const facts = JSON.parse(/\{"accepted".*\}/.exec(full.out)?.[0] ?? "{}");
	expect(facts).toMatchObject({ code: "BACKEND_UNAVAILABLE", again: "BACKEND_UNAVAILABLE", readable: 1 });
	expect(facts.accepted).toBeGreaterThan(10);
	const backend = here();
	await backend.open();
	const waiting = await backend.list({ limit: 10_000, only: "waiting" });
	expect(waiting).toHaveLength(facts.accepted);
	const content = { kind: "text", text: "room again" } as const;
	const next = {
		type: "message",
		id: "later",
		address: "fake|chat0",
		contact: { id: "x" },
		content,
		sentAt: 0,
	} as const;
	expect(await backend.accept(next, { inbox: 10, dedupeMs: 1 })).toEqual({ outcome: "accepted" });
	await backend.close();
});
