import { atDesk } from "./open-desk.js";
import type { ExitCode, Shell } from "./shell.js";
import { spanOf, tableOf } from "./table.js";

/** `callboard queue`: how much waits, how long the oldest has, and what was set aside. */
export async function queue(options: { json?: true }, shell: Shell): Promise<ExitCode> {
	const found = await atDesk(shell, (desk) => desk.survey({}));
	if (options.json) {
		shell.out(JSON.stringify(found));
		return 0;
	}
	const atLeast = found.complete ? "" : "at least ";
	const oldest = found.oldest === undefined ? "" : `, the oldest for ${spanOf(found.oldestWaitMs)} at ${found.oldest}`;
	const lines = [
		["unhandled", `${atLeast}${found.items} in ${found.waiting} chats${oldest}`],
		["unsent", `${atLeast}${found.rows} in ${found.outbox} chats`],
		["parked", `${found.parked} chats${found.parked > 0 ? "; see `callboard calls list --state parked`" : ""}`],
		["marked", `${found.marked} chats${found.marked > 0 ? "; see `callboard outbox list`" : ""}`],
	];
	for (const line of tableOf(lines)) shell.out(line);
	return 0;
}
