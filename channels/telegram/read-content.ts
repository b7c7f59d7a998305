import type { Message } from "grammy/types";
import type { Content, Media } from "../../src/call/message.js";

type Kind = Media["kind"];

/** Kinds of messages that tell of the chat itself: nobody said them. */
const SERVICE = [
	"new_chat_members",
	"left_chat_member",
	"new_chat_title",
	"new_chat_photo",
	"delete_chat_photo",
	"group_chat_created",
	"supergroup_chat_created",
	"channel_chat_created",
	"message_auto_delete_timer_changed",
	"migrate_to_chat_id",
	"migrate_from_chat_id",
	"pinned_message",
	"successful_payment",
	"refunded_payment",
	"users_shared",
	"chat_shared",
	"connected_website",
	"write_access_allowed",
	"passport_data",
	"proximity_alert_triggered",
	"boost_added",
	"chat_background_set",
	"checklist_tasks_done",
	"checklist_tasks_added",
	"direct_message_price_changed",
	"forum_topic_created",
	"forum_topic_edited",
	"forum_topic_closed",
	"forum_topic_reopened",
	"general_forum_topic_hidden",
	"general_forum_topic_unhidden",
	"giveaway_created",
	"giveaway_completed",
	"paid_message_price_changed",
	"video_chat_scheduled",
	"video_chat_started",
	"video_chat_ended",
	"video_chat_participants_invited",
	"web_app_data",
	"gift",
	"unique_gift",
] as const;

/** Fields that say about a message, not what it says. */
const ABOUT = new Set([
	"message_id",
	"message_thread_id",
	"from",
	"sender_chat",
	"date",
	"chat",
	"is_topic_message",
	"reply_to_message",
	"external_reply",
	"quote",
	"via_bot",
	"edit_date",
	"entities",
	"caption_entities",
	"link_preview_options",
	"has_protected_content",
	"author_signature",
	"reply_markup",
	"forward_origin",
	"media_group_id",
]);

/**
 * What a message says. Kinds we do not know become `unknown`, so that they are answered; undefined for what nobody said.
 * @param bot user name of the bot: `/book@other_bot` is not for this one
 */
export function readContent(message: Message, bot: string): Content | undefined {
	const text = quoted(message, message.text ?? message.caption ?? "");
	if (message.text !== undefined) return readText(message, text, bot);
	const media = readMedia(message);
	if (media !== undefined) return { kind: "media", media: [media], text };
	const { location, venue, contact } = message;
	if (venue !== undefined) {
		const { latitude, longitude } = venue.location;
		return { kind: "location", latitude, longitude, text: [venue.title, venue.address].filter(Boolean).join(", ") };
	}
	if (location !== undefined) {
		const { latitude, longitude } = location;
		return { kind: "location", latitude, longitude, text: "" };
	}
	if (contact !== undefined) {
		const name = [contact.first_name, contact.last_name].filter(Boolean).join(" ");
		return { kind: "text", text: `${name}, ${contact.phone_number}` };
	}
	if (SERVICE.some((kind) => kind in message)) return undefined;
	const what = Object.keys(message).find((field) => !ABOUT.has(field)) ?? "message";
	return { kind: "unknown", what, text };
}

function readText(message: Message, text: string, bot: string): Content | undefined {
	const command = message.entities?.find((entity) => entity.type === "bot_command" && entity.offset === 0);
	if (command === undefined || message.forward_origin !== undefined) return { kind: "text", text };
	const [name = "", of] = text.slice(1, command.length).split("@");
	const rest = text.slice(command.length).trim();
	if (of !== undefined && of.toLowerCase() !== bot.toLowerCase()) return undefined;
	return name === "start" ? { kind: "open", text: rest } : { kind: "command", name, text };
}

/** What somebody else wrote stands as a quote: the person who forwards it did not say it. */
function quoted(message: Message, text: string): string {
	return message.forward_origin === undefined || text === "" ? text : text.replace(/^/gm, "> ");
}

function readMedia(message: Message): Media | undefined {
	const photo = message.photo?.at(-1);
	if (photo !== undefined) return file("image", photo, "image/jpeg");
	const { animation, document, video, video_note, voice, audio, sticker } = message;
	if (animation !== undefined) return file("video", animation, "video/mp4");
	if (video !== undefined) return file("video", video, "video/mp4");
	if (video_note !== undefined) return file("video", video_note, "video/mp4");
	if (voice !== undefined) return file("audio", voice, "audio/ogg");
	if (audio !== undefined) return file("audio", audio, "audio/mpeg");
	if (document !== undefined) return file("document", document, "application/octet-stream");
	if (sticker === undefined) return undefined;
	const mime = sticker.is_video ? "video/webm" : sticker.is_animated ? "application/x-tgsticker" : "image/webp";
	return { ...file("sticker", sticker, mime), ...(sticker.emoji !== undefined && { caption: sticker.emoji }) };
}

function file(
	kind: Kind,
	of: { file_id: string; file_size?: number; mime_type?: string; file_name?: string },
	mime: string,
): Media {
	return {
		kind,
		mime: of.mime_type ?? mime,
		ref: `telegram:${of.file_id}`,
		...(of.file_name !== undefined && { name: of.file_name }),
		...(of.file_size !== undefined && { size: of.file_size }),
	};
}
