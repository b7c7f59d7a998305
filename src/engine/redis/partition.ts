import type { AddressKey } from "../../call/address.js";

/**
 * Where addresses stand among the keys. All keys of an address are in one partition, and all keys of a partition share
 * a hash tag, so that on a cluster one script reaches them all. The threads of a chat are in one partition, too: how fast
 * the chat takes what is sent is one thing for all of them.
 */
export class Partitions {
	/** Prefixes of all partitions. */
	readonly all: readonly string[];

	constructor(prefix: string, count: number) {
		this.all = Array.from({ length: count }, (_, index) => `${prefix}:{p${index}}:`);
	}

	indexOf(address: AddressKey): number {
		const thread = address.indexOf("|", address.indexOf("|") + 1);
		return crc16(address, thread < 0 ? address.length : thread) % this.all.length;
	}

	of(address: AddressKey): string {
		return this.all[this.indexOf(address)]!;
	}
}

const TABLE = Array.from({ length: 256 }, (_, byte) => {
	let crc = byte << 8;
	for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
	return crc & 0xffff;
});

/** CRC-16/XMODEM of printable ASCII, up to `end`. */
function crc16(text: string, end: number): number {
	let crc = 0;
	for (let at = 0; at < end; at += 1) crc = ((crc << 8) & 0xffff) ^ TABLE[(crc >> 8) ^ text.charCodeAt(at)]!;
	return crc;
}
