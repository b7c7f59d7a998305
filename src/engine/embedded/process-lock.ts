import { createHash, randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { createConnection, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CallboardError } from "../../errors.js";

/** Who holds the store: where it can be heard, and its process for people. */
interface Holder {
	socket: string;
	pid: number;
}

/** One value in the store itself, changed only from what it was: the arbiter between two processes. */
export interface LockCell {
	get(): unknown;
	exchange(before: unknown, after: unknown): boolean;
}

/** What connecting says when nobody listens any more; anything else may be a living holder. */
const DEAD = new Set(["ENOENT", "ECONNREFUSED", "ENOTSOCK"]);

/** Longest path of a socket that every platform takes. */
const SOCKET_PATH_MAX = 100;

/**
 * One process at a time. The holder listens on a socket, and the operating system stops listening for it when it
 * dies, however it dies: so a dead holder is known at once, without waiting and without trusting process ids.
 */
export class ProcessLock {
	readonly #folder: string;
	readonly #cell: LockCell;
	#server: Server | undefined;
	#holder: Holder | undefined;

	constructor(folder: string, cell: LockCell) {
		this.#folder = folder;
		this.#cell = cell;
	}

	/**
	 * @returns the process id it was taken over from, when its holder died
	 * @throws CallboardError `STORE_IN_USE` when its holder lives
	 */
	async take(): Promise<{ from: number | undefined }> {
		for (;;) {
			const before = this.#cell.get() as Holder | undefined;
			if (before !== undefined && (await listens(before.socket))) {
				throw new CallboardError("STORE_IN_USE", "operator", `process ${before.pid} is using ${this.#folder}`, {
					next: `stop process ${before.pid}, or give this one another folder: CALLBOARD_DATA=…`,
				});
			}
			this.#holder ??= await this.#listen();
			if (!this.#cell.exchange(before, this.#holder)) continue;
			if (before !== undefined) rmSync(before.socket, { force: true });
			return { from: before?.pid };
		}
	}

	async release(): Promise<void> {
		if (this.#holder === undefined) return;
		this.#cell.exchange(this.#holder, undefined);
		this.#holder = undefined;
		await new Promise<void>((resolve) => this.#server?.close(() => resolve()));
	}

	async #listen(): Promise<Holder> {
		const id = createHash("sha256").update(randomUUID()).digest("hex").slice(0, 12);
		const places =
			process.platform === "win32"
				? [`\\\\.\\pipe\\callboard-${id}`]
				: [join(this.#folder, `lock-${id}`), join(tmpdir(), `callboard-${id}`)];
		let failure: unknown;
		for (const socket of places.filter((place) => place.length <= SOCKET_PATH_MAX)) {
			try {
				this.#server = await listen(socket);
				return { socket, pid: process.pid };
			} catch (error) {
				failure = error;
			}
		}
		throw new CallboardError("STORE_UNREADABLE", "operator", `no lock can be made in ${this.#folder}`, {
			next: "give the store a folder on a local disk, with a path of fewer than 80 characters",
			cause: failure,
		});
	}
}

function listen(socket: string): Promise<Server> {
	return new Promise((resolve, reject) => {
		const server = createServer((connection) => connection.destroy());
		server.once("error", reject);
		server.listen(socket, () => {
			server.unref();
			resolve(server);
		});
	});
}

function listens(socket: string): Promise<boolean> {
	return new Promise((resolve) => {
		const connection = createConnection(socket);
		connection.once("connect", () => {
			connection.destroy();
			resolve(true);
		});
		connection.once("error", (error: NodeJS.ErrnoException) => resolve(!DEAD.has(error.code ?? "")));
	});
}
