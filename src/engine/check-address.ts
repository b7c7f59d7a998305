import type { AddressKey } from "../call/address.js";
import { CallboardError } from "../errors.js";

const ADDRESS = /^[\x21-\x7e]{1,800}$/;

/** @throws CallboardError `BAD_ADDRESS` when it did not come from `addressKey`, or is far too long */
export function checkAddress(address: AddressKey): void {
	if (ADDRESS.test(address)) return;
	throw new CallboardError("BAD_ADDRESS", "author", "an address is empty, too long or not encoded", {
		next: "make it with addressKey({ door, chat }), from a chat id of fewer than 200 characters",
	});
}
