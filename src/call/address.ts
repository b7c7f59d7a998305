/**
 * Where a conversation happens: one chat (and thread) seen through one door. Canonical, given by the channel: aliases
 * of one chat are merged before it is made. Inbox, deduplication, lease and outbox belong to the address and outlive
 * calls.
 */
export interface Address {
	/** Name of the configured channel account: `web`, `telegram-main`. */
	door: string;
	chat: string;
	thread?: string;
}

/** One string for one address; parts are percent-encoded, so that `|` separates and `:` never appears. */
export type AddressKey = string;

/** Writes an address as one text, the name under which the engine keeps a chat; `parseAddressKey` reads it. */
export function addressKey(address: Address): AddressKey {
	const parts = [address.door, address.chat];
	if (address.thread !== undefined) parts.push(address.thread);
	return parts.map(encodePart).join("|");
}

export function parseAddressKey(key: AddressKey): Address {
	const [door = "", chat = "", thread] = key.split("|").map(decodeURIComponent);
	return thread === undefined ? { door, chat } : { door, chat, thread };
}

/** The door of an address, without reading the rest. */
export function doorOf(key: AddressKey): string {
	const end = key.indexOf("|");
	const door = end === -1 ? key : key.slice(0, end);
	return door.includes("%") ? decodeURIComponent(door) : door;
}

function encodePart(part: string): string {
	return encodeURIComponent(part).replaceAll("'", "%27").replaceAll("*", "%2A");
}
