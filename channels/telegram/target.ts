import { type AddressKey, parseAddressKey } from "../../src/call/address.js";

/** Where a message goes, as the Bot API names it. */
export interface Target {
	chat: string;
	/** Topic of a forum. */
	thread: number | undefined;
	isGroup: boolean;
}

export function targetOf(address: AddressKey): Target {
	const { chat, thread } = parseAddressKey(address);
	return { chat, thread: thread === undefined ? undefined : Number(thread), isGroup: chat.startsWith("-") };
}
