import type { TelegramOptions } from "callboard/channels/telegram";
import type { TerminalChannel, TerminalOptions } from "callboard/channels/terminal";
import type { WebOptions } from "callboard/channels/web";
import type { Channel } from "../channel/channel.js";
import { CallboardError } from "../errors.js";

/** The one place that knows channels by name. */
export async function openWeb(options: WebOptions): Promise<Channel> {
	const { web } = await import("callboard/channels/web");
	return web(options);
}

/** @throws CallboardError `PACKAGE_MISSING` without grammY, `TELEGRAM_OPTION_INVALID` */
export async function openTelegram(options: TelegramOptions): Promise<Channel> {
	return (await loadTelegram()).telegram(options);
}

/** A channel that only renders, for words that another process will send; undefined where nothing renders for it. */
export async function renderingChannel(door: string): Promise<Pick<Channel, "render"> | undefined> {
	if (door === "telegram") return (await loadTelegram()).telegramRendering;
	return door === "web" ? openWeb({}) : undefined;
}

export async function openTerminal(options: TerminalOptions): Promise<TerminalChannel> {
	const { terminal } = await import("callboard/channels/terminal");
	return terminal(options);
}

async function loadTelegram() {
	try {
		return await import("callboard/channels/telegram");
	} catch (error) {
		if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
		throw new CallboardError("PACKAGE_MISSING", "operator", "the Telegram door needs the package grammy", {
			next: "npm install grammy@1.46.0",
			cause: error,
		});
	}
}
