import type { AgentDeclaration } from "../agent/declaration.js";
import type { Channel } from "../channel/channel.js";
import type { Config } from "../config.js";
import { CallboardError } from "../errors.js";
import { agentHeading } from "./agent-heading.js";
import { openTelegram, openWeb } from "./doors.js";

export interface OpenDoorsOptions {
	config: Config;
	agent: AgentDeclaration;
	/** Signs visitor sessions of the web chat; asked for only when that door opens. */
	secret(): string;
	/** Whether a scripted demo answers: the web chat says so. */
	demo: boolean;
	/** Whether the page of the web chat tells how to embed it. Default false. */
	embed?: boolean;
	/** Names of the doors to open. Default: the web chat, and Telegram where there is a token. */
	only?: readonly string[] | undefined;
}

/**
 * Opens the doors of one agent.
 * @throws CallboardError `UNKNOWN_DOOR`, `NO_TELEGRAM_TOKEN`, and what a door itself throws
 */
export async function openDoors(options: OpenDoorsOptions): Promise<readonly Channel[]> {
	const { config, only } = options;
	const names = only ?? ["web", ...(config.telegram.token === undefined ? [] : ["telegram"])];
	return Promise.all([...new Set(names)].map((name) => open(name, options)));
}

async function open(name: string, { config, agent, secret, demo, embed }: OpenDoorsOptions): Promise<Channel> {
	switch (name) {
		case "web":
			return openWeb({
				title: config.web.title ?? agentHeading(agent),
				...(config.web.accent !== undefined && { theme: { accent: config.web.accent } }),
				...(demo && { notice: "A scripted demo answers here, not a model." }),
				...(embed !== undefined && { embed }),
				secret: secret(),
				allowedOrigins: config.allowedOrigins,
				...(agent.language !== undefined && { language: agent.language }),
			});
		case "telegram": {
			const { token, webhook, apiRoot } = config.telegram;
			if (token === undefined) {
				throw new CallboardError("NO_TELEGRAM_TOKEN", "operator", "the Telegram door needs a bot's token", {
					next: "talk to @BotFather, send /newbot, and put TELEGRAM_TOKEN=… into .env",
				});
			}
			return openTelegram({
				token,
				...(webhook !== undefined && { mode: "webhook", webhook }),
				...(apiRoot !== undefined && { apiRoot }),
			});
		}
		default:
			throw new CallboardError("UNKNOWN_DOOR", "operator", `there is no door "${name}"`, {
				next: "the doors are web and telegram",
			});
	}
}
