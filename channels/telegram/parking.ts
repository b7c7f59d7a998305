import type { Clock } from "../../src/clock.js";

/** Chats refused within this time count together. */
const TOGETHER_MS = 2_000;
const MANY = 3;

/** Remembers which chats Telegram asked to leave alone, and until when. Others go on. */
export class Parking {
	readonly #clock: Clock;
	readonly #until = new Map<string, number>();
	#recent: { chat: string; at: number }[] = [];

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/**
	 * A chat must wait.
	 * @returns `door` when so many chats were told to at once that it is the bot as a whole that is too fast
	 */
	park(chat: string, ms: number): "chat" | "door" {
		const now = this.#clock.now();
		this.#until.set(chat, now + ms);
		this.#recent = [...this.#recent.filter(({ at }) => now - at < TOGETHER_MS), { chat, at: now }];
		return new Set(this.#recent.map((each) => each.chat)).size >= MANY ? "door" : "chat";
	}

	/** For how many ms a chat must still be left alone. */
	left(chat: string): number {
		const left = (this.#until.get(chat) ?? 0) - this.#clock.now();
		if (left > 0) return left;
		this.#until.delete(chat);
		return 0;
	}
}
