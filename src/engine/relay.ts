import type { AddressKey } from "../call/address.js";
import type { Channel, LiveEvent } from "../channel/channel.js";
import type { Clock } from "../clock.js";
import type { Log } from "../observe/log.js";
import type { Backend, OutboxRow } from "./backend.js";
import type { Doors } from "./door.js";
import type { News } from "./news.js";

export interface RelayOptions {
	backend: Backend;
	doors: Doors;
	/** Unique among all processes. */
	owner: string;
	clock: Clock;
	log: Log;
}

/** A draft holds all of its text, so that a few a second are enough. */
const DRAFT_EVERY_MS = 100;

interface Drafting {
	/** The newest draft that was not passed on yet. */
	due: LiveEvent | undefined;
	stop: () => void;
}

type Telling = News extends infer N ? (N extends News ? Omit<N, "from"> : never) : never;

/**
 * Shows people what passes: in this process, and, where a channel's people are connected to processes, in the others.
 * Whatever a channel throws meanwhile is logged and stops nothing.
 */
export class Relay {
	readonly #options: RelayOptions;
	readonly #drafting = new Map<AddressKey, Drafting>();
	#stop: () => void = () => {};

	constructor(options: RelayOptions) {
		this.#options = options;
	}

	/** Shows people who are connected here what other processes tell from now on. */
	async start(): Promise<void> {
		const { backend, owner } = this.#options;
		this.#stop = (await backend.listen?.((news) => news.from !== owner && this.#hear(news))) ?? (() => {});
	}

	stop(): void {
		this.#stop();
		for (const { stop } of this.#drafting.values()) stop();
		this.#drafting.clear();
	}

	show(address: AddressKey, channel: Channel, event: LiveEvent): void {
		this.#safely(address, channel, () => channel.show?.(address, event));
		if (!this.#isRelayed(channel)) return;
		if (event.kind === "draft") this.#passDraft(address, event);
		else this.#pass({ address, news: "shown", event });
	}

	/** Tells the other processes what was sent here. */
	said(address: AddressKey, channel: Channel, { id, payload }: OutboxRow): void {
		if (this.#isRelayed(channel)) this.#pass({ address, news: "said", row: id, payload });
	}

	ended(address: AddressKey, channel: Channel, reason: string): void {
		this.#safely(address, channel, () => channel.ended?.(address, reason));
		if (this.#isRelayed(channel)) this.#pass({ address, news: "ended", reason });
	}

	#hear(news: News): void {
		const { address } = news;
		if (!this.#options.doors.has(address)) return;
		const channel = this.#options.doors.of(address)?.channel;
		if (channel === undefined || !this.#isRelayed(channel)) return;
		this.#safely(address, channel, () => {
			if (news.news === "shown") channel.show?.(address, news.event);
			else if (news.news === "ended") channel.ended?.(address, news.reason);
			else channel.said?.(news.payload, { address, key: news.row });
		});
	}

	#isRelayed(channel: Channel): boolean {
		return channel.said !== undefined && this.#options.backend.publish !== undefined;
	}

	/** What comes after a draft overtakes it, and makes it void. */
	#pass(news: Telling): void {
		this.#drafting.get(news.address)?.stop();
		this.#drafting.delete(news.address);
		this.#publish(news);
	}

	#passDraft(address: AddressKey, event: LiveEvent): void {
		const drafting = this.#drafting.get(address);
		if (drafting !== undefined) {
			drafting.due = event;
			return;
		}
		this.#publish({ address, news: "shown", event });
		const next = () => {
			const { due } = this.#drafting.get(address) ?? {};
			this.#drafting.delete(address);
			if (due !== undefined) this.#passDraft(address, due);
		};
		this.#drafting.set(address, { due: undefined, stop: this.#options.clock.after(DRAFT_EVERY_MS, next) });
	}

	#publish(news: Telling): void {
		this.#options.backend.publish?.({ from: this.#options.owner, ...news });
	}

	#safely(address: AddressKey, channel: Channel, run: () => void): void {
		try {
			run();
		} catch (error) {
			this.#options.log.error("channel.threw", { channel: channel.name, address, error });
		}
	}
}
