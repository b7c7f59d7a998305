import { setTimeout as sleep } from "node:timers/promises";
import { addressKey } from "../../src/call/address.js";
import { replyTo } from "./clerk-model.js";
import type { HandedOver } from "./node-order.js";
import type { PlannedCall, PlannedMessage, Repeat } from "./plan.js";
import { post } from "./post.js";
import type { Slot } from "./slot.js";
import type { Watch } from "./watch.js";

/** What became of the hand-overs of one run. */
export interface HandOvers {
	tried: number;
	accepted: number;
	duplicates: number;
	/** Not acknowledged, so that the message was handed over again. */
	refused: number;
	/** Planned repeats that were acknowledged. */
	repeated: number;
	/** How often each message was called new. */
	readonly news: Map<string, number>;
}

export interface ProducerOptions {
	gateways: readonly Slot[];
	watch: Watch;
	/** When a platform gives up waiting for an acknowledgement, ms. */
	patienceMs: number;
}

const AGAIN_MS = 120;
/** How long a person waits for an answer before writing on. */
const REPLY_MS = 4_000;

/** The platform: hands messages over, in order within a call, again and again until each is acknowledged. */
export class Producer {
	readonly handOvers: HandOvers = { tried: 0, accepted: 0, duplicates: 0, refused: 0, repeated: 0, news: new Map() };
	readonly #options: ProducerOptions;
	readonly #repeats: Promise<void>[] = [];
	#givenUp = false;

	constructor(options: ProducerOptions) {
		this.#options = options;
	}

	/** Hands over all messages of a call. */
	async talk(call: PlannedCall): Promise<void> {
		const { watch } = this.#options;
		const address = addressKey({ door: call.door, chat: call.chat });
		for (const message of call.messages) {
			if (!message.burst && message.n > 1) await watch.came(address, replyTo(message.n - 1), REPLY_MS);
			if (message.pauseMs > 0) await sleep(message.pauseMs);
			for (const repeat of message.repeats) if (repeat.when === "beside") this.#again(call, message, repeat);
			await this.#handOver(call, message, message.gateway);
			for (const repeat of message.repeats) if (repeat.when !== "beside") this.#again(call, message, repeat);
		}
	}

	/** Hands nothing over any more. */
	giveUp(): void {
		this.#givenUp = true;
	}

	/** Resolves once every repeat has been handed over; those still to come are handed over now. */
	async end(): Promise<void> {
		this.#options.watch.over();
		await Promise.all(this.#repeats);
	}

	#again(call: PlannedCall, message: PlannedMessage, repeat: Repeat): void {
		this.#repeats.push(this.#repeat(call, message, repeat));
	}

	async #repeat(call: PlannedCall, message: PlannedMessage, repeat: Repeat): Promise<void> {
		const { watch } = this.#options;
		if (repeat.when === "later") await watch.reached(watch.handled + repeat.after);
		await this.#handOver(call, message, repeat.gateway);
		this.handOvers.repeated += 1;
	}

	/** Resolves once the message is acknowledged by whatever gateway. */
	async #handOver({ door, chat }: PlannedCall, { id, n }: PlannedMessage, first: number): Promise<void> {
		const { gateways, patienceMs } = this.#options;
		const message: HandedOver = { door, chat, id, n };
		for (let tried = first; !this.#givenUp; tried += 1) {
			const port = gateways[tried % gateways.length]?.port;
			this.handOvers.tried += 1;
			if (port !== undefined && (await this.#acknowledged(port, message, patienceMs))) return;
			this.handOvers.refused += 1;
			await sleep(AGAIN_MS);
		}
	}

	async #acknowledged(port: number, message: HandedOver, patienceMs: number): Promise<boolean> {
		try {
			const { status, body } = await post(port, "/message", message, AbortSignal.timeout(patienceMs));
			if (status !== 200) return false;
			if (body.outcome === "accepted") {
				this.handOvers.accepted += 1;
				this.handOvers.news.set(message.id, (this.handOvers.news.get(message.id) ?? 0) + 1);
			} else this.handOvers.duplicates += 1;
			return true;
		} catch {
			return false;
		}
	}
}
