import type {
	CallbackQuery,
	Chat,
	ChatMemberUpdated,
	Message,
	MessageReactionUpdated,
	Update,
	User,
} from "grammy/types";
import { type AddressKey, addressKey } from "../../src/call/address.js";
import type { Inbound } from "../../src/call/inbound.js";
import type { Contact } from "../../src/call/message.js";
import { type BotName, isAddressed, withoutName } from "./addressed.js";
import { readContent } from "./read-content.js";

/** Kinds of updates this channel asks Telegram for. */
export const updateKinds = [
	"message",
	"edited_message",
	"callback_query",
	"message_reaction",
	"my_chat_member",
] as const;

export interface ReadingOptions {
	door: string;
	bot: BotName;
	groups: "addressed" | "all" | "none";
	/** Whether an album was called for by an earlier part of it; parts but the first have no words. */
	knowsAlbum(group: string): boolean;
}

/** What an update says. A tap still needs its choice found. */
export type Reading = { inbound: Inbound } | { tap: CallbackQuery; address: AddressKey; message: Message } | undefined;

/** Within how long the next picture of an album, or the words beside a forwarded message, follow. */
const ALBUM_GAP_MS = 1_000;
const FORWARD_GAP_MS = 700;

/** Reads an update. Undefined when it is nothing an agent should hear of. */
export function readUpdate(update: Update, options: ReadingOptions): Reading {
	if (update.message !== undefined) return said(update.message, update.update_id, options);
	if (update.edited_message !== undefined) return edited(update.edited_message, options);
	if (update.callback_query !== undefined) return tapped(update.callback_query, options);
	if (update.message_reaction !== undefined) return reacted(update.message_reaction, options);
	if (update.my_chat_member !== undefined) return membership(update.my_chat_member, options);
	return undefined;
}

/** The id of a message, unique within a door even when its bot is exchanged for another. */
export function messageId(bot: number, chat: number | string, message: number): string {
	return `${bot}.${chat}.${message}`;
}

/** The id of an update, a further name of what it brought. */
export function updateKey(bot: number, update: number): string {
	return `${bot}.u${update}`;
}

/** Where a message stands: its chat, and its topic where the chat is a forum. A thread of replies is no topic. */
function addressOf(
	door: string,
	message: Pick<Message, "chat"> & Partial<Pick<Message, "is_topic_message" | "message_thread_id">>,
) {
	const { chat, is_topic_message, message_thread_id } = message;
	const isTopic = is_topic_message === true && message_thread_id !== undefined && message_thread_id !== 1;
	return addressKey({ door, chat: String(chat.id), ...(isTopic && { thread: String(message_thread_id) }) });
}

/** The person, never as a phone number: the id of an account is digits too. */
export function contactOf(from: User | undefined, onBehalfOf: Chat | undefined): Contact {
	if (onBehalfOf !== undefined) {
		const name = "title" in onBehalfOf ? onBehalfOf.title : undefined;
		return { id: `tg:${onBehalfOf.id}`, ...(name !== undefined && { name }) };
	}
	if (from === undefined) return { id: "tg:0" };
	const { id, first_name, last_name, language_code } = from;
	const name = [first_name, last_name].filter(Boolean).join(" ");
	return { id: `tg:${id}`, name, ...(language_code !== undefined && { locale: language_code }) };
}

function said(message: Message, update: number, options: ReadingOptions): Reading {
	if (!isForUs(message, options)) return undefined;
	const read = readContent(message, options.bot.username);
	if (read === undefined) return undefined;
	const content = { ...read, text: withoutName(read.text, options.bot) };
	const { chat, message_id, date, reply_to_message } = message;
	const { id: bot } = options.bot;
	const gathersMs =
		message.media_group_id !== undefined
			? ALBUM_GAP_MS
			: message.forward_origin !== undefined
				? FORWARD_GAP_MS
				: undefined;
	return {
		inbound: {
			type: "message",
			id: messageId(bot, chat.id, message_id),
			keys: [updateKey(bot, update)],
			address: addressOf(options.door, message),
			contact: contactOf(message.from, message.sender_chat),
			content,
			sentAt: date * 1000,
			platform: { message: message_id },
			...(gathersMs !== undefined && { gathersMs }),
			...(reply_to_message !== undefined &&
				reply_to_message.message_id !== message.message_thread_id && {
					replyTo: messageId(bot, chat.id, reply_to_message.message_id),
				}),
		},
	};
}

/** Neither of a bot, ourselves included, nor talk of a group among people. */
function isForUs(message: Message, { bot, groups, knowsAlbum }: ReadingOptions): boolean {
	const { chat, from, sender_chat, media_group_id } = message;
	if (from?.is_bot === true && (from.id === bot.id || sender_chat === undefined)) return false;
	if (message.is_automatic_forward === true || chat.type === "channel") return false;
	if (chat.type === "private") return true;
	if (groups !== "addressed") return groups === "all";
	return isAddressed(message, bot) || (media_group_id !== undefined && knowsAlbum(media_group_id));
}

function edited(message: Message & { edit_date: number }, options: ReadingOptions): Reading {
	if (!isForUs(message, options)) return undefined;
	const content = readContent(message, options.bot.username);
	if (content === undefined) return undefined;
	return {
		inbound: {
			type: "edit",
			address: addressOf(options.door, message),
			message: messageId(options.bot.id, message.chat.id, message.message_id),
			content: { ...content, text: withoutName(content.text, options.bot) },
			at: message.edit_date * 1000,
		},
	};
}

function tapped(tap: CallbackQuery, { door }: ReadingOptions): Reading {
	if (tap.message === undefined || tap.data === undefined) return undefined;
	const message = tap.message as Message;
	return { tap, message, address: addressOf(door, message) };
}

function reacted(reaction: MessageReactionUpdated, { door, bot, groups }: ReadingOptions): Reading {
	const { chat, message_id, user, actor_chat, date, old_reaction, new_reaction } = reaction;
	if (chat.type !== "private" && groups === "none") return undefined;
	const before = old_reaction.map((each) => (each.type === "emoji" ? each.emoji : ""));
	const added = new_reaction.find((each) => each.type === "emoji" && !before.includes(each.emoji));
	if (added?.type !== "emoji") return undefined;
	return {
		inbound: {
			type: "reaction",
			address: addressOf(door, { chat }),
			message: messageId(bot.id, chat.id, message_id),
			emoji: added.emoji,
			contact: contactOf(user, actor_chat),
			at: date * 1000,
		},
	};
}

function membership({ chat, date, new_chat_member }: ChatMemberUpdated, { door }: ReadingOptions): Reading {
	const { status } = new_chat_member;
	const reachable = status !== "kicked" && status !== "left";
	const reason = chat.type === "private" ? "the person blocked the bot" : "the bot was removed";
	return {
		inbound: {
			type: "reachable",
			address: addressOf(door, { chat }),
			reachable,
			...(!reachable && { reason }),
			at: date * 1000,
		},
	};
}
