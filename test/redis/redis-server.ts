import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";

export interface RedisServerOptions {
	/** Default: one that is free now. */
	port?: number;
	/**
	 * Append-only file. `every-second` answers before the file is written while its disk is busy, so that even a kill of
	 * the process alone may lose what was acknowledged in the last two seconds; `true` (every write) loses nothing. Default off.
	 */
	aof?: boolean | "every-second";
	/** Further options: `["--maxmemory", "5mb"]`. */
	args?: readonly string[];
}

/** One real redis-server on the loopback interface, with a folder of its own. */
export class RedisServer {
	readonly url: string;
	readonly #folder = mkdtempSync(join(tmpdir(), "callboard-redis-"));
	readonly #args: readonly string[];
	#process: ChildProcess | undefined;

	private constructor(
		readonly port: number,
		{ aof = false, args = [] }: RedisServerOptions,
	) {
		this.url = `redis://127.0.0.1:${port}`;
		const base = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--maxmemory-policy", "noeviction"];
		const fsync = aof === "every-second" ? "everysec" : "always";
		const file = ["--appendonly", aof ? "yes" : "no", "--appendfsync", fsync];
		this.#args = [...base, ...file, "--dir", this.#folder, ...args];
	}

	static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
		const server = new RedisServer(options.port ?? (await freePort()), options);
		await server.start();
		return server;
	}

	/** Starts it again, over the same folder and port. Resolves when it takes commands. */
	async start(): Promise<void> {
		this.launch();
		await this.ready();
	}

	/** Starts it without waiting for it. */
	launch(): void {
		this.#process = spawn("redis-server", this.#args, { stdio: "ignore" });
	}

	/** Resolves when it takes commands and has read its data. */
	async ready(): Promise<void> {
		const client = new Redis(this.url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
		client.on("error", () => {});
		await client.ping();
		client.disconnect();
	}

	/** Ends it in order. */
	stop(): Promise<void> {
		return this.#end("SIGTERM");
	}

	/** Kills it as a machine's crash does. */
	kill(): Promise<void> {
		return this.#end("SIGKILL");
	}

	/** Makes it stand still, connections open, until `thaw`. */
	freeze(): void {
		this.#process?.kill("SIGSTOP");
	}

	thaw(): void {
		this.#process?.kill("SIGCONT");
	}

	/** Ends it and removes its folder. */
	async dispose(): Promise<void> {
		await this.kill();
		rmSync(this.#folder, { recursive: true, force: true });
	}

	#end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
		const child = this.#process;
		this.#process = undefined;
		if (child === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
		return new Promise((resolve) => {
			child.once("exit", () => resolve());
			child.kill(signal);
		});
	}
}

/** A port of the loopback interface that nobody listens at now. */
export function freePort(): Promise<number> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.once("error", reject);
		server.listen(0, "127.0.0.1", () => {
			const { port } = server.address() as { port: number };
			server.close(() => resolve(port));
		});
	});
}
