import { closeSync, mkdirSync, openSync, readSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { open, type RootDatabase } from "lmdb";
import { CallboardError } from "../../errors.js";
import type { Log } from "../../observe/log.js";
import { GroupCommit, unavailable } from "./group-commit.js";
import { ProcessLock } from "./process-lock.js";
import type { Range, Reading, Store, Writing } from "./store.js";

/** Version of what is written: its keys and the shape of their values. Another one is refused, never misread. */
const FORMAT = 1;
const FORMAT_KEY = "meta format";
const LOCK_KEY = "meta lock";

interface Opened {
	db: RootDatabase<unknown, string>;
	commit: GroupCommit;
	lock: ProcessLock;
}

/** The store on disk: one LMDB file in a folder, one process at a time. */
export class LmdbStore implements Store {
	readonly #path: string;
	readonly #log: Log;
	#opened: Opened | undefined;

	/** @param path the folder, made when it is missing */
	constructor(path: string, log: Log) {
		this.#path = resolve(path);
		this.#log = log;
	}

	/**
	 * @throws CallboardError `STORE_IN_USE` when another living process has it, `STORE_FORMAT` when another version of
	 * Callboard wrote it, `STORE_UNREADABLE` when it cannot be opened at all
	 */
	async open(): Promise<void> {
		const db = this.#openDatabase();
		const lock = new ProcessLock(this.#path, {
			get: () => db.get(LOCK_KEY),
			exchange: (before, after) =>
				db.transactionSync(() => {
					if (JSON.stringify(db.get(LOCK_KEY)) !== JSON.stringify(before)) return false;
					if (after === undefined) db.remove(LOCK_KEY);
					else db.put(LOCK_KEY, after);
					return true;
				}),
		});
		try {
			checkFormat(db, this.#path);
			const taken = await lock.take();
			if (taken.from !== undefined) this.#log.info("store.taken-over", { path: this.#path, from: taken.from });
			db.transactionSync(() => db.put(FORMAT_KEY, FORMAT));
			db.readerCheck();
		} catch (error) {
			await lock.release().catch(() => {});
			await db.close();
			throw error instanceof CallboardError ? error : unreadable(this.#path, error);
		}
		const writing = writingOn(db);
		const commit = new GroupCommit((body) => db.transactionSync(() => body(writing)));
		this.#opened = { db, commit, lock };
	}

	async close(): Promise<void> {
		const opened = this.#opened;
		if (opened === undefined) return;
		this.#opened = undefined;
		opened.commit.close();
		await opened.lock.release();
		await opened.db.close();
	}

	read<T>(run: (tx: Reading) => T): T {
		if (this.#opened === undefined) throw unavailable("the store is closed");
		return run(readingOn(this.#opened.db));
	}

	write<T>(run: (tx: Writing) => T): Promise<T> {
		return this.#opened?.commit.write(run) ?? Promise.reject(unavailable("the store is closed"));
	}

	#openDatabase(): RootDatabase<unknown, string> {
		try {
			mkdirSync(this.#path, { recursive: true, mode: 0o700 });
			checkHead(join(this.#path, "data.mdb"));
			return open<unknown, string>({ path: this.#path, encoding: "json", noSubdir: false });
		} catch (cause) {
			throw unreadable(this.#path, cause);
		}
	}
}

function unreadable(path: string, cause: unknown): CallboardError {
	return new CallboardError("STORE_UNREADABLE", "operator", `the store at ${path} cannot be opened`, {
		next: "check that the folder may be written and holds nothing but the store, put back a copy of it, or name another one",
		cause,
	});
}

/** The two descriptions that an LMDB file begins with, a page each; the newer one counts. */
const MAGIC = 0xbeefc0de;
const AT = { magic: 24, pageSize: 48, freeRoot: 88, mainRoot: 136, transaction: 152, end: 160 };
/** In place of the root page of a table that is empty. */
const NO_PAGE = 2n ** 64n - 1n;

/**
 * The library itself ends the process when it is given another file, or one whose end is missing. Only the root pages
 * are looked for: after a killed process the file may well be shorter than its last page, when that was not in use.
 */
function checkHead(file: string): void {
	const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
	if (size === 0) return;
	const first = description(file, 0);
	const pageSize = first.readUInt32LE(AT.pageSize);
	const second = description(file, pageSize);
	if (first.readUInt32LE(AT.magic) !== MAGIC || second.readUInt32LE(AT.magic) !== MAGIC) {
		throw new Error(`${file} is damaged, or no store`);
	}
	const newer = second.readBigUInt64LE(AT.transaction) > first.readBigUInt64LE(AT.transaction) ? second : first;
	for (const at of [AT.freeRoot, AT.mainRoot]) {
		const root = newer.readBigUInt64LE(at);
		if (root !== NO_PAGE && (root + 1n) * BigInt(pageSize) > BigInt(size))
			throw new Error(`the end of ${file} is missing`);
	}
}

function description(file: string, at: number): Buffer {
	const head = Buffer.alloc(AT.end);
	const opened = openSync(file, "r");
	try {
		readSync(opened, head, 0, head.length, at);
	} finally {
		closeSync(opened);
	}
	return head;
}

function checkFormat(db: RootDatabase<unknown, string>, path: string): void {
	const found = db.get(FORMAT_KEY);
	if (found === FORMAT) return;
	const keys = [...db.getKeys({ limit: 2 })];
	if (found === undefined && keys.every((key) => key === LOCK_KEY)) return;
	const what = typeof found === "number" ? `format ${found}` : "an unknown format";
	throw new CallboardError(
		"STORE_FORMAT",
		"operator",
		`the store at ${path} has ${what}, this version of Callboard reads format ${FORMAT}`,
		{ next: "start the version that wrote it, or name another folder" },
	);
}

function readingOn(db: RootDatabase<unknown, string>): Reading {
	return {
		get: <T>(key: string) => db.get(key) as T | undefined,
		range: <T>({ from, to, limit, reverse }: Range) => {
			const size = limit === undefined ? {} : { limit };
			const range = reverse
				? db.getRange({ start: to, exclusiveStart: true, end: from, inclusiveEnd: true, reverse, ...size })
				: db.getRange({ start: from, end: to, ...size });
			return Array.from(range, ({ key, value }) => ({ key, value: value as T }));
		},
	};
}

function writingOn(db: RootDatabase<unknown, string>): Writing {
	return {
		...readingOn(db),
		put: (key, value) => {
			db.put(key, value);
		},
		remove: (key) => {
			db.remove(key);
		},
	};
}
