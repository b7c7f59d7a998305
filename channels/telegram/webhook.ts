import { createHash, timingSafeEqual } from "node:crypto";
import type { Update } from "grammy/types";
import type { Log } from "../../src/observe/log.js";
import type { Intake } from "./intake.js";

const MAX_BYTES = 1024 * 1024;
const RETRY_S = "5";

/**
 * Answers one request of Telegram: 200 once the update is durable, 503 when it could not be stored, so that Telegram
 * brings it again. Without the secret it looks at nothing.
 */
export async function answerWebhook(
	request: Request,
	{ secret, intake, log }: { secret: string; intake: Intake | undefined; log: Log },
): Promise<Response> {
	if (request.method !== "POST") return plain(405, { allow: "POST" });
	if (!isSecret(request.headers.get("x-telegram-bot-api-secret-token"), secret)) {
		log.warn("telegram.secret_refused");
		return plain(401);
	}
	const update = await readUpdateBody(request);
	if (update === undefined) return plain(400);
	if (intake === undefined) return plain(503, { "retry-after": RETRY_S });
	try {
		const taken = await intake.take(update, request.headers.get("traceparent") ?? undefined);
		return taken === "full" ? plain(503, { "retry-after": RETRY_S }) : plain(200);
	} catch (error) {
		log.warn("telegram.not_stored", { update: update.update_id, error });
		return plain(503, { "retry-after": RETRY_S });
	}
}

/** Compares digests, so that the time it takes tells nothing. */
function isSecret(given: string | null, secret: string): boolean {
	const digest = (text: string) => createHash("sha256").update(text).digest();
	return given !== null && timingSafeEqual(digest(given), digest(secret));
}

async function readUpdateBody(request: Request): Promise<Update | undefined> {
	const body = await request.text();
	if (body.length > MAX_BYTES) return undefined;
	try {
		const update: unknown = JSON.parse(body);
		const isUpdate = typeof update === "object" && update !== null && "update_id" in update;
		return isUpdate && Number.isSafeInteger(update.update_id) ? (update as Update) : undefined;
	} catch {
		return undefined;
	}
}

function plain(status: number, headers: Record<string, string> = {}): Response {
	return new Response(null, { status, headers });
}
