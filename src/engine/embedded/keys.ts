import { createHash } from "node:crypto";
import type { AddressKey } from "../../call/address.js";
import type { Range } from "./store.js";

const PLAIN_ID = /^[\x21-\x22\x24-\x7e][\x21-\x7e]{0,199}$/;

/** Numbers as text that sorts like numbers. */
function digits(value: number): string {
	return String(Math.max(0, Math.floor(value))).padStart(16, "0");
}

/** An id as part of a key: long or unprintable ones by their hash. */
function idText(id: string): string {
	return PLAIN_ID.test(id) ? id : `#${createHash("sha256").update(id).digest("hex")}`;
}

type Numbered = "in" | "row" | "journal" | "out" | "mark";

/** The key of a value that an address has one of. */
export const headKey = (address: AddressKey) => `head ${address}`;
export const recordKey = (address: AddressKey) => `record ${address}`;
export const seenKey = (address: AddressKey, id: string) => `seen ${address} ${idText(id)}`;
export const earlyKey = (address: AddressKey, id: string) => `early ${address} ${idText(id)}`;
export const timerKey = (address: AddressKey, id: string) => `timer ${address} ${idText(id)}`;

/** What all threads of a chat share. */
export const paceKey = (address: AddressKey) => `pace ${address.split("|", 2).join("|")}`;

/** The key of a value at an absolute position of an address. */
export const numberedKey = (kind: Numbered, address: AddressKey, position: number) =>
	`${kind} ${address} ${digits(position)}`;

/** Keys in order of time, each naming what is due then. */
export const dueKey = (at: number, address: AddressKey, id: string) => `due ${digits(at)} ${address} ${idText(id)}`;
export const expiryKey = (at: number, key: string) => `expire ${digits(at)} ${key}`;

/** Marks an address for a listing or for a worker that starts. */
export type Index = "turns" | "sends" | "parked" | "marked";
export const indexKey = (index: Index, address: AddressKey) => `${index} ${address}`;

/** All keys that begin with these words. */
export function under(...words: readonly string[]): Range {
	const prefix = words.join(" ");
	return { from: `${prefix} `, to: `${prefix}!` };
}

export function between(kind: Numbered, address: AddressKey, from: number, to: number): Range {
	return { from: numberedKey(kind, address, from), to: numberedKey(kind, address, to) };
}

/** All keys of a time index up to and including `at`. */
export function until(index: "due" | "expire", at: number): Range {
	return { from: `${index} `, to: `${index} ${digits(at + 1)}` };
}

/** The last word of a key: of an index key, its address. */
export const lastWord = (key: string) => key.slice(key.lastIndexOf(" ") + 1);
