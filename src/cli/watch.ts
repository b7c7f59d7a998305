import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { watch as watchFiles } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../clock.js";
import type { Config } from "../config.js";
import type { ExitCode, Shell } from "./shell.js";

const SETTLE_MS = 150;

/** `callboard dev --watch`: runs `dev` in a process of its own and starts it again when a file of the agents changes. */
export async function watch(
	options: { agent?: string; door?: readonly string[] },
	config: Config,
	shell: Shell,
): Promise<ExitCode> {
	const named = [
		...(options.agent === undefined ? [] : ["--agent", options.agent]),
		...(options.door ?? []).flatMap((door) => ["--door", door]),
	];
	const start = () =>
		spawn(process.execPath, [...process.execArgv, process.argv[1] ?? "", "dev", ...named], { stdio: "inherit" });
	let child = start();
	let waiting: (() => void) | undefined;
	const watcher = watchFiles(join(config.root, "agents"), { recursive: true }, () => {
		waiting?.();
		waiting = systemClock.after(SETTLE_MS, async () => {
			await ended(child);
			shell.out("a file changed, starting again");
			child = start();
		});
	});
	await shell.stopAsked();
	watcher.close();
	waiting?.();
	await ended(child);
	return 0;
}

async function ended(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const over = once(child, "exit");
	child.kill("SIGTERM");
	await over;
}
