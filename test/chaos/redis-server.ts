import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A Redis of its own with an append-only file, which can be killed and started again on the same port and data. */
export class RedisServer {
	#child: ChildProcess | undefined;

	private constructor(
		readonly port: number,
		private readonly folder: string,
		private readonly fsync: "everysec" | "always",
	) {}

	static async start(folder: string, fsync: "everysec" | "always"): Promise<RedisServer> {
		mkdirSync(folder, { recursive: true });
		const server = new RedisServer(await freePort(), folder, fsync);
		await server.#start();
		return server;
	}

	/** Resolves once it answers, with all its data read. */
	async #start(): Promise<void> {
		const log = join(this.folder, "redis.log");
		const before = logged(log).split("Ready to accept connections").length;
		const output = openSync(log, "a");
		const words = [
			["--port", String(this.port), "--bind", "127.0.0.1", "--dir", this.folder, "--save", ""],
			["--appendonly", "yes", "--appendfsync", this.fsync, "--maxmemory-policy", "noeviction"],
		].flat();
		const child = spawn("redis-server", words, { stdio: ["ignore", output, output] });
		closeSync(output);
		this.#child = child;
		child.once("error", () => {});
		while (logged(log).split("Ready to accept connections").length === before) {
			if (child.exitCode !== null || child.pid === undefined) throw new Error(`redis-server did not start; see ${log}`);
			await sleep(10);
		}
	}

	/** Ends it and starts it again after `downMs`. */
	async restart(signal: "SIGKILL" | "SIGTERM", downMs: number): Promise<void> {
		await this.#end(signal);
		await sleep(downMs);
		await this.#start();
	}

	async stop(): Promise<void> {
		await this.#end("SIGKILL");
	}

	async #end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
		const child = this.#child;
		if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
		const ended = once(child, "exit");
		child.kill(signal);
		await ended;
	}
}

function logged(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return "";
	}
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	server.close();
	await once(server, "close");
	return port;
}
