/** What goes wrong with one request to the stand-in. */
export type TelegramFault =
	/** The API says no; nothing is done. */
	| { answer: { code: number; description: string; parameters?: Record<string, unknown> } }
	/** The connection is cut, before or after the request was carried out. */
	| { cut: "before" | "after" }
	/** The answer comes so late, in ms. The request is carried out at once. */
	| { slowMs: number }
	/** A proxy in front answers with a page instead of JSON. */
	| { page: number };

/** Failures as the Bot API words them, for `TelegramServer.fail()`. */
export const telegramFaults = {
	/** 429: not done, again after so many seconds. */
	tooMany: (seconds: number): TelegramFault => ({
		answer: {
			code: 429,
			description: `Too Many Requests: retry after ${seconds}`,
			parameters: { retry_after: seconds },
		},
	}),
	blocked: (): TelegramFault => ({
		answer: { code: 403, description: "Forbidden: bot was blocked by the user" },
	}),
	deactivated: (): TelegramFault => ({ answer: { code: 403, description: "Forbidden: user is deactivated" } }),
	kicked: (): TelegramFault => ({
		answer: { code: 403, description: "Forbidden: bot was kicked from the supergroup chat" },
	}),
	chatNotFound: (): TelegramFault => ({ answer: { code: 400, description: "Bad Request: chat not found" } }),
	refused: (why = "message can't be sent"): TelegramFault => ({
		answer: { code: 400, description: `Bad Request: ${why}` },
	}),
	unparsable: (): TelegramFault => ({
		answer: {
			code: 400,
			description: 'Bad Request: can\'t parse entities: Unsupported start tag "x" at byte offset 0',
		},
	}),
	/** The group became a supergroup with another id. */
	migrated: (to: number): TelegramFault => ({
		answer: {
			code: 400,
			description: "Bad Request: group chat was upgraded to a supergroup chat",
			parameters: { migrate_to_chat_id: to },
		},
	}),
	unauthorized: (): TelegramFault => ({ answer: { code: 401, description: "Unauthorized" } }),
	conflict: (): TelegramFault => ({
		answer: {
			code: 409,
			description: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
		},
	}),
	brokenServer: (): TelegramFault => ({ answer: { code: 500, description: "Internal Server Error" } }),
	badGateway: (): TelegramFault => ({ page: 502 }),
	/** Carried out, then the connection breaks: the person has it, the bot does not know. */
	acceptedThenReset: (): TelegramFault => ({ cut: "after" }),
	/** The connection breaks before anything was done; the bot cannot tell that from the one above. */
	lostThenReset: (): TelegramFault => ({ cut: "before" }),
	slow: (slowMs: number): TelegramFault => ({ slowMs }),
} as const;

/** The API says no. */
export class TelegramRefusal extends Error {
	constructor(
		readonly code: number,
		description: string,
		readonly parameters?: Record<string, unknown>,
	) {
		super(description);
	}
}
