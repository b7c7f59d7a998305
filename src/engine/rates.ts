import type { AddressKey } from "../call/address.js";
import type { ChatRate, Rate } from "../channel/capabilities.js";
import type { Channel } from "../channel/channel.js";
import type { ChatPace } from "./backend.js";

/** How many sends of a door may begin within any so long. */
export interface DoorLimit {
	most: number;
	withinMs: number;
}

/** A door's rate in whole sends: within a second, or within so long that it comes to the same. */
export function doorLimit({ perDoorPerSecond }: Rate): DoorLimit {
	const most = Math.max(1, Math.floor(perDoorPerSecond));
	return { most, withinMs: Math.ceil((1_000 * most) / perDoorPerSecond) };
}

/** How fast the chat of an address takes what is sent; undefined where any pace will do. */
export function chatPace(channel: Channel, address: AddressKey): ChatPace | undefined {
	const { rate } = channel.capabilities;
	return rate && paceOf(channel.chatRate?.(address) ?? rate);
}

function paceOf({ perChatPerSecond, chatBurst = 1 }: ChatRate): ChatPace {
	return { burst: chatBurst, everyMs: Math.ceil(1_000 / perChatPerSecond) };
}
