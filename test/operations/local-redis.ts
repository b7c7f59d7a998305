import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A Redis of the test alone: nothing on disk, reached by a socket in a folder of its own. */
export interface LocalRedis {
	path: string;
	stop(): Promise<void>;
}

export async function startLocalRedis(): Promise<LocalRedis> {
	const folder = mkdtempSync(join(tmpdir(), "callboard-redis-"));
	const path = join(folder, "redis.sock");
	const args = ["--port", "0", "--unixsocket", path, "--save", "", "--maxmemory-policy", "noeviction", "--dir", folder];
	const server = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
	const ended = once(server, "exit");
	let said = "";
	for await (const piece of server.stdout) {
		said += piece;
		if (said.includes("eady to accept connections")) break;
	}
	if (!said.includes("eady to accept connections")) throw new Error(`redis-server did not start:\n${said}`);
	return {
		path,
		async stop() {
			server.kill("SIGTERM");
			await ended;
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
