import type { SendResult } from "../channel/channel.js";

/** What a platform does with one send: whether the person gets it, what the channel is told, and how late. */
export interface PlatformAnswer {
	result: SendResult;
	/** Whether the person sees it. Default: when `result` is `sent`. */
	delivers?: boolean;
	/** How long the answer takes, in ms on the clock. Default 0. */
	latencyMs?: number;
}

/** Answers that real platforms give, for `FakeChannel.answer()`. */
export const platformAnswers = {
	/** 429: not delivered, try again after so long. `scope`: whether only this chat or the whole door must wait. */
	tooMany: (afterMs: number, scope: "chat" | "door" = "chat"): PlatformAnswer => ({
		result: { outcome: "retry", afterMs, scope, reason: "429 too many requests" },
	}),
	/** 5xx: not delivered. */
	brokenServer: (afterMs = 1000): PlatformAnswer => ({
		result: { outcome: "retry", afterMs, scope: "door", reason: "503 service unavailable" },
	}),
	/** 400: it will never work. */
	refused: (reason = "400 bad request"): PlatformAnswer => ({ result: { outcome: "failed", reason } }),
	/** The person blocked the bot or left. */
	blocked: (): PlatformAnswer => ({ result: { outcome: "failed", reason: "403 blocked", unreachable: true } }),
	/** The platform took it, then the connection broke: the person has it, the channel does not know. */
	acceptedThenReset: (): PlatformAnswer => ({
		delivers: true,
		result: { outcome: "ambiguous", reason: "the connection broke after the request was sent" },
	}),
	/** The connection broke before the platform took it; the channel cannot tell that from `acceptedThenReset`. */
	lostThenReset: (): PlatformAnswer => ({
		delivers: false,
		result: { outcome: "ambiguous", reason: "the connection broke after the request was sent" },
	}),
	/** Delivered, but late. */
	late: (latencyMs: number): PlatformAnswer => ({ latencyMs, result: { outcome: "sent", id: "" } }),
} as const;
