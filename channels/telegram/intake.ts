import type { Api } from "grammy";
import type { CallbackQuery, Message, Update } from "grammy/types";
import type { AddressKey } from "../../src/call/address.js";
import type { Inbound } from "../../src/call/inbound.js";
import type { Content } from "../../src/call/message.js";
import type { Choice } from "../../src/call/part.js";
import type { Accepted, ChannelHost } from "../../src/channel/channel.js";
import { readTyped } from "../../src/channel/choices.js";
import type { BotName } from "./addressed.js";
import { failureCode } from "./errors.js";
import { choiceData, isHashed } from "./keyboard.js";
import { contactOf, messageId, type Reading, readUpdate, updateKey } from "./read-update.js";

export interface IntakeOptions {
	host: ChannelHost;
	api: Api;
	bot: BotName;
	groups: "addressed" | "all" | "none";
}

/** What became of an update; it may be acknowledged unless the inbox was full. */
export type Taken = "stored" | "full" | "not-ours";

/** Rows read to find what was offered last, and what a button of any age stood for. */
const LAST_OFFER = 8;
const LOOK_BACK = 50;
/** Longest text that can be the words of a choice. */
const CHOICE_TEXT_MAX = 40;
const ALBUMS_KNOWN = 200;

/** Takes updates: reads each, finds the choice behind a tap or a number, and hands it over. */
export class Intake {
	readonly #options: IntakeOptions;
	/** Albums of groups that were called for. Losing it loses the further pictures of an album under way. */
	readonly #albums = new Set<string>();

	constructor(options: IntakeOptions) {
		this.#options = options;
	}

	/**
	 * Resolves when what the update says is durable, or nothing of it is for us.
	 * @param traceparent W3C trace context of the request that brought it
	 * @throws CallboardError `BACKEND_UNAVAILABLE`: do not acknowledge it
	 */
	async take(update: Update, traceparent?: string): Promise<Taken> {
		const reading = this.#read(update);
		if (reading === undefined) return "not-ours";
		const inbound =
			"tap" in reading
				? await this.#tapped(reading.tap, reading.address, reading.message, update.update_id)
				: await this.#asChoice(reading.inbound);
		const isTraced = traceparent !== undefined && inbound.type === "message";
		const { outcome }: Accepted = await this.#options.host.accept(isTraced ? { ...inbound, traceparent } : inbound);
		return outcome === "full" ? "full" : "stored";
	}

	#read(update: Update): Reading {
		const { host, bot, groups } = this.#options;
		try {
			const knowsAlbum = (group: string) => this.#albums.has(group);
			const reading = readUpdate(update, { door: host.door, bot, groups, knowsAlbum });
			const album = update.message?.media_group_id;
			if (reading !== undefined && album !== undefined) this.#remember(album);
			return reading;
		} catch (error) {
			host.log.error("telegram.unreadable", { update: update.update_id, error });
			return undefined;
		}
	}

	#remember(album: string): void {
		this.#albums.add(album);
		const [oldest] = this.#albums;
		if (this.#albums.size > ALBUMS_KNOWN && oldest !== undefined) this.#albums.delete(oldest);
	}

	async #tapped(tap: CallbackQuery, address: AddressKey, message: Message, update: number): Promise<Inbound> {
		const { host, api, bot } = this.#options;
		api
			.answerCallbackQuery(tap.id)
			.catch((error) => host.log.debug("telegram.tap_unanswered", { code: failureCode(error) }));
		return {
			type: "message",
			id: `${bot.id}.cb${tap.id}`,
			keys: [updateKey(bot.id, update)],
			address,
			contact: contactOf(tap.from, undefined),
			content: await this.#chosen(tap.data ?? "", address, message),
			sentAt: host.clock.now(),
			replyTo: messageId(bot.id, message.chat.id, message.message_id),
			platform: { message: message.message_id },
		};
	}

	async #chosen(data: string, address: AddressKey, message: Message): Promise<Content> {
		const buttons = message.reply_markup?.inline_keyboard.flat() ?? [];
		const label = buttons.find((button) => "callback_data" in button && button.callback_data === data)?.text;
		if (!isHashed(data) && label !== undefined) return { kind: "choice", choice: data, text: label };
		const offered = await this.#offered(address, (choice) => choiceData(choice.id) === data);
		const choice = offered?.choices.find((each) => choiceData(each.id) === data);
		if (offered !== undefined && choice !== undefined)
			return { kind: "choice", choice: choice.id, text: choice.label, of: offered.part };
		if (isHashed(data)) return { kind: "text", text: label ?? "" };
		return { kind: "choice", choice: data, text: label ?? data };
	}

	/** A text that names one of the choices offered last, by number or words, is that choice. */
	async #asChoice(inbound: Inbound): Promise<Inbound> {
		if (inbound.type !== "message" || inbound.content.kind !== "text") return inbound;
		const { text } = inbound.content;
		if (text.length > CHOICE_TEXT_MAX || text.includes("\n")) return inbound;
		const { entries } = await this.#options.host.transcript(inbound.address, LAST_OFFER);
		return { ...inbound, content: readTyped(text, entries) };
	}

	/** The newest choices that were said and hold one of this kind. */
	async #offered(
		address: AddressKey,
		matches: (choice: Choice) => boolean,
	): Promise<{ part: string; choices: readonly Choice[] } | undefined> {
		const { entries } = await this.#options.host.transcript(address, LOOK_BACK);
		for (const entry of entries.toReversed()) {
			if (entry.role !== "said" || entry.part.kind !== "choices") continue;
			if (entry.part.choices.some(matches)) return { part: entry.id, choices: entry.part.choices };
		}
		return undefined;
	}
}
