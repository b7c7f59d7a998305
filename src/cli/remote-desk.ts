import { readFileSync } from "node:fs";
import { type Desk, type DeskVerb, deskVerbs } from "../engine/desk.js";
import { CallboardError, type Fault } from "../errors.js";
import type { DeskNote } from "../gateway/desk-server.js";

const LONGEST_MS = 60_000;

/**
 * The desk of the process that has the store open, found by the note it left; undefined when there is none, or the one
 * that left it is gone.
 */
export async function remoteDesk(path: string): Promise<Desk | undefined> {
	const note = readNote(path);
	if (note === undefined || !(await listens(note))) return undefined;
	const verbs = deskVerbs.map((verb) => [verb, (given: object) => order(note, verb, given)]);
	return Object.fromEntries(verbs) as Desk;
}

function readNote(path: string): DeskNote | undefined {
	try {
		return JSON.parse(readFileSync(path, "utf8")) as DeskNote;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EACCES") {
			throw new CallboardError("DESK_REFUSED", "operator", `${path} belongs to another user`, {
				next: "run the command as the user who runs callboard",
				cause: error,
			});
		}
		return undefined;
	}
}

/** Another program may have that port by now: only the one that knows the token answers. */
async function listens(note: DeskNote): Promise<boolean> {
	try {
		return (await ask(note)).ok;
	} catch {
		return false;
	}
}

async function order(note: DeskNote, verb: DeskVerb, given: object): Promise<unknown> {
	const answered = await ask(note, JSON.stringify({ verb, given })).catch((cause: unknown) => {
		throw new CallboardError("DESK_GONE", "operator", `process ${note.pid} stopped while it was asked`, {
			next: "run the command again; every one of them may be repeated",
			cause,
		});
	});
	const body = (await answered.json()) as {
		result?: unknown;
		error?: { code: string; fault: Fault; message: string; where?: string; next?: string };
	};
	if (body.error === undefined) return body.result;
	const { code, fault, message, where, next } = body.error;
	throw new CallboardError(code, fault, message, { ...(where && { where }), ...(next && { next }) });
}

/** Without an order it only asks whether anybody is there. */
function ask({ url, token }: DeskNote, body?: string): Promise<Response> {
	const headers = { authorization: `Bearer ${token}` };
	const signal = AbortSignal.timeout(LONGEST_MS);
	return fetch(url, { ...(body === undefined ? {} : { method: "POST", body }), headers, signal });
}
