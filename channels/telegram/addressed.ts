import type { Message } from "grammy/types";

/** The bot, as messages name it. */
export interface BotName {
	id: number;
	username: string;
}

/** Whether a message of a group is meant for the bot: it names it, answers it, or is a command. */
export function isAddressed(message: Message, bot: BotName): boolean {
	if (message.reply_to_message?.from?.id === bot.id) return true;
	const text = message.text ?? message.caption ?? "";
	return (message.entities ?? message.caption_entities ?? []).some((entity) => {
		const word = text.slice(entity.offset, entity.offset + entity.length).toLowerCase();
		switch (entity.type) {
			case "mention":
				return word === `@${bot.username.toLowerCase()}`;
			case "text_mention":
				return entity.user.id === bot.id;
			case "bot_command":
				return !word.includes("@") || word.endsWith(`@${bot.username.toLowerCase()}`);
			default:
				return false;
		}
	});
}

/** The words without the bot's name at their beginning, which was only there to call it. */
export function withoutName(text: string, { username }: BotName): string {
	const name = `@${username}`;
	if (text.slice(0, name.length).toLowerCase() !== name.toLowerCase()) return text;
	return /^[\s,:]*$/.test(text.slice(name.length)) ? text : text.slice(name.length).replace(/^[\s,:]+/, "");
}
