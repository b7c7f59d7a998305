import { CallboardError } from "../../errors.js";

/** What Redis' own refusals mean for who runs it. */
const ADVICE: Readonly<Record<string, string>> = {
	OOM: "give Redis more memory, or raise its maxmemory",
	READONLY: "this Redis is a replica; put the primary's address into REDIS_URL",
	LOADING: "wait: Redis is reading its data from disk",
	MISCONF: "Redis cannot write to its disk; see its log",
	NOAUTH: "put Redis' password into REDIS_URL",
	WRONGPASS: "correct the password in REDIS_URL",
	NOPERM: "give the user of REDIS_URL the right to run scripts on Callboard's keys",
	CLUSTERDOWN: "bring the missing nodes of the cluster back",
	TIMEOUT: "Redis answers too slowly; see its slow log and its disk",
};

/**
 * Names what went wrong by its class alone: an error of the client quotes the command, and with it what people said.
 */
export function classOf(error: unknown): string {
	if (!(error instanceof Error)) return "UNKNOWN";
	const { code } = error as { code?: unknown };
	if (typeof code === "string") return code;
	const word = /^(?:ERR Error running script.*?: *-?)?([A-Z]{3,})\b/.exec(error.message)?.[1];
	if (word !== undefined && word !== "ERR") return word;
	const refused = Object.keys(ADVICE).find((known) => new RegExp(`\\b${known}\\b`).test(error.message));
	if (refused !== undefined) return refused;
	return word ?? (error.name === "Error" ? "CLOSED" : error.name);
}

export function unavailable(reason: string): CallboardError {
	return new CallboardError("BACKEND_UNAVAILABLE", "platform", `Redis cannot be used now (${reason})`, {
		next: ADVICE[reason] ?? "start Redis, or correct host and port in REDIS_URL",
	});
}

/** Whether Redis ran the script and the script failed: it would fail again, so that waiting does not help. */
export function isScriptFault(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	const word = classOf(error);
	return (
		word === "WRONGTYPE" || (word === "ERR" && /user_script|Error (?:running|compiling) script/.test(error.message))
	);
}

export function storeFault(operation: string, reason: string, where: string | undefined): CallboardError {
	return new CallboardError("STORE_FAULT", "operator", `Redis could not run "${operation}" (${reason})`, {
		...(where === undefined ? {} : { where }),
		next: "look whether something else writes keys under Callboard's prefix; if nothing does, report it as a bug",
	});
}

export function notOpen(): CallboardError {
	return new CallboardError("BACKEND_UNAVAILABLE", "platform", "the redis backend is not open", {
		next: "open it before it is used, and not after it was closed",
	});
}
