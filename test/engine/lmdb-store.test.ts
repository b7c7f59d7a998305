import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LmdbStore } from "../../src/engine/embedded/lmdb-store.js";
import { MemoryStore } from "../../src/engine/embedded/memory-store.js";
import type { Store } from "../../src/engine/embedded/store.js";
import { silentLog } from "../../src/observe/log.js";

let path = "";

beforeEach(() => {
	path = mkdtempSync(join(tmpdir(), "callboard-store-"));
});

afterEach(() => {
	rmSync(path, { recursive: true, force: true });
});

test("a store of another format is refused with what to do, and not touched", async () => {
	const db = open<unknown, string>({ path, encoding: "json" });
	await db.put("meta format", 99);
	await db.put("head web|ana", { from: "the future" });
	await db.close();
	const store = new LmdbStore(path, silentLog);
	await expect(store.open()).rejects.toMatchObject({ code: "STORE_FORMAT", fault: "operator" });
	await expect(store.open()).rejects.toThrow("has format 99, this version of Callboard reads format 1");
	const after = open<unknown, string>({ path, encoding: "json" });
	expect([...after.getRange()].map(({ key }) => key)).toEqual(["head web|ana", "meta format"]);
	await after.close();
});

test("a store whose first process died right after it took the lock is taken over as a new one", async () => {
	const db = open<unknown, string>({ path, encoding: "json" });
	await db.put("meta lock", { socket: join(path, "lock-gone"), pid: 1 });
	await db.close();
	const store = new LmdbStore(path, silentLog);
	await store.open();
	await store.close();
});

test("a database that is somebody else's is refused", async () => {
	const db = open<unknown, string>({ path, encoding: "json" });
	await db.put("their key", 1);
	await db.close();
	await expect(new LmdbStore(path, silentLog).open()).rejects.toMatchObject({ code: "STORE_FORMAT" });
});

test("a path where no store can be says so", async () => {
	const file = join(path, "file");
	writeFileSync(file, "not a folder");
	await expect(new LmdbStore(join(file, "store"), silentLog).open()).rejects.toMatchObject({
		code: "STORE_UNREADABLE",
	});
});

test("a file that is damaged is refused, not misread", async () => {
	writeFileSync(join(path, "data.mdb"), Buffer.alloc(16_384, "garbage "));
	await expect(new LmdbStore(path, silentLog).open()).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
});

test.each([
	["whose end is missing", (file: string) => truncateSync(file, 16_384)],
	["that ends within its first page", (file: string) => truncateSync(file, 1000)],
	["whose pages are empty", (file: string) => writeFileSync(file, readFileSync(file).fill(0, 8192))],
])("a store %s is refused, and the process lives", async (_what, damage) => {
	const store = new LmdbStore(path, silentLog);
	await store.open();
	await store.write((tx) => {
		for (let n = 0; n < 500; n += 1) tx.put(`key ${n}`, "x".repeat(500));
	});
	await store.close();
	damage(join(path, "data.mdb"));
	await expect(new LmdbStore(path, silentLog).open()).rejects.toMatchObject({
		code: "STORE_UNREADABLE",
		fault: "operator",
	});
});

test("the folder is its owner's alone, and may have a path too long for a socket", async () => {
	const long = join(path, "x".repeat(150));
	const store = new LmdbStore(long, silentLog);
	await store.open();
	expect(statSync(long).mode & 0o077).toBe(0);
	await expect(new LmdbStore(long, silentLog).open()).rejects.toMatchObject({ code: "STORE_IN_USE" });
	await store.close();
});

test("two stores of one process cannot have one path either; after closing, the next can", async () => {
	const first = new LmdbStore(path, silentLog);
	await first.open();
	const second = new LmdbStore(path, silentLog);
	await expect(second.open()).rejects.toMatchObject({ code: "STORE_IN_USE" });
	await first.write((tx) => tx.put("a b", 1));
	await first.close();
	await second.open();
	expect(second.read((tx) => tx.get("a b"))).toBe(1);
	await second.close();
});

const stores: readonly (readonly [string, () => Store])[] = [
	["on disk", () => new LmdbStore(path, silentLog)],
	["in memory", () => new MemoryStore()],
];

test.each(stores)(
	"%s: an operation that throws writes nothing, and takes no other of its flush with it",
	async (_, make) => {
		const store = make();
		await store.open();
		const results = await Promise.allSettled([
			store.write((tx) => tx.put("n 1", 1)),
			store.write((tx) => {
				tx.put("n 2", 2);
				throw new Error("after writing");
			}),
			store.write(() => {
				throw new Error("before writing");
			}),
			store.write((tx) => {
				tx.put("n 4", (tx.get<number>("n 1") ?? 0) + 3);
				return "done";
			}),
		]);
		expect(results).toMatchObject([
			{ status: "fulfilled" },
			{ status: "rejected", reason: { message: "after writing" } },
			{ status: "rejected", reason: { message: "before writing" } },
			{ status: "fulfilled", value: "done" },
		]);
		expect(store.read((tx) => tx.range({ from: "n ", to: "n!" }))).toEqual([
			{ key: "n 1", value: 1 },
			{ key: "n 4", value: 4 },
		]);
		await store.close();
	},
);

test.each(stores)(
	"%s: a failed operation alone changes nothing either, overwriting and removing included",
	async (_, make) => {
		const store = make();
		await store.open();
		await store.write((tx) => {
			tx.put("n 1", "before");
			tx.put("n 2", "before");
		});
		const failed = store.write((tx) => {
			tx.put("n 1", "after");
			tx.remove("n 2");
			tx.put("n 3", "after");
			throw new Error("no");
		});
		await expect(failed).rejects.toThrow("no");
		expect(store.read((tx) => tx.range({ from: "n ", to: "n!" })).map(({ value }) => value)).toEqual([
			"before",
			"before",
		]);
		await store.close();
	},
);

test.each(stores)("%s: ranges are in order, from and not to, forwards and backwards, with a limit", async (_, make) => {
	const store = make();
	await store.open();
	await store.write((tx) => {
		for (const key of ["k 3", "k 1", "k 5", "k 2", "k 4", "kk 1", "j 9"]) tx.put(key, key);
		tx.remove("k 5");
	});
	const keys = (range: Parameters<Parameters<Parameters<Store["read"]>[0]>[0]["range"]>[0]) =>
		store.read((tx) => tx.range(range)).map(({ key }) => key);
	expect(keys({ from: "k ", to: "k!" })).toEqual(["k 1", "k 2", "k 3", "k 4"]);
	expect(keys({ from: "k 2", to: "k 4" })).toEqual(["k 2", "k 3"]);
	expect(keys({ from: "k 2", to: "k 4", reverse: true })).toEqual(["k 3", "k 2"]);
	expect(keys({ from: "k ", to: "k!", reverse: true, limit: 2 })).toEqual(["k 4", "k 3"]);
	expect(keys({ from: "k ", to: "k!", limit: 2 })).toEqual(["k 1", "k 2"]);
	await store.close();
});

test.each(stores)("%s: a closed store refuses, and what it waited with was written", async (_, make) => {
	const store = make();
	await store.open();
	const written = store.write((tx) => tx.put("n 1", 1));
	const closing = store.close();
	await written;
	await closing;
	await expect(store.write((tx) => tx.put("n 2", 2))).rejects.toMatchObject({ code: "BACKEND_UNAVAILABLE" });
	expect(() => store.read((tx) => tx.get("n 1"))).toThrow(expect.objectContaining({ code: "BACKEND_UNAVAILABLE" }));
});
