import type { Api } from "grammy";
import { type AddressKey, addressKey } from "../../src/call/address.js";
import type { Part } from "../../src/call/part.js";
import type { Capabilities, ChatRate } from "../../src/channel/capabilities.js";
import type {
	Channel,
	ChannelHost,
	ChannelRoutes,
	Delivery,
	LiveEvent,
	Payload,
	SendResult,
} from "../../src/channel/channel.js";
import { pause } from "../../src/clock.js";
import { CallboardError } from "../../src/errors.js";
import { silentLog } from "../../src/observe/log.js";
import { telegramApi } from "./client.js";
import { connect, webhookPath } from "./connect.js";
import { Drafts } from "./drafts.js";
import { failureCode, failureOf } from "./errors.js";
import { Intake } from "./intake.js";
import { Outbound } from "./outbound.js";
import { Parking } from "./parking.js";
import { Poller } from "./poller.js";
import { renderPart, type TelegramPayload } from "./render-part.js";
import { targetOf } from "./target.js";
import { groupRate, telegramCapabilities, telegramRate } from "./telegram-capabilities.js";
import { type TelegramOptions, type TelegramSettings, telegramSettings } from "./telegram-options.js";
import { Typing } from "./typing.js";
import { answerWebhook } from "./webhook.js";

export type { TelegramOptions } from "./telegram-options.js";

/**
 * A Telegram bot. Needs the package `grammy`.
 * @throws CallboardError `TELEGRAM_OPTION_INVALID` (fault `operator`) naming the option
 */
export function telegram(options: TelegramOptions): TelegramChannel {
	return new TelegramChannel(telegramSettings(options));
}

/** What Telegram would be sent, without a bot: for words that another process sends. */
export const telegramRendering: Pick<Channel, "render"> = {
	render: (part) => renderPart(part) as unknown as Payload[],
};

/** What a running channel has. */
interface Running {
	host: ChannelHost;
	typing: Typing;
	drafts: Drafts | undefined;
	/** Undefined until Telegram has answered for the first time. */
	intake: Intake | undefined;
	stop: AbortController;
	done: Promise<void>;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export class TelegramChannel implements Channel {
	readonly name = "telegram";
	readonly transport = "telegram";
	readonly capabilities: Capabilities;
	readonly routes?: ChannelRoutes;
	/** Only with `onAmbiguous: "resend"`: what may not have arrived is sent again. */
	readonly reconcile?: NonNullable<Channel["reconcile"]>;
	readonly #settings: TelegramSettings;
	readonly #api: Api;
	#running: Running | undefined;
	/** Stays when the door closes: what the turns that still run say is sent. */
	#outbound: Outbound | undefined;

	constructor(settings: TelegramSettings) {
		this.#settings = settings;
		this.#api = telegramApi(settings);
		const { streaming, onAmbiguous, webhook } = settings;
		this.capabilities = {
			...telegramCapabilities,
			streaming: streaming ? "edit" : "none",
			ambiguous: onAmbiguous === "resend" ? "reconcile" : "leave",
		};
		if (onAmbiguous === "resend") {
			this.reconcile = async () => ({
				outcome: "retry",
				afterMs: 0,
				scope: "chat",
				reason: "it may not have arrived, and this door sends again",
			});
		}
		if (webhook !== undefined) this.routes = this.#routes(webhook.secret);
	}

	render(part: Part): readonly Payload[] {
		return telegramRendering.render(part);
	}

	async send(payload: Payload, delivery: Delivery): Promise<SendResult> {
		if (this.#outbound === undefined)
			return { outcome: "retry", afterMs: 1000, scope: "door", reason: "the Telegram door was never opened" };
		return this.#outbound.send(payload as unknown as TelegramPayload, delivery);
	}

	chatRate(address: AddressKey): ChatRate {
		return targetOf(address).isGroup ? groupRate : telegramRate;
	}

	show(address: AddressKey, event: LiveEvent): void {
		const running = this.#running;
		if (running === undefined || !address.startsWith(addressKey({ door: running.host.door, chat: "" }))) return;
		const { typing, drafts } = running;
		switch (event.kind) {
			case "typing":
				if (event.on) typing.start(address);
				else {
					typing.stop(address);
					drafts?.turnEnded(address);
				}
				return;
			case "draft":
				drafts?.show(address, event.turn, event.text);
				return;
			case "withdrawn":
				drafts?.withdraw(address, event.turn);
		}
	}

	ended(address: AddressKey): void {
		this.#running?.typing.stop(address);
	}

	async start(host: ChannelHost): Promise<void> {
		const { clock } = host;
		const parking = new Parking(clock);
		const drafts = this.#settings.streaming ? new Drafts(this.#api, clock, parking) : undefined;
		const running: Running = {
			host,
			typing: new Typing(clock, (address) => this.#type(address, parking)),
			drafts,
			intake: undefined,
			stop: new AbortController(),
			done: Promise.resolve(),
		};
		this.#running = running;
		this.#outbound = new Outbound({ api: this.#api, settings: this.#settings, parking, drafts });
		try {
			await this.#connect(running);
		} catch (error) {
			if (error instanceof CallboardError) {
				this.#running = undefined;
				this.#outbound = undefined;
				throw error;
			}
			host.log.warn("telegram.unreachable", { code: failureCode(error) });
		}
		running.done = this.#receive(running);
	}

	async stop(): Promise<void> {
		const running = this.#running;
		this.#running = undefined;
		running?.stop.abort();
		running?.typing.stopAll();
		running?.drafts?.stop();
		await running?.done;
	}

	async #connect(running: Running): Promise<void> {
		const { host, stop } = running;
		const bot = await connect(this.#api, this.#settings, host, stop.signal);
		running.intake = new Intake({ host, api: this.#api, bot, groups: this.#settings.groups });
	}

	/** Receives until the stop. Never rejects. */
	async #receive(running: Running): Promise<void> {
		const { host, stop } = running;
		await this.#connectAtLast(running);
		const { intake } = running;
		if (this.#settings.mode === "webhook" || host.sendsOnly || intake === undefined) return;
		const poll = (signal: AbortSignal) => new Poller(this.#api, host, intake).run(signal);
		try {
			await (host.alone === undefined ? poll(stop.signal) : host.alone("poll", poll, stop.signal));
		} catch (error) {
			host.log.error("telegram.stopped", { error });
		}
	}

	/** Telegram could not be reached at the start: once more, and ever later. */
	async #connectAtLast(running: Running): Promise<void> {
		const { host, stop } = running;
		for (let waitMs = FIRST_WAIT_MS; running.intake === undefined; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
			await pause(host.clock, waitMs, stop.signal).catch(() => {});
			if (stop.signal.aborted) return;
			try {
				await this.#connect(running);
			} catch (error) {
				if (error instanceof CallboardError) return host.log.error("telegram.refused", { error });
				host.log.warn("telegram.unreachable", { code: failureCode(error) });
			}
		}
	}

	#routes(secret: string): ChannelRoutes {
		const running = () => this.#running;
		return {
			get paths() {
				const door = running()?.host.door;
				return door === undefined ? [] : [webhookPath(door)];
			},
			fetch: (request) => {
				const { intake, host } = running() ?? {};
				return answerWebhook(request, { secret, intake, log: host?.log ?? silentLog });
			},
		};
	}

	/** Shows "typing…" once. It is passing: a failure only tells how long to leave the chat alone. */
	#type(address: AddressKey, parking: Parking): void {
		const { chat, thread } = targetOf(address);
		if (parking.left(chat) > 0) return;
		const other = thread === undefined ? {} : { message_thread_id: thread };
		this.#api.sendChatAction(chat, "typing", other).catch((error) => {
			const failure = failureOf(error);
			if (failure.kind === "refused" && failure.code === 429) parking.park(chat, failure.retryAfterMs ?? 1_000);
		});
	}
}
