import type { TerminalChannel, TerminalOptions } from "callboard/channels/terminal";
import type { WebOptions } from "callboard/channels/web";
import type { Channel } from "../channel/channel.js";

/** The one place that knows channels by name. */
export async function openWeb(options: WebOptions): Promise<Channel> {
	const { web } = await import("callboard/channels/web");
	return web(options);
}

/** A channel that only renders, for words that another process will send; undefined where nothing renders for it. */
export async function renderingChannel(door: string): Promise<Pick<Channel, "render"> | undefined> {
	return door === "web" ? openWeb({}) : undefined;
}

export async function openTerminal(options: TerminalOptions): Promise<TerminalChannel> {
	const { terminal } = await import("callboard/channels/terminal");
	return terminal(options);
}
