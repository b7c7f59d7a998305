import type { AddressKey } from "../../src/call/address.js";
import type { Part } from "../../src/call/part.js";
import type { ChannelHost, Transcript } from "../../src/channel/channel.js";
import { pause } from "../../src/clock.js";

const LOOK_EVERY_MS = 20;

/** Knows when a line that was said has its whole answer. */
export class Script {
	readonly #host: ChannelHost;
	readonly #address: AddressKey;
	readonly #patienceMs: number;
	/** Keys of what was shown: `<part id>.<index>`. */
	readonly #sent = new Set<string>();
	#stopped = false;

	constructor(host: ChannelHost, address: AddressKey, patienceMs: number) {
		this.#host = host;
		this.#address = address;
		this.#patienceMs = patienceMs;
	}

	/** Notes that a payload was shown. */
	sent(key: string): void {
		this.#sent.add(key);
	}

	stop(): void {
		this.#stopped = true;
	}

	/**
	 * Resolves to true when message `id` was handled and everything said to it was shown; to false when nothing was
	 * said to it, or the patience is over.
	 * @param payloads into how many payloads a part is rendered
	 */
	async answered(id: string, payloads: (part: Part) => number): Promise<boolean> {
		const deadline = this.#host.clock.now() + this.#patienceMs;
		while (!this.#stopped && this.#host.clock.now() < deadline) {
			const state = this.#judge(await this.#host.transcript(this.#address, 100), id, payloads);
			if (state !== "waiting") return state === "answered";
			await pause(this.#host.clock, LOOK_EVERY_MS);
		}
		return false;
	}

	#judge(transcript: Transcript, id: string, payloads: (part: Part) => number): "waiting" | "answered" | "silent" {
		if (transcript.waiting.some((item) => item.id === id)) return "waiting";
		const said = transcript.entries.slice(
			transcript.entries.findIndex((entry) => entry.role === "user" && entry.id === id) + 1,
		);
		const shown = said.flatMap((entry) =>
			entry.role === "said" ? [{ id: entry.id, count: payloads(entry.part) }] : [],
		);
		const visible = shown.filter(({ count }) => count > 0);
		if (visible.length === 0) return "silent";
		const sent = [...this.#sent];
		const all = visible.every(
			({ id: part, count }) => sent.filter((key) => key.startsWith(`${part}.`)).length >= count,
		);
		return all ? "answered" : "waiting";
	}
}
