import { CallboardError } from "../../src/errors.js";

/** How one bot of Telegram is reached, and in which way its updates come. */
export interface TelegramOptions {
	/** The bot's token, as @BotFather gave it. */
	token: string;
	/** How updates come in. `polling` needs nothing else; `webhook` needs an address that Telegram can reach. Default `polling`. */
	mode?: "polling" | "webhook";
	/** For mode `webhook`. */
	webhook?: {
		/** Public address of this server, such as `https://bots.example.com`; `/telegram/<door>` is put behind it. */
		url: string;
		/** Proves that an update is from Telegram: 16 to 256 of `A-Za-z0-9_-`. */
		secret: string;
	};
	/** Another server of the Bot API. Default `https://api.telegram.org`. */
	apiRoot?: string;
	/** What becomes of a message whose sending broke off. `leave`: it is marked, and not sent again. Default `leave`. */
	onAmbiguous?: "leave" | "resend";
	/** Which messages of groups are for the agent: those that mention it, answer it or are commands; all; or none. Default `addressed`. */
	groups?: "addressed" | "all" | "none";
	/** Whether an answer in a group quotes the message it answers. Default true. */
	quotes?: boolean;
	/** Whether an answer is shown while it grows, by editing it. Default false. */
	streaming?: boolean;
}

export type TelegramSettings = Required<Omit<TelegramOptions, "webhook">> & {
	webhook: { url: string; secret: string } | undefined;
	/** Id of the bot, the first part of its token. */
	bot: number;
};

/** Ports at which Telegram calls webhooks. [core.telegram.org/bots/api#setwebhook] */
const PORTS = ["", "443", "80", "88", "8443"];

/** Fills in defaults. @throws CallboardError `TELEGRAM_OPTION_INVALID` (fault `operator`) naming the option, never its value */
export function telegramSettings(options: TelegramOptions): TelegramSettings {
	const { token, mode = "polling", webhook, apiRoot } = options;
	if (!/^\d{1,20}:[\w-]{3,100}$/.test(token ?? ""))
		refuse("token", "is not a bot's token", "copy it from @BotFather, such as 123456:ABC-DEF");
	if (apiRoot !== undefined && (!URL.canParse(apiRoot) || apiRoot.endsWith("/")))
		refuse("apiRoot", "is not a URL without a slash at its end", "write it like http://127.0.0.1:8081");
	if (mode === "webhook") checkWebhook(webhook, apiRoot !== undefined);
	return {
		token,
		mode,
		webhook: mode === "webhook" ? webhook : undefined,
		apiRoot: apiRoot ?? "https://api.telegram.org",
		onAmbiguous: options.onAmbiguous ?? "leave",
		groups: options.groups ?? "addressed",
		quotes: options.quotes ?? true,
		streaming: options.streaming ?? false,
		bot: Number(token.split(":")[0]),
	};
}

function checkWebhook(webhook: TelegramOptions["webhook"], isOwnServer: boolean): void {
	const { url = "", secret = "" } = webhook ?? {};
	if (!/^[\w-]{16,256}$/.test(secret)) {
		const next = "set it to the output of `openssl rand -hex 32`";
		refuse("webhook.secret", "is not 16 to 256 letters, digits, _ or -: without it anyone could post updates", next);
	}
	if (!URL.canParse(url)) refuse("webhook.url", "is not a URL", "write it like https://bots.example.com");
	const { protocol, port, search, hash } = new URL(url);
	if (search !== "" || hash !== "") refuse("webhook.url", "has a ? or # in it", "write only the address");
	if (isOwnServer) return;
	if (protocol !== "https:") refuse("webhook.url", "does not begin with https://", "Telegram calls nothing else");
	if (!PORTS.includes(port)) refuse("webhook.url", `has port ${port}`, "Telegram calls 443, 80, 88 and 8443 only");
}

function refuse(option: string, problem: string, next: string): never {
	throw new CallboardError("TELEGRAM_OPTION_INVALID", "operator", `option ${option} of telegram() ${problem}`, {
		where: "telegram()",
		next,
	});
}
