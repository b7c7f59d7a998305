import type { Json } from "../call/json.js";
import type { Desk } from "../engine/desk.js";
import { CallboardError } from "../errors.js";
import type { Log } from "../observe/log.js";

/** What goes wrong with an event, as HTTP says it. */
const STATUS: Readonly<Record<string, number>> = {
	UNKNOWN_CALL: 404,
	WHICH_CALL: 409,
	KEY_REUSED: 409,
	EVENT_TOO_LARGE: 413,
	EVENT_UNDECLARED: 422,
	INBOX_FULL: 429,
	BACKEND_UNAVAILABLE: 503,
};

const RETRY_LATER = new Set([429, 503]);
const KEY = /^[\x20-\x7e]{1,200}$/;

/**
 * `POST /events`: the application tells the agent of a call that something happened. The body is
 * `{ address | call, name, data? }`, and `Idempotency-Key` names the event.
 * @returns 202 when it is durably accepted, 200 when it was before, 4xx or 503 with `{ error, message, next }`
 */
export async function takeEvent(request: Request, event: Desk["event"], log: Log): Promise<Response> {
	const order = readOrder(await request.text());
	if (typeof order === "string") return refused(400, "BAD_EVENT", order);
	const key = request.headers.get("idempotency-key") ?? "";
	if (!KEY.test(key)) {
		const missing = "the Idempotency-Key header must name this event, in at most 200 printable characters";
		return refused(400, "NO_IDEMPOTENCY_KEY", missing, "send the same key whenever you send the same event again");
	}
	try {
		const { done, address } = await event({ ...order, key });
		log.info("event.taken", { address, name: order.name, outcome: done ? "accepted" : "duplicate" });
		return answer(done ? 202 : 200, { outcome: done ? "accepted" : "duplicate", address });
	} catch (error) {
		if (!(error instanceof CallboardError)) throw error;
		return refused(STATUS[error.code] ?? 400, error.code, error.message, error.next);
	}
}

function readOrder(text: string): { call: string; name: string; data: Json } | string {
	let body: unknown;
	try {
		body = JSON.parse(text);
	} catch {
		return "the body is no JSON";
	}
	if (typeof body !== "object" || body === null || Array.isArray(body)) return "the body must be a JSON object";
	const { address, call, name, data = null, ...more } = body as Record<string, unknown>;
	const [stranger] = Object.keys(more);
	if (stranger !== undefined) return `the body has a member nobody knows: ${JSON.stringify(stranger.slice(0, 50))}`;
	if ((address === undefined) === (call === undefined)) return "the body must have either address or call";
	const found = address ?? call;
	if (typeof found !== "string" || found === "") return "address or call must be a text";
	if (address !== undefined && !found.includes("|")) return 'an address looks like "web|…": door, a bar, chat';
	if (typeof name !== "string") return "name must be a text";
	return { call: found, name, data: data as Json };
}

function refused(status: number, error: string, message: string, next?: string): Response {
	return answer(
		status,
		{ error, message, ...(next && { next }) },
		RETRY_LATER.has(status) ? { "retry-after": "5" } : {},
	);
}

function answer(status: number, body: object, headers: Record<string, string> = {}): Response {
	return Response.json(body, { status, headers: { "cache-control": "no-store", ...headers } });
}
