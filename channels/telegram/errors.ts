import { GrammyError, HttpError } from "grammy";
import type { SendResult } from "../../src/channel/channel.js";

/** How a request to Telegram failed. */
export type Failure =
	/** The Bot API said no, in these words. */
	| { kind: "refused"; code: number; description: string; retryAfterMs?: number; migratedTo?: number }
	/** No connection was made: nothing can have been delivered. */
	| { kind: "unsent"; code: string }
	/** A file of this machine cannot be read: nothing was asked of Telegram. */
	| { kind: "unreadable"; code: string }
	/** The connection broke, or no answer came, after the request may have gone out. */
	| { kind: "unknown"; code: string };

/** Failures of a connection that was never made. */
const UNSENT = new Set([
	"ECONNREFUSED",
	"ENOTFOUND",
	"EAI_AGAIN",
	"EHOSTUNREACH",
	"ENETUNREACH",
	"ENETDOWN",
	"EADDRNOTAVAIL",
	"CERT_HAS_EXPIRED",
	"DEPTH_ZERO_SELF_SIGNED_CERT",
	"SELF_SIGNED_CERT_IN_CHAIN",
	"UNABLE_TO_VERIFY_LEAF_SIGNATURE",
	"ERR_TLS_CERT_ALTNAME_INVALID",
]);
const TOKEN_RETRY_MS = 60_000;
const NETWORK_RETRY_MS = 1_000;

/** Thrown before a request when the file that was to go with it cannot be read. */
export class FileUnreadable extends Error {
	constructor(readonly code: string) {
		super("the file cannot be read");
	}
}

/** Reads what the client threw. Its messages hold the token, so none of them is passed on. */
export function failureOf(error: unknown): Failure {
	if (error instanceof GrammyError) {
		const { retry_after, migrate_to_chat_id } = error.parameters;
		return {
			kind: "refused",
			code: error.error_code,
			description: error.description,
			...(retry_after !== undefined && { retryAfterMs: retry_after * 1000 }),
			...(migrate_to_chat_id !== undefined && { migratedTo: migrate_to_chat_id }),
		};
	}
	if (error instanceof FileUnreadable) return { kind: "unreadable", code: error.code };
	const cause = error instanceof HttpError ? error.error : error;
	const { code, name } = (cause ?? {}) as { code?: unknown; name?: unknown };
	const known = typeof code === "string" ? code : typeof name === "string" ? name : "unknown";
	return UNSENT.has(known) ? { kind: "unsent", code: known } : { kind: "unknown", code: known };
}

/** A short name of a failure, fit for a log. */
export function failureCode(error: unknown): string {
	const failure = failureOf(error);
	return failure.kind === "refused" ? `${failure.code} ${failure.description}` : failure.code;
}

/** Whether the markup was refused: the words can still be sent without it. */
export function isUnparsable(failure: Failure): boolean {
	return failure.kind === "refused" && failure.code === 400 && /can't parse entities/i.test(failure.description);
}

/** What a failed send comes to. @param scope who waits when Telegram asks to */
export function toSendResult(failure: Failure, scope: "chat" | "door"): SendResult {
	if (failure.kind === "unsent")
		return { outcome: "retry", afterMs: NETWORK_RETRY_MS, scope: "door", reason: `no connection: ${failure.code}` };
	if (failure.kind === "unreadable") return { outcome: "failed", reason: `the file cannot be read: ${failure.code}` };
	if (failure.kind === "unknown")
		return { outcome: "ambiguous", reason: `the connection broke in mid-send: ${failure.code}` };
	const { code, description, retryAfterMs = NETWORK_RETRY_MS } = failure;
	const reason = `${code} ${description}`;
	if (code === 429) return { outcome: "retry", afterMs: retryAfterMs, scope, reason };
	if (code >= 500) return { outcome: "retry", afterMs: NETWORK_RETRY_MS, scope: "chat", reason };
	if (code === 401 || code === 404) return { outcome: "retry", afterMs: TOKEN_RETRY_MS, scope: "door", reason };
	const isGone = code === 403 || /chat not found|user not found|PEER_ID_INVALID/i.test(description);
	return isGone ? { outcome: "failed", reason, unreachable: true } : { outcome: "failed", reason };
}
