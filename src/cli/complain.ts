import { wantsStacks } from "../config.js";
import { CallboardError } from "../errors.js";
import type { ExitCode, Shell } from "./shell.js";

/** Tells what went wrong, in one line without a stack, and what the process exits with. */
export function complain(shell: Shell, error: unknown): ExitCode {
	shell.err(`callboard: ${sentence(error)}`);
	if (wantsStacks()) shell.err(stackOf(error));
	return 2;
}

function sentence(error: unknown): string {
	if (error instanceof CallboardError) return error.explain();
	const said = error instanceof Error ? error.message : String(error);
	return `something went wrong inside: ${said.split("\n")[0]}; run it again with CALLBOARD_DEBUG=1 to see where`;
}

function stackOf(error: unknown): string {
	if (!(error instanceof Error)) return "";
	const cause = error.cause === undefined ? "" : `\ncaused by ${stackOf(error.cause)}`;
	return `${error.stack ?? error.message}${cause}`;
}
