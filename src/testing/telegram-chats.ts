import type { Clock } from "../clock.js";
import { TelegramRefusal } from "./telegram-faults.js";

export interface TelegramUser {
	id: number;
	is_bot: boolean;
	first_name: string;
	last_name?: string;
	username?: string;
	language_code?: string;
}

/** A message as the Bot API gives it, plus nothing. */
export interface TelegramMessage {
	message_id: number;
	date: number;
	chat: TelegramChatInfo;
	from: TelegramUser;
	message_thread_id?: number;
	is_topic_message?: true;
	text?: string;
	caption?: string;
	entities?: readonly object[];
	reply_markup?: { inline_keyboard: { text: string; callback_data?: string }[][] };
	edit_date?: number;
	media_group_id?: string;
	[kind: string]: unknown;
}

export interface TelegramChatInfo {
	id: number;
	type: "private" | "group" | "supergroup";
	title?: string;
	first_name?: string;
	is_forum?: true;
}

/** One message as a person sees it now. */
export interface TelegramSeen {
	id: number;
	/** First name of who wrote it. */
	by: string;
	/** Whether the bot wrote it. */
	own: boolean;
	/** Text or caption. */
	text: string;
	entities: readonly object[];
	/** Labels of the buttons below it, by row. */
	buttons: readonly (readonly string[])[];
	/** Kind of the file in it: `photo`, `document`. */
	media?: string;
	edited: boolean;
	topic?: number;
	/** Id of the message it answers. */
	answers?: number;
}

interface Chat {
	info: TelegramChatInfo;
	messages: TelegramMessage[];
	/** Ids of the topics of a forum. */
	topics: Set<number>;
	/** Why the bot cannot write here. */
	closed: string | undefined;
}

const MEDIA = ["photo", "document", "video", "audio", "voice", "sticker", "animation", "video_note"];

/** Chats of the stand-in, with what is visible in each. */
export class TelegramChats {
	readonly bot: TelegramUser;
	readonly #clock: Clock;
	readonly #chats = new Map<number, Chat>();
	readonly #users = new Map<number, TelegramUser>();
	#messages = 0;

	constructor(bot: TelegramUser, clock: Clock) {
		this.bot = bot;
		this.#clock = clock;
	}

	addPerson(user: TelegramUser): TelegramChatInfo {
		this.#users.set(user.id, user);
		return this.#add({ id: user.id, type: "private", first_name: user.first_name });
	}

	addGroup(group: { id: number; title: string; forum: boolean; basic: boolean; topics: readonly number[] }): void {
		const { id, title, forum, basic, topics } = group;
		this.#add({ id, type: basic ? "group" : "supergroup", title, ...(forum && { is_forum: true as const }) }, topics);
	}

	#add(info: TelegramChatInfo, topics: readonly number[] = []): TelegramChatInfo {
		const known = this.#chats.get(info.id);
		if (known !== undefined) return known.info;
		this.#chats.set(info.id, { info, messages: [], topics: new Set(topics), closed: undefined });
		return info;
	}

	/** Seconds since 1970, as the platform counts. */
	get date(): number {
		return Math.floor(this.#clock.now() / 1000);
	}

	info(chat: number): TelegramChatInfo {
		return this.#chat(chat).info;
	}

	/** The bot may not write there any more, for this reason; undefined lets it again. */
	close(chat: number, why: string | undefined): void {
		this.#chat(chat).closed = why;
	}

	/** Puts a message into a chat. @throws TelegramRefusal where the platform would refuse it */
	post(
		chat: number | string,
		from: TelegramUser,
		fields: Record<string, unknown>,
		topic?: number,
		checked = true,
	): TelegramMessage {
		const to = this.#chat(chat);
		if (checked) this.#checkMayWrite(to, topic);
		this.#messages += 1;
		const isTopic = topic !== undefined && to.info.is_forum === true;
		const message: TelegramMessage = {
			message_id: this.#messages,
			date: this.date,
			chat: to.info,
			from,
			...(topic !== undefined && { message_thread_id: topic }),
			...(isTopic && { is_topic_message: true as const }),
			...fields,
		};
		to.messages.push(message);
		return message;
	}

	#checkMayWrite(to: Chat, topic: number | undefined): void {
		if (to.closed !== undefined) throw new TelegramRefusal(403, `Forbidden: ${to.closed}`);
		if (topic !== undefined && (to.info.is_forum !== true || !to.topics.has(topic)))
			throw new TelegramRefusal(400, "Bad Request: message thread not found");
	}

	find(chat: number | string, message: number): TelegramMessage | undefined {
		return this.#chats.get(Number(chat))?.messages.find((each) => each.message_id === message);
	}

	remove(chat: number | string, message: number): boolean {
		const from = this.#chat(chat);
		const before = from.messages.length;
		from.messages = from.messages.filter((each) => each.message_id !== message);
		return from.messages.length < before;
	}

	all(chat: number | string): readonly TelegramMessage[] {
		return this.#chat(chat).messages;
	}

	seen(chat: number | string, topic?: number): readonly TelegramSeen[] {
		return this.all(chat)
			.filter((message) => topic === undefined || message.message_thread_id === topic)
			.map((message) => {
				const answers = (message.reply_to_message as TelegramMessage | undefined)?.message_id;
				const media = MEDIA.find((kind) => message[kind] !== undefined);
				return {
					id: message.message_id,
					by: message.from.first_name,
					own: message.from.id === this.bot.id,
					text: message.text ?? message.caption ?? "",
					entities: message.entities ?? (message.caption_entities as object[] | undefined) ?? [],
					buttons: (message.reply_markup?.inline_keyboard ?? []).map((row) => row.map(({ text }) => text)),
					edited: message.edit_date !== undefined,
					...(media !== undefined && { media }),
					...(message.message_thread_id !== undefined && { topic: message.message_thread_id }),
					...(answers !== undefined && { answers }),
				};
			});
	}

	#chat(id: number | string): Chat {
		const chat = this.#chats.get(Number(id));
		if (chat === undefined) throw new TelegramRefusal(400, "Bad Request: chat not found");
		return chat;
	}
}
