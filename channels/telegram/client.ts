import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Api } from "grammy";
import type { TelegramSettings } from "./telegram-options.js";

/** Longest time an answer may take, in s; a long poll takes less than half of it. */
const TIMEOUT_S = 60;
/**
 * A connection not used for so long is closed by us: one that the other side has closed meanwhile would break the next
 * send, and nobody would know whether it arrived.
 */
const IDLE_CONNECTION_MS = 5_000;

/** The client of the Bot API, without retries of its own: what fails is judged by us. */
export function telegramApi({ token, apiRoot }: TelegramSettings): Api {
	const options = { keepAlive: true, timeout: IDLE_CONNECTION_MS };
	const agent = apiRoot.startsWith("https:") ? new HttpsAgent(options) : new HttpAgent(options);
	return new Api(token, { apiRoot, timeoutSeconds: TIMEOUT_S, baseFetchConfig: { agent } });
}
