import { randomUUID } from "node:crypto";
import type { Json } from "../call/json.js";
import type { CallState, Done } from "../engine/desk.js";
import { CallboardError } from "../errors.js";
import { atDesk } from "./open-desk.js";
import type { ExitCode, Shell } from "./shell.js";
import { shownCall } from "./shown-call.js";
import { tableOf } from "./table.js";

/** As much of an id as names a call for a person; the whole of it is in `--json`. */
const SHOWN_ID = 8;

/** `callboard calls list`: one line a call. */
export async function listCalls(
	options: { state?: CallState; limit: number; after?: string; json?: true },
	shell: Shell,
): Promise<ExitCode> {
	const { json, ...query } = options;
	const lines = await atDesk(shell, (desk) => desk.calls(query));
	if (json) shell.out(JSON.stringify(lines));
	else if (lines.length === 0) shell.out("no calls");
	else {
		const rows = lines.map(({ call, state, agent, turns, waiting, unsent, marks, address, about, unreachable }) => {
			const id = call?.slice(0, SHOWN_ID) ?? "-";
			const notes = [about, unreachable && `unreachable: ${unreachable.reason}`].filter((note) => note !== undefined);
			return [id, state, agent ?? "-", turns, waiting, unsent, marks, address, notes.join("; ")];
		});
		const head = ["CALL", "STATE", "AGENT", "TURNS", "WAITING", "UNSENT", "MARKS", "ADDRESS", "ABOUT"];
		for (const line of tableOf([head, ...rows])) shell.out(line);
	}
	const last = lines.at(-1)?.address;
	if (!json && lines.length === query.limit) shell.err(`there may be more: --after '${last}'`);
	return 0;
}

/** `callboard calls show`: all that is stored of one call. It holds what people said. */
export async function showCall(
	call: string,
	options: { history: number; json?: true },
	shell: Shell,
): Promise<ExitCode> {
	const view = await atDesk(shell, (desk) => desk.show({ call, history: options.history }));
	if (options.json) shell.out(JSON.stringify(view));
	else for (const line of shownCall(view)) shell.out(line);
	return 0;
}

/** `callboard calls retry`: lets one that was set aside go on, or with `all` every one. */
export async function retryCall(call: string | undefined, { all }: { all?: true }, shell: Shell): Promise<ExitCode> {
	if ((call === undefined) === (all === undefined)) {
		throw new CallboardError("WHICH_CALL", "operator", "retry takes either one call or --all", {
			next: "callboard calls retry 3f2a9c1e, or callboard calls retry --all",
		});
	}
	if (call !== undefined) return told(shell, await atDesk(shell, (desk) => desk.retry({ call })));
	return atDesk(shell, async (desk) => {
		const parked = await desk.calls({ state: "parked", limit: Number.MAX_SAFE_INTEGER });
		if (parked.length === 0) return told(shell, { done: false, says: "nothing is set aside" });
		for (const { address } of parked) told(shell, await desk.retry({ call: address }));
		return 0;
	});
}

/** `callboard calls close`: ends a call. */
export async function closeCall(call: string, { reason }: { reason: string }, shell: Shell): Promise<ExitCode> {
	return told(shell, await atDesk(shell, (desk) => desk.close({ call, reason })));
}

/** `callboard calls reply`: a human's words for the person. */
export async function replyToCall(
	call: string,
	text: string,
	options: { take?: true; key?: string },
	shell: Shell,
): Promise<ExitCode> {
	const { take = false, key = randomUUID() } = options;
	return told(shell, await atDesk(shell, (desk) => desk.reply({ call, text, key, take })));
}

/** `callboard calls release`: back to the agent. */
export async function releaseCall(call: string, note: string | undefined, shell: Shell): Promise<ExitCode> {
	const order = { call, ...(note === undefined ? {} : { note }) };
	return told(shell, await atDesk(shell, (desk) => desk.release(order)));
}

/** `callboard calls event`: tells a call's agent of something that happened. */
export async function tellCall(
	call: string,
	{ name, json }: { name: string; json: string | undefined },
	{ id = randomUUID() }: { id?: string },
	shell: Shell,
): Promise<ExitCode> {
	const data = json === undefined ? null : parsed(json);
	return told(shell, await atDesk(shell, (desk) => desk.event({ call, name, data, key: id })));
}

function parsed(json: string): Json {
	try {
		return JSON.parse(json) as Json;
	} catch (cause) {
		throw new CallboardError("BAD_JSON", "operator", "the data of the event is no JSON", {
			next: `put it in single quotes: callboard calls event 3f2a9c1e paid '{"order": 17}'`,
			cause,
		});
	}
}

/** Says what came of an order, and whether there was anything to do. */
export function told(shell: Shell, { done, address, says }: Omit<Done, "address"> & { address?: string }): ExitCode {
	const sentence = address === undefined ? says : `${address}: ${says}`;
	if (done) shell.out(sentence);
	else shell.err(`callboard: ${sentence}`);
	return done ? 0 : 1;
}
