import { join } from "node:path";
import type { AgentDeclaration } from "../agent/declaration.js";
import type { Part } from "../call/part.js";
import type { Channel, Payload } from "../channel/channel.js";
import { type Clock, systemClock } from "../clock.js";
import { type Config, readConfig } from "../config.js";
import type { Backend } from "../engine/backend.js";
import { BackendDesk } from "../engine/backend-desk.js";
import type { Desk } from "../engine/desk.js";
import { CallboardError } from "../errors.js";
import { silentLog } from "../observe/log.js";
import { chooseBackend } from "./choose-backend.js";
import { renderingChannel } from "./doors.js";
import { remoteDesk } from "./remote-desk.js";
import type { Shell } from "./shell.js";

/** Where a process that has the embedded store open says how it takes orders. */
export function deskNotePath(config: Pick<Config, "data">): string {
	return join(config.data, "desk.json");
}

/** The desk over a backend that is open, with the channels of its doors, and the events of its agent where it is known. */
export function deskOver(
	backend: Backend,
	channels: readonly Channel[],
	clock: Clock,
	events?: AgentDeclaration["events"],
): Desk {
	return new BackendDesk({
		backend,
		clock,
		events: () => events,
		async render(door: string, part: Part): Promise<readonly Payload[]> {
			const channel = channels.find(({ name }) => name === door) ?? (await renderingChannel(door));
			if (channel !== undefined) return channel.render(part);
			throw new CallboardError("DOOR_UNKNOWN", "operator", `nothing here knows how to write at door ${door}`, {
				next: "run the command where `callboard start` runs",
			});
		},
	});
}

/**
 * Does something at the desk: at that of the running process which has this project's store, and otherwise over the
 * backend of the settings, opened for as long as it takes.
 */
export async function atDesk<T>(shell: Shell, run: (desk: Desk) => Promise<T>): Promise<T> {
	const config = readConfig({ root: shell.cwd });
	const remote = await remoteDesk(deskNotePath(config));
	if (remote !== undefined) return run(remote);
	const clock = systemClock;
	const backend = chooseBackend("settings", { config, clock, log: silentLog });
	await backend.open();
	try {
		return await run(deskOver(backend, [], clock));
	} finally {
		await backend.close();
	}
}
