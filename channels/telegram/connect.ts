import type { Api } from "grammy";
import type { ChannelHost } from "../../src/channel/channel.js";
import { CallboardError } from "../../src/errors.js";
import type { BotName } from "./addressed.js";
import { failureOf } from "./errors.js";
import { updateKinds } from "./read-update.js";
import type { TelegramSettings } from "./telegram-options.js";

/** Where Telegram posts the updates of a door, on this server. */
export function webhookPath(door: string): string {
	return `/telegram/${encodeURIComponent(door)}`;
}

/**
 * Asks Telegram who the bot is, and says where its updates go.
 * @throws CallboardError `TELEGRAM_TOKEN_REFUSED` or `TELEGRAM_WEBHOOK_REFUSED` when it can never work; the client's own
 * error when it may work later
 */
export async function connect(
	api: Api,
	settings: TelegramSettings,
	{ door, log, sendsOnly }: ChannelHost,
	stop: AbortSignal,
): Promise<BotName> {
	const { webhook } = settings;
	const signal = stop as never;
	try {
		const { id, username } = await api.getMe(signal);
		if (sendsOnly) return { id, username };
		if (webhook === undefined) {
			const { url } = await api.getWebhookInfo(signal);
			if (url !== undefined && url !== "") {
				log.warn("telegram.webhook_removed", { note: "this bot had a webhook; it is polled from now on" });
				await api.deleteWebhook({}, signal);
			}
		} else {
			const url = `${webhook.url.replace(/\/+$/, "")}${webhookPath(door)}`;
			await api.setWebhook(url, { secret_token: webhook.secret, allowed_updates: updateKinds }, signal);
		}
		log.info("telegram.connected", { bot: username, mode: settings.mode });
		return { id, username };
	} catch (error) {
		throw explained(error) ?? error;
	}
}

function explained(error: unknown): CallboardError | undefined {
	const failure = failureOf(error);
	if (failure.kind !== "refused") return undefined;
	if (failure.code === 401 || failure.code === 404) {
		return new CallboardError("TELEGRAM_TOKEN_REFUSED", "operator", "Telegram does not know the bot's token", {
			where: "TELEGRAM_TOKEN",
			next: "copy it from @BotFather again",
		});
	}
	if (failure.code !== 400) return undefined;
	return new CallboardError("TELEGRAM_WEBHOOK_REFUSED", "operator", `Telegram refuses it: ${failure.description}`, {
		where: "TELEGRAM_WEBHOOK_URL",
		next: "give it an https address that Telegram can reach, or leave it out to poll",
	});
}
