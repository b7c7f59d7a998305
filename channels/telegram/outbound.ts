import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type Api, InputFile } from "grammy";
import type { Delivery, SendResult } from "../../src/channel/channel.js";
import type { Drafts } from "./drafts.js";
import { type Failure, FileUnreadable, failureOf, isUnparsable, toSendResult } from "./errors.js";
import { withoutTags } from "./html.js";
import type { Parking } from "./parking.js";
import { messageId } from "./read-update.js";
import type { TelegramPayload } from "./render-part.js";
import { type Target, targetOf } from "./target.js";
import type { TelegramSettings } from "./telegram-options.js";

export interface OutboundOptions {
	api: Api;
	settings: TelegramSettings;
	parking: Parking;
	drafts: Drafts | undefined;
}

type TextPayload = Extract<TelegramPayload, { kind: "text" }>;
type MediaPayload = Extract<TelegramPayload, { kind: "media" }>;

/** Fields every sending method takes. */
type Common = NonNullable<Parameters<Api["sendMessage"]>[2]>;

/** Sends one message and says what became of it. */
export class Outbound {
	readonly #options: OutboundOptions;
	/** Groups that became supergroups since this process started: where their messages go now. */
	readonly #moved = new Map<string, string>();

	constructor(options: OutboundOptions) {
		this.#options = options;
	}

	async send(payload: TelegramPayload, delivery: Delivery): Promise<SendResult> {
		const { parking, settings } = this.#options;
		const target = targetOf(delivery.address);
		const left = parking.left(target.chat);
		if (left > 0) return { outcome: "retry", afterMs: left, scope: "chat", reason: "Telegram asked to wait" };
		const replaced = await this.#inDraft(payload, delivery, target);
		if (replaced !== undefined) return replaced;
		try {
			return await this.#sendNew(payload, delivery, target, true);
		} catch (error) {
			const result = this.#judge(failureOf(error), target);
			if (result.outcome !== "ambiguous" || settings.onAmbiguous === "leave") return result;
			return { outcome: "retry", afterMs: 0, scope: "chat", reason: result.reason };
		}
	}

	/** A new message, and once more where Telegram says how it would be taken: elsewhere, or without markup. */
	async #sendNew(
		payload: TelegramPayload,
		delivery: Delivery,
		target: Target,
		isMarkedUp: boolean,
	): Promise<SendResult> {
		const chat = this.#moved.get(target.chat) ?? target.chat;
		try {
			const common = this.#common(delivery, target, isMarkedUp);
			const sent =
				payload.kind === "text"
					? await this.#sendText(chat, payload, common, delivery.signal)
					: await this.#sendMedia(chat, payload, common, delivery.signal);
			return this.#sent(target, sent.message_id);
		} catch (error) {
			const failure = failureOf(error);
			if (failure.kind === "refused" && failure.migratedTo !== undefined && !this.#moved.has(target.chat)) {
				this.#moved.set(target.chat, String(failure.migratedTo));
				return this.#sendNew(payload, delivery, target, isMarkedUp);
			}
			if (isUnparsable(failure) && isMarkedUp) return this.#sendNew(payload, delivery, target, false);
			throw error;
		}
	}

	#common({ key, answers }: Delivery, { thread, isGroup }: Target, isMarkedUp: boolean): Common {
		const quoted = (answers as { message?: number } | undefined)?.message;
		const isQuoting = this.#options.settings.quotes && isGroup && key.endsWith(".1.0") && quoted !== undefined;
		return {
			...(isMarkedUp && { parse_mode: "HTML" as const }),
			...(thread !== undefined && { message_thread_id: thread }),
			...(isQuoting && { reply_parameters: { message_id: quoted, allow_sending_without_reply: true } }),
		};
	}

	#sendText(chat: string, { html, buttons }: TextPayload, common: Common, signal: AbortSignal) {
		const text = common.parse_mode === undefined ? withoutTags(html) : html;
		return this.#options.api.sendMessage(chat, text, { ...common, ...keyboard(buttons) }, signal as never);
	}

	async #sendMedia(chat: string, { media, html }: MediaPayload, common: Common, signal: AbortSignal) {
		const { api } = this.#options;
		const file = await fileOf(media);
		const caption = common.parse_mode === undefined && html !== undefined ? withoutTags(html) : html;
		const other = { ...common, ...(caption !== undefined && { caption }) };
		switch (media.kind) {
			case "image":
				return api.sendPhoto(chat, file, other, signal as never);
			case "video":
				return api.sendVideo(chat, file, other, signal as never);
			case "audio":
				return /ogg|opus/.test(media.mime)
					? api.sendVoice(chat, file, other, signal as never)
					: api.sendAudio(chat, file, other, signal as never);
			case "sticker":
				return api.sendSticker(chat, file, common, signal as never);
			case "document":
				return api.sendDocument(chat, file, other, signal as never);
		}
	}

	/** What was shown while it grew becomes what is said. An edit can be repeated: it never makes two. */
	async #inDraft(payload: TelegramPayload, delivery: Delivery, target: Target): Promise<SendResult | undefined> {
		const { drafts, api } = this.#options;
		if (drafts === undefined || payload.kind !== "text") return undefined;
		const message = await drafts.claim(delivery.address, delivery.key);
		if (message === undefined) return undefined;
		const edit = (text: string, parse_mode?: "HTML") =>
			api.editMessageText(
				target.chat,
				message,
				text,
				{ ...(parse_mode && { parse_mode }), ...keyboard(payload.buttons) },
				delivery.signal as never,
			);
		try {
			await edit(payload.html, "HTML").catch((error) => {
				if (isUnparsable(failureOf(error))) return edit(withoutTags(payload.html));
				throw error;
			});
		} catch (error) {
			const failure = failureOf(error);
			const result = this.#judge(failure, target);
			if (result.outcome === "ambiguous") return { outcome: "retry", afterMs: 0, scope: "chat", reason: result.reason };
			if (result.outcome === "retry") return result;
			if (!/message is not modified/i.test(failure.kind === "refused" ? failure.description : "")) {
				drafts.forget(delivery.address);
				return undefined;
			}
		}
		drafts.forget(delivery.address);
		return this.#sent(target, message);
	}

	#judge(failure: Failure, target: Target): SendResult {
		const { parking } = this.#options;
		const isLimited = failure.kind === "refused" && failure.code === 429;
		const scope = isLimited ? parking.park(target.chat, failure.retryAfterMs ?? 1_000) : "chat";
		return toSendResult(failure, scope);
	}

	#sent(target: Target, message: number): SendResult {
		return { outcome: "sent", id: messageId(this.#options.settings.bot, target.chat, message) };
	}
}

function keyboard(buttons: TextPayload["buttons"]) {
	if (buttons === undefined) return {};
	const inline_keyboard = buttons.map((row) => row.map(({ text, data }) => ({ text, callback_data: data })));
	return { reply_markup: { inline_keyboard } };
}

/**
 * A file of the platform's own, one that Telegram fetches, or bytes that go with the request. The client takes no address
 * of a local file, and would find out only in mid-request that there is none.
 */
async function fileOf({ ref, name }: MediaPayload["media"]): Promise<InputFile | string> {
	if (ref.startsWith("telegram:")) return ref.slice("telegram:".length);
	if (ref.startsWith("data:")) return new InputFile(Buffer.from(ref.slice(ref.indexOf(",") + 1), "base64"), name);
	if (!ref.startsWith("file://")) return ref;
	try {
		const path = fileURLToPath(ref);
		return new InputFile(await readFile(path), name ?? basename(path));
	} catch (error) {
		throw new FileUnreadable(String((error as { code?: unknown }).code ?? "unknown"));
	}
}
