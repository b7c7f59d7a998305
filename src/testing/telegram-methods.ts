import type { TelegramChats, TelegramMessage } from "./telegram-chats.js";
import { TelegramRefusal } from "./telegram-faults.js";
import { type TelegramParams, TelegramUpload } from "./telegram-form.js";
import { parseTelegramHtml, UnparsableHtml } from "./telegram-html.js";
import type { TelegramUpdates } from "./telegram-updates.js";

/** What the methods of the Bot API work on. */
export interface MethodWorld {
	chats: TelegramChats;
	updates: TelegramUpdates;
	/** Bytes by file id. */
	files: Map<string, Buffer>;
	/** Ids of taps not answered yet, and when each was made. */
	taps: Map<string, number>;
	/** What was last set with `setMyCommands`. */
	commands: unknown;
	now(): number;
	/** Calls back when the asker hangs up. */
	gone(run: () => void): void;
}

type Method = (params: TelegramParams, world: MethodWorld) => unknown;

const TEXT_MAX = 4096;
const CAPTION_MAX = 1024;
/** Longest text with its markup that was seen accepted. */
const MARKUP_MAX = 9_500;
const CALLBACK_MAX_BYTES = 64;
const TAP_MAX_AGE_MS = 15 * 60_000;
const DOWNLOAD_MAX = 20 * 1024 * 1024;

/** The methods of the Bot API that the stand-in knows, each with the platform's own limits. */
export const telegramMethods: Readonly<Record<string, Method>> = {
	getMe: (_, { chats }) => ({ ...chats.bot, can_join_groups: true, can_read_all_group_messages: true }),
	getUpdates: (params, { updates, gone }) => {
		const limit = Number(params.limit ?? 100);
		return updates.poll(
			{
				offset: Number(params.offset ?? 0),
				limit: Math.min(100, Math.max(1, limit)),
				timeoutMs: Number(params.timeout ?? 0) * 1000,
				allowed: params.allowed_updates as string[] | undefined,
			},
			gone,
		);
	},
	setWebhook: (params, { updates }) => {
		const url = String(params.url ?? "");
		const secret = params.secret_token as string | undefined;
		if (url !== "" && !/^https:\/\/|^http:\/\/127\.0\.0\.1[:/]/.test(url))
			throw bad("bad webhook: An HTTPS URL must be provided for webhook");
		if (secret !== undefined && !/^[\w-]{1,256}$/.test(secret)) throw bad("secret token contains unallowed characters");
		updates.setWebhook(url === "" ? undefined : { url, secret }, params.allowed_updates as string[] | undefined);
		return true;
	},
	deleteWebhook: (_, { updates }) => {
		updates.setWebhook(undefined, undefined);
		return true;
	},
	getWebhookInfo: (_, { updates }) => updates.info,
	sendMessage: (params, world) => {
		const { text, entities } = formatted(params, "text", TEXT_MAX);
		if (text === "") throw bad("message text is empty");
		return post(params, world, { text, ...(entities.length > 0 && { entities }) });
	},
	sendPhoto: (params, world) => post(params, world, media(params, "photo", world)),
	sendDocument: (params, world) => post(params, world, media(params, "document", world)),
	sendVideo: (params, world) => post(params, world, media(params, "video", world)),
	sendAudio: (params, world) => post(params, world, media(params, "audio", world)),
	sendVoice: (params, world) => post(params, world, media(params, "voice", world)),
	sendSticker: (params, world) => post(params, world, media(params, "sticker", world)),
	sendMediaGroup: (params, world) => {
		const items = params.media as TelegramParams[] | undefined;
		if (items === undefined || items.length < 2 || items.length > 10)
			throw bad("wrong number of items in media group; expected 2-10");
		const media_group_id = String(world.now());
		return items.map((item) => {
			const kind = String(item.type);
			return post(params, world, { media_group_id, ...media({ ...item, [kind]: item.media }, kind, world) });
		});
	},
	editMessageText: (params, { chats }) => {
		const message = editable(params, chats);
		const { text, entities } = formatted(params, "text", TEXT_MAX);
		if (text === "") throw bad("message text is empty");
		const markup = keyboard(params);
		const same =
			message.text === text &&
			JSON.stringify(message.entities ?? []) === JSON.stringify(entities) &&
			JSON.stringify(message.reply_markup) === JSON.stringify(markup);
		if (same) {
			const why = "specified new message content and reply markup are exactly the same as a current content";
			throw bad(`message is not modified: ${why} and reply markup of the message`);
		}
		message.text = text;
		message.entities = entities;
		message.edit_date = chats.date;
		if (markup === undefined) delete message.reply_markup;
		else message.reply_markup = markup;
		return message;
	},
	deleteMessage: (params, { chats }) => {
		if (!chats.remove(params.chat_id as number, Number(params.message_id))) throw bad("message to delete not found");
		return true;
	},
	answerCallbackQuery: (params, { taps, now }) => {
		const id = String(params.callback_query_id);
		const at = taps.get(id);
		taps.delete(id);
		if (at === undefined || now() - at > TAP_MAX_AGE_MS)
			throw bad("query is too old and response timeout expired or query ID is invalid");
		if (String(params.text ?? "").length > 200) throw bad("MESSAGE_TOO_LONG");
		return true;
	},
	sendChatAction: (params, { chats }) => {
		chats.info(params.chat_id as number);
		return true;
	},
	setMessageReaction: (params, { chats }) => {
		const message = chats.find(params.chat_id as number, Number(params.message_id));
		if (message === undefined) throw bad("message to react not found");
		message.reactions = params.reaction;
		return true;
	},
	setMyCommands: (params, world) => {
		const commands = params.commands as { command: string }[];
		if (commands.length > 100 || commands.some(({ command }) => !/^[a-z0-9_]{1,32}$/.test(command)))
			throw bad("BOT_COMMAND_INVALID");
		world.commands = commands;
		return true;
	},
	getFile: (params, { files }) => {
		const id = String(params.file_id);
		const bytes = files.get(id);
		if (bytes === undefined) throw bad("invalid file_id");
		if (bytes.length > DOWNLOAD_MAX) throw bad("file is too big");
		return { file_id: id, file_unique_id: `u${id}`, file_size: bytes.length, file_path: `files/${id}` };
	},
};

function post(params: TelegramParams, { chats }: MethodWorld, fields: Record<string, unknown>): TelegramMessage {
	const chat = params.chat_id as number | string;
	const topic = params.message_thread_id === undefined ? undefined : Number(params.message_thread_id);
	const markup = keyboard(params);
	return chats.post(
		chat,
		chats.bot,
		{ ...fields, ...answered(params, chats), ...(markup !== undefined && { reply_markup: markup }) },
		topic,
	);
}

function answered(params: TelegramParams, chats: TelegramChats): Record<string, unknown> {
	const reply = params.reply_parameters as { message_id: number; allow_sending_without_reply?: boolean } | undefined;
	if (reply === undefined) return {};
	const found = chats.find(params.chat_id as number, Number(reply.message_id));
	if (found !== undefined) return { reply_to_message: found };
	if (reply.allow_sending_without_reply === true) return {};
	throw bad("message to be replied not found");
}

/** A text or caption as it will be seen, with the platform's limits applied after its markup is taken away. */
function formatted(params: TelegramParams, name: "text" | "caption", max: number) {
	const source = String(params[name] ?? "");
	if (source.length > MARKUP_MAX) throw bad("message is too long");
	try {
		const parsed = params.parse_mode === "HTML" ? parseTelegramHtml(source) : { text: source, entities: [] };
		const text = parsed.text.trim();
		if (text.length > max) throw bad(name === "text" ? "message is too long" : "message caption is too long");
		if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text))
			throw bad("strings must be encoded in UTF-8");
		return { text, entities: parsed.entities };
	} catch (error) {
		if (error instanceof UnparsableHtml) throw bad(error.message);
		throw error;
	}
}

function keyboard(params: TelegramParams): TelegramMessage["reply_markup"] {
	const markup = params.reply_markup as TelegramMessage["reply_markup"];
	if (markup === undefined) return undefined;
	const buttons = markup.inline_keyboard.flat();
	if (buttons.length > 100 || markup.inline_keyboard.some((row) => row.length > 8))
		throw bad("reply markup is too long");
	for (const { text, callback_data } of buttons) {
		if (text === "") throw bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard");
		const bytes = Buffer.byteLength(callback_data ?? "");
		if (bytes < 1 || bytes > CALLBACK_MAX_BYTES) throw bad("BUTTON_DATA_INVALID");
	}
	return markup;
}

function media(params: TelegramParams, kind: string, { files, now }: MethodWorld): Record<string, unknown> {
	const given = params[kind];
	if (given === undefined || given === "") throw bad(`there is no ${kind} in the request`);
	const id = given instanceof TelegramUpload ? `sent-${files.size + 1}-${now()}` : String(given);
	if (given instanceof TelegramUpload) files.set(id, given.data);
	else if (!/^https?:\/\//.test(id) && !files.has(id)) throw bad("wrong file identifier/HTTP URL specified");
	const { text, entities } = formatted(params, "caption", CAPTION_MAX);
	const file = {
		file_id: id,
		file_unique_id: `u${id}`,
		...(given instanceof TelegramUpload && { file_name: given.name, file_size: given.data.length }),
	};
	return {
		[kind]: kind === "photo" ? [{ ...file, width: 1, height: 1 }] : file,
		...(text !== "" && { caption: text, caption_entities: entities }),
	};
}

function editable(params: TelegramParams, chats: TelegramChats): TelegramMessage {
	const message = chats.find(params.chat_id as number, Number(params.message_id));
	if (message === undefined) throw bad("message to edit not found");
	if (message.from.id !== chats.bot.id) throw bad("message can't be edited");
	return message;
}

function bad(what: string): TelegramRefusal {
	return new TelegramRefusal(400, `Bad Request: ${what}`);
}
