import type { AddressKey } from "../../call/address.js";
import type { Content } from "../../call/message.js";
import type { Caller } from "./caller.js";
import { idText, readItem, writeItem } from "./rows.js";
import { early, revise, waiting } from "./scripts/revise.js";

const TRIES = 5;

/**
 * Replaces what a message says: looks for it among those that wait, since scripts do not read them, and has it replaced
 * where it still stands. One that is not known has its edit kept, unless it comes in that moment.
 * @returns whether it was waiting
 */
export async function reviseWaiting(
	call: Caller,
	address: AddressKey,
	{ message, content, earlyMs }: { message: string; content: Content; earlyMs: number },
): Promise<boolean> {
	const id = idText(message);
	for (let tries = 0; tries < TRIES; tries += 1) {
		const [from, texts, known] = (await call.run(waiting, address, [id])) as [number, string[], number];
		const items = texts.map((text) => readItem(text, address));
		const index = items.findIndex((item) => {
			return item.type === "message" && (item.id === message || item.keys?.includes(message));
		});
		const item = items[index];
		const text = texts[index];
		if (item?.type === "message" && text !== undefined) {
			const args = [from + index, text, writeItem({ ...item, content })];
			if ((await call.run(revise, address, args)) === 1) return true;
		} else if (known === 1 || earlyMs <= 0) {
			return false;
		} else if ((await call.run(early, address, [id, JSON.stringify(content), earlyMs])) === 1) {
			return false;
		}
	}
	return false;
}
