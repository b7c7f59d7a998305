import type { Config } from "../config.js";
import { type Finding, fail, ok, warn } from "./finding.js";

const PATIENCE_MS = 5000;
const TELEGRAM = "https://api.telegram.org";

interface WebhookInfo {
	url?: string;
	pending_update_count?: number;
	last_error_message?: string;
}

/** Whether Telegram knows the bot, and sends its updates where the settings say; nothing where there is no token. */
export async function checkTelegram({ telegram }: Config): Promise<readonly Finding[]> {
	if (telegram.token === undefined) return [];
	try {
		const me = await ask<{ username?: string }>(telegram, "getMe");
		if (me === undefined)
			return [fail("telegram", "Telegram does not know the token", "copy TELEGRAM_TOKEN from @BotFather again")];
		const known = ok("telegram", `the bot is @${me.username}`);
		const info = (await ask<WebhookInfo>(telegram, "getWebhookInfo")) ?? {};
		return [known, telegram.webhook === undefined ? polled(info) : posted(info, telegram.webhook.url)];
	} catch (error) {
		const { name, cause } = error as Error & { cause?: { code?: string } };
		const why = name === "TimeoutError" ? "does not answer" : `cannot be reached (${cause?.code ?? name})`;
		return [fail("telegram", `Telegram ${why}`, "check the way to it, and TELEGRAM_API_ROOT")];
	}
}

function polled({ url = "" }: WebhookInfo): Finding {
	if (url === "") return ok("telegram", "updates are polled");
	const says = "the bot has a webhook, which polling takes away";
	return warn("telegram", says, "use a bot of its own for this machine, or set TELEGRAM_WEBHOOK_URL");
}

function posted({ url = "", pending_update_count = 0, last_error_message }: WebhookInfo, wanted: string): Finding {
	if (!url.startsWith(wanted.replace(/\/+$/, ""))) {
		const says = url === "" ? "the webhook is not set yet" : "the webhook is set to another address";
		return warn("telegram", says, "start Callboard, which sets it");
	}
	if (last_error_message === undefined) return ok("telegram", `updates are posted, ${pending_update_count} wait`);
	const says = `${pending_update_count} updates wait; Telegram's last try: ${last_error_message}`;
	return warn("telegram", says, "see that TELEGRAM_WEBHOOK_URL can be reached from outside");
}

/** The result, or undefined when the token is refused. */
async function ask<T>({ token, apiRoot }: Config["telegram"], method: string): Promise<T | undefined> {
	const response = await fetch(`${apiRoot ?? TELEGRAM}/bot${token}/${method}`, {
		signal: AbortSignal.timeout(PATIENCE_MS),
	});
	if (response.status === 401 || response.status === 404) return undefined;
	return ((await response.json()) as { result: T }).result;
}
