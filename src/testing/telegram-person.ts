import type { TelegramMessage, TelegramUser } from "./telegram-chats.js";
import type { TelegramServer } from "./telegram-server.js";
import type { TelegramUpdate } from "./telegram-updates.js";

/** Where a person writes, and what to. Default: the private chat with the bot. */
export interface TelegramPlace {
	/** Id of a group. */
	in?: number;
	/** Id of a topic of a forum, or of a thread of replies in another group. */
	topic?: number;
	/** Id of the message this answers. */
	answers?: number;
}

/** A file as a person sends it. */
export interface TelegramFile {
	kind: "photo" | "document" | "voice" | "video" | "audio" | "sticker" | "video_note" | "animation";
	caption?: string;
	name?: string;
	mime?: string;
	bytes?: Buffer;
}

/** Somebody with a phone. Everything they do makes an update for the bot. */
export class TelegramPerson {
	readonly user: TelegramUser;
	readonly #server: TelegramServer;

	constructor(server: TelegramServer, user: TelegramUser) {
		this.#server = server;
		this.user = user;
	}

	/** Id of the private chat with the bot. */
	get chat(): number {
		return this.user.id;
	}

	/** Writes a text. Commands and mentions in it are marked as the platform marks them. */
	says(text: string, place: TelegramPlace = {}): TelegramUpdate {
		return this.#posts({ text, ...marked("entities", text) }, place);
	}

	/** Forwards what somebody else wrote. */
	forwards(text: string, from: string, place: TelegramPlace = {}): TelegramUpdate {
		const forward_origin = { type: "hidden_user", sender_user_name: from, date: this.#server.chats.date - 60 };
		return this.#posts({ text, forward_origin }, place);
	}

	sends(file: TelegramFile, place: TelegramPlace = {}): TelegramUpdate {
		return this.#posts(this.#file(file), place);
	}

	/** Sends several files at once: one message each, the caption on the first. */
	album(files: readonly TelegramFile[], place: TelegramPlace = {}): readonly TelegramUpdate[] {
		const media_group_id = `album-${this.#server.nextId()}`;
		return files.map((file) => this.#posts({ media_group_id, ...this.#file(file) }, place));
	}

	/** Sends one further file to an album begun before. */
	continues(album: TelegramUpdate, file: TelegramFile, place: TelegramPlace = {}): TelegramUpdate {
		const { media_group_id } = album.message as TelegramMessage;
		return this.#posts({ media_group_id, ...this.#file(file) }, place);
	}

	locates(latitude: number, longitude: number, place: TelegramPlace = {}): TelegramUpdate {
		return this.#posts({ location: { latitude, longitude } }, place);
	}

	/** Sends anything else the platform has, in its own fields: `{ dice: { emoji: "🎲", value: 3 } }`. */
	posts(fields: Record<string, unknown>, place: TelegramPlace = {}): TelegramUpdate {
		return this.#posts(fields, place);
	}

	/** Changes the words of a message of theirs. */
	edits(message: number, text: string, place: TelegramPlace = {}): TelegramUpdate {
		const edited = this.#message(message, place);
		edited.text = text;
		edited.edit_date = this.#server.chats.date;
		return this.#server.updates.push({ edited_message: structuredClone(edited) });
	}

	reacts(message: number, emoji: string, place: TelegramPlace = {}): TelegramUpdate {
		const { chats, updates } = this.#server;
		return updates.push({
			message_reaction: {
				chat: chats.info(place.in ?? this.chat),
				message_id: message,
				user: this.user,
				date: chats.date,
				old_reaction: [],
				new_reaction: [{ type: "emoji", emoji }],
			},
		});
	}

	/** Taps the newest button with this label. @throws Error when none is visible */
	taps(label: string, place: TelegramPlace = {}): TelegramUpdate {
		const { chats, updates } = this.#server;
		const labelled = (message: TelegramMessage) =>
			message.reply_markup?.inline_keyboard.flat().find((button) => button.text === label);
		const message = chats.all(place.in ?? this.chat).findLast((each) => labelled(each) !== undefined);
		if (message === undefined) throw new Error(`no button "${label}" is visible`);
		const id = `tap-${this.#server.nextId()}`;
		this.#server.tapped(id);
		return updates.push({
			callback_query: {
				id,
				from: this.user,
				message: structuredClone(message),
				chat_instance: String(message.chat.id),
				data: labelled(message)?.callback_data,
			},
		});
	}

	blocks(): TelegramUpdate {
		this.#server.chats.close(this.chat, "bot was blocked by the user");
		return this.#membership("member", "kicked");
	}

	unblocks(): TelegramUpdate {
		this.#server.chats.close(this.chat, undefined);
		return this.#membership("kicked", "member");
	}

	#membership(before: string, after: string): TelegramUpdate {
		const { chats, updates } = this.#server;
		return updates.push({
			my_chat_member: {
				chat: chats.info(this.chat),
				from: this.user,
				date: chats.date,
				old_chat_member: { user: chats.bot, status: before },
				new_chat_member: { user: chats.bot, status: after },
			},
		});
	}

	#posts(fields: Record<string, unknown>, place: TelegramPlace): TelegramUpdate {
		const { chats, updates } = this.#server;
		const chat = place.in ?? this.chat;
		const reply = place.answers === undefined ? undefined : this.#message(place.answers, place);
		const all = { ...fields, ...(reply !== undefined && { reply_to_message: reply }) };
		const message = chats.post(chat, this.user, all, place.topic, false);
		return updates.push({ message: structuredClone(message) });
	}

	#message(id: number, place: TelegramPlace): TelegramMessage {
		const found = this.#server.chats.find(place.in ?? this.chat, id);
		if (found === undefined) throw new Error(`there is no message ${id}`);
		return found;
	}

	#file({ kind, caption, name, mime, bytes = Buffer.from("bytes") }: TelegramFile): Record<string, unknown> {
		const id = `file-${this.#server.nextId()}`;
		this.#server.files.set(id, bytes);
		const file = {
			file_id: id,
			file_unique_id: `u${id}`,
			file_size: bytes.length,
			...(name !== undefined && { file_name: name }),
			...(mime !== undefined && { mime_type: mime }),
		};
		const small = { ...file, file_id: `${id}-small`, width: 90, height: 90, file_size: 1 };
		return {
			[kind]: kind === "photo" ? [small, { ...file, width: 1280, height: 960 }] : file,
			...(caption !== undefined && { caption, ...marked("caption_entities", caption) }),
		};
	}
}

function marked(name: string, text: string): Record<string, unknown> {
	const found = [...text.matchAll(/(?<![\w/@])(?:\/[a-zA-Z]\w{0,31}(?:@\w+)?|@\w{3,32})/g)];
	const entities = found.map((match) => ({
		type: match[0].startsWith("/") ? "bot_command" : "mention",
		offset: match.index,
		length: match[0].length,
	}));
	return entities.length === 0 ? {} : { [name]: entities };
}
