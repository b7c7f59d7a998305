import type { Capabilities, ChatRate, Rate } from "../../src/channel/capabilities.js";

/** Longest text with its markup. About 9,500 were seen refused. [github.com/tdlib/telegram-bot-api/issues/165] */
export const markupMax = 9_000;

/** Rows of buttons below one message: more are hard to see on a phone. */
export const buttonRows = 8;

/**
 * About one message a second in a chat, for a short while more; about 30 a second in all.
 * [core.telegram.org/bots/faq]
 */
export const telegramRate: Rate = { perChatPerSecond: 1, chatBurst: 3, perDoorPerSecond: 25 };

/** Numbers of the Bot API [core.telegram.org/bots/api], with a margin where its count may differ from ours. */
export const telegramCapabilities: Capabilities = {
	// sendMessage: 1 to 4096 characters after entities parsing, in UTF-16 units.
	text: { max: 4_000, unit: "utf16", markup: "telegram-html" },
	// InlineKeyboardButton: callback_data has 1 to 64 bytes; a longer id is carried as its hash. Labels have no limit.
	choices: { buttons: buttonRows * 3, rows: 0, labelMax: 40, idMaxBytes: 1_000 },
	edits: true,
	streaming: "none",
	// sendChatAction: shown for 5 seconds or less.
	typingMs: 5_000,
	// sendPhoto and the like: captions of 0 to 1024 characters.
	media: { in: true, out: true, captionMax: 1_000 },
	// No published deadline; a read was seen abandoned after 10 s. [github.com/openclaw/openclaw/pull/70146]
	ackMs: 1_000,
	ambiguous: "leave",
	rate: telegramRate,
};

/** No more than 20 messages a minute in a group: 2 at once and 18 more. [core.telegram.org/bots/faq] */
export const groupRate: ChatRate = { perChatPerSecond: 18 / 60, chatBurst: 2 };
