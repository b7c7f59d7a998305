import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";

/** A Redis of the bench's own, as a deployment has it: append-only file, written through once a second, no eviction. */
export interface OwnRedis {
	readonly port: number;
	/** A connection of the bench's own, for looking and for clearing. */
	readonly client: Redis;
	stop(): Promise<void>;
}

export async function startRedis(): Promise<OwnRedis> {
	const port = await freePort();
	const folder = mkdtempSync(join(tmpdir(), "callboard-bench-redis-"));
	const settings = {
		port: `${port}`,
		bind: "127.0.0.1",
		dir: folder,
		save: "",
		appendonly: "yes",
		appendfsync: "everysec",
		"maxmemory-policy": "noeviction",
		// A rewrite would fall into whatever is being measured just then.
		"auto-aof-rewrite-percentage": "0",
	};
	const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
	const server = spawn("redis-server", args, { stdio: "ignore" });
	const end = () => server.kill("SIGKILL");
	process.once("exit", end);
	const ended = new Promise<never>((_, reject) => {
		server.once("error", (cause) => reject(new Error("redis-server does not start; is it installed?", { cause })));
		server.once("exit", (code) => reject(new Error(`redis-server ended with ${code}`)));
	});
	ended.catch(() => {});
	const client = new Redis({ port, host: "127.0.0.1", maxRetriesPerRequest: null });
	client.on("error", () => {});
	await Promise.race([client.ping(), ended]);
	return {
		port,
		client,
		async stop() {
			client.disconnect();
			const exit = new Promise((resolve) => server.once("exit", resolve));
			process.removeListener("exit", end);
			end();
			await exit;
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** Bytes that Redis has in use, once its output and append buffers are empty again. */
export async function usedBytes(client: Redis): Promise<number> {
	let least = Number.POSITIVE_INFINITY;
	for (let look = 0; look < 20; look++) {
		const [, used] = /used_memory:(\d+)/.exec(await client.info("memory")) ?? [];
		least = Math.min(least, Number(used));
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	return least;
}

/** Processor time that Redis has used, ms. */
export async function processorMs(client: Redis): Promise<number> {
	const used = [...(await client.info("cpu")).matchAll(/used_cpu_(?:sys|user):([\d.]+)/g)];
	return used.reduce((sum, [, seconds]) => sum + Number(seconds) * 1000, 0);
}

/**
 * Counts the commands that clients send while `run` lasts: each is one round trip. What scripts do inside Redis is not
 * counted.
 */
export async function commandsSent(client: Redis, run: () => Promise<void>): Promise<number> {
	const monitor = await client.monitor();
	let sent = 0;
	monitor.on("monitor", (_time: string, _command: string[], source: string) => {
		if (source !== "lua") sent += 1;
	});
	await run();
	await new Promise((resolve) => setTimeout(resolve, 50));
	monitor.disconnect();
	return sent;
}

function freePort(): Promise<number> {
	return new Promise((resolve, reject) => {
		const probe = createServer().once("error", reject);
		probe.listen(0, "127.0.0.1", () => {
			const address = probe.address();
			probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
		});
	});
}
