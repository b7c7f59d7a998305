import { type TelegramOptions, telegram } from "../../channels/telegram/channel.js";
import { type AddressKey, addressKey } from "../../src/call/address.js";
import type { Inbound } from "../../src/call/inbound.js";
import type { Content } from "../../src/call/message.js";
import type { Part } from "../../src/call/part.js";
import type { Channel, SendResult } from "../../src/channel/channel.js";
import type { Clock } from "../../src/clock.js";
import { type Gateway, startGateway } from "../../src/gateway/gateway.js";
import { silentLog } from "../../src/observe/log.js";
import { RecordingHost } from "../../src/testing/recording-host.js";
import { RecordingLog } from "../../src/testing/recording-log.js";
import { startTelegramServer, type TelegramServer } from "../../src/testing/telegram-server.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

export const SECRET = "a-secret-of-the-webhook";

/** A host that lets a test wait for what the channel hands over. */
export class WaitingHost extends RecordingHost {
	#waiting: (() => void)[] = [];

	override async accept(inbound: Inbound) {
		try {
			return await super.accept(inbound);
		} finally {
			for (const look of [...this.#waiting]) look();
		}
	}

	/** Resolves as soon as something holds; it is asked again after every item handed over. */
	until(holds: () => boolean): Promise<void> {
		if (holds()) return Promise.resolve();
		return new Promise((resolve) => {
			const look = () => {
				if (!holds()) return;
				this.#waiting = this.#waiting.filter((each) => each !== look);
				resolve();
			};
			this.#waiting.push(look);
		});
	}

	/** Resolves with what the first `count` messages say. */
	async contents(count: number): Promise<readonly Content[]> {
		await this.until(() => this.messages.length >= count);
		return this.messages.map((message) => message.content);
	}

	get messages() {
		return this.accepted.flatMap((each) => (each.type === "message" ? [each] : []));
	}
}

export interface Stand {
	server: TelegramServer;
	channel: Channel;
	host: WaitingHost;
	clock: VirtualClock;
	log: RecordingLog;
	/** The address of a chat at this door. */
	at(chat: number, thread?: number): AddressKey;
	/** Renders and sends a part, as the sender does: row by row. */
	send(
		chat: number,
		part: Part | string,
		options?: { id?: string; thread?: number; answers?: number },
	): Promise<SendResult[]>;
	/** Where webhooks are posted, in webhook mode. */
	url: string | undefined;
	stop(): Promise<void>;
}

export type StandOptions = Partial<TelegramOptions> & { serverClock?: Clock; start?: false };

/** The channel with its real client, at a stand-in of the platform. */
async function stand(options: StandOptions = {}): Promise<Stand> {
	const { serverClock, start, ...given } = options;
	const server = await startTelegramServer({ webhookRetryMs: 100, ...(serverClock && { clock: serverClock }) });
	const clock = new VirtualClock();
	const log = new RecordingLog();
	const host = new WaitingHost({ door: "telegram", clock, log });
	const { channel, gateway } = await served(server, given);
	if (start !== false) await channel.start(host);
	const at = (chat: number, thread?: number) =>
		addressKey({ door: "telegram", chat: String(chat), ...(thread !== undefined && { thread: String(thread) }) });
	return {
		server,
		channel,
		host,
		clock,
		log,
		at,
		url: gateway?.url,
		async send(chat, part, { id = "t.1", thread, answers } = {}) {
			const results: SendResult[] = [];
			const whole: Part = typeof part === "string" ? { kind: "text", text: part } : part;
			for (const [index, payload] of channel.render(whole).entries()) {
				const { signal } = new AbortController();
				const delivery = { address: at(chat, thread), key: `${id}.${index}`, signal };
				results.push(
					await channel.send(payload, { ...delivery, ...(answers !== undefined && { answers: { message: answers } }) }),
				);
			}
			return results;
		},
		async stop() {
			await channel.stop();
			await gateway?.stop(0);
			await server.stop();
		},
	};
}

/** The channel, and in webhook mode the HTTP server its routes are reached by. */
export async function served(
	server: TelegramServer,
	options: Partial<TelegramOptions> = {},
): Promise<{ channel: Channel; gateway: Gateway | undefined }> {
	const base = { token: server.token, apiRoot: server.apiRoot };
	if (options.mode !== "webhook") return { channel: telegram({ ...base, ...options }), gateway: undefined };
	const channels: Channel[] = [];
	const gateway = await startGateway({ port: 0, channels, log: silentLog });
	const channel = telegram({ ...base, webhook: { url: gateway.url, secret: SECRET }, ...options });
	channels.push(channel);
	return { channel, gateway };
}

/** Starts stands and stops them all at the end of a test. */
export class Stands {
	readonly #open: Stand[] = [];

	async open(options?: StandOptions): Promise<Stand> {
		const opened = await stand(options);
		this.#open.push(opened);
		return opened;
	}

	async close(): Promise<void> {
		for (const each of this.#open.splice(0)) await each.stop();
	}
}

/** Lets real requests come to rest until something holds. */
export async function soon(holds: () => boolean): Promise<void> {
	while (!holds()) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** The same while the virtual clock moves on. */
export async function during(clock: VirtualClock, holds: () => boolean): Promise<void> {
	await soon(() => {
		if (clock.nextAt !== undefined) void clock.step();
		return holds();
	});
}
