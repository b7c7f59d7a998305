import { told } from "./calls.js";
import { atDesk } from "./open-desk.js";
import type { ExitCode, Shell } from "./shell.js";
import { tableOf, timeOf } from "./table.js";

/** `callboard outbox list`: what waits to be sent, and what left otherwise than sent. */
export async function listOutbox(options: { limit: number; json?: true }, shell: Shell): Promise<ExitCode> {
	const lines = await atDesk(shell, (desk) => desk.outbox({ limit: options.limit }));
	if (options.json) shell.out(JSON.stringify(lines));
	else if (lines.length === 0) shell.out("nothing waits to be sent, and nothing failed");
	else {
		const rows = lines.map(({ row, status, at, address, reason }) => {
			return [row, status, at === undefined ? "-" : timeOf(at), address, reason ?? ""];
		});
		for (const line of tableOf([["ROW", "STATUS", "AT", "ADDRESS", "REASON"], ...rows])) shell.out(line);
	}
	return 0;
}

/** `callboard outbox retry`: sends a row that failed again. */
export async function retryRow(row: string, shell: Shell): Promise<ExitCode> {
	return told(shell, await atDesk(shell, (desk) => desk.resend({ row })));
}
