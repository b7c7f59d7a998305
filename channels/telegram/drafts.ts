import type { Api } from "grammy";
import type { AddressKey } from "../../src/call/address.js";
import type { Clock } from "../../src/clock.js";
import { failureOf } from "./errors.js";
import type { Parking } from "./parking.js";
import { htmlPieces } from "./render-part.js";
import { type Target, targetOf } from "./target.js";
import { telegramCapabilities } from "./telegram-capabilities.js";

/** Shortest time between two edits: an edit counts as a message. [limits of private chats and of groups] */
const PRIVATE_EVERY_MS = 1_100;
const GROUP_EVERY_MS = 3_100;
/** How long after a turn its draft may wait to become what is said; then another process said it, or nobody will. */
const ORPHANED_AFTER_MS = 15_000;

interface Draft {
	turn: string;
	target: Target;
	/** What should be seen; undefined: nothing. */
	wanted: string | undefined;
	shown: string | undefined;
	message: number | undefined;
	/** The key of the delivery that takes it over. */
	claimedBy: string | undefined;
	nextAt: number;
	running: Promise<void> | undefined;
	cancel: (() => void) | undefined;
}

/** Shows answers while they grow, by editing one message a turn, never faster than the platform allows. */
export class Drafts {
	readonly #api: Api;
	readonly #clock: Clock;
	readonly #parking: Parking;
	readonly #drafts = new Map<AddressKey, Draft>();

	constructor(api: Api, clock: Clock, parking: Parking) {
		this.#api = api;
		this.#clock = clock;
		this.#parking = parking;
	}

	show(address: AddressKey, turn: string, text: string): void {
		const draft = this.#of(address, turn);
		if (draft.claimedBy !== undefined) return;
		draft.wanted = htmlPieces(text, telegramCapabilities.text.max)[0];
		this.#pump(draft);
	}

	withdraw(address: AddressKey, turn: string): void {
		const draft = this.#drafts.get(address);
		if (draft?.turn !== turn || draft.claimedBy !== undefined) return;
		draft.wanted = undefined;
		this.#pump(draft);
	}

	/** The turn is over: what nobody takes over is taken away. */
	turnEnded(address: AddressKey): void {
		const draft = this.#drafts.get(address);
		if (draft === undefined) return;
		this.#clock.after(ORPHANED_AFTER_MS, () => {
			if (this.#drafts.get(address) !== draft || draft.claimedBy !== undefined) return;
			this.forget(address);
			draft.wanted = undefined;
			this.#pump(draft);
		});
	}

	/**
	 * The first delivery of a turn takes its draft over. Resolves to the message to edit, the same for the same delivery,
	 * or undefined when there is none.
	 */
	async claim(address: AddressKey, key: string): Promise<number | undefined> {
		const draft = this.#drafts.get(address);
		if (draft === undefined || !key.startsWith(`${draft.turn}.`)) return undefined;
		if (draft.claimedBy !== undefined && draft.claimedBy !== key) return undefined;
		draft.claimedBy = key;
		draft.cancel?.();
		await draft.running;
		return draft.message;
	}

	/** What was said stands; the draft is no more. */
	forget(address: AddressKey): void {
		this.#drafts.get(address)?.cancel?.();
		this.#drafts.delete(address);
	}

	stop(): void {
		for (const address of [...this.#drafts.keys()]) this.forget(address);
	}

	#of(address: AddressKey, turn: string): Draft {
		const known = this.#drafts.get(address);
		if (known?.turn === turn) return known;
		known?.cancel?.();
		const draft: Draft = {
			turn,
			target: targetOf(address),
			wanted: undefined,
			shown: undefined,
			message: undefined,
			claimedBy: undefined,
			nextAt: 0,
			running: undefined,
			cancel: undefined,
		};
		this.#drafts.set(address, draft);
		return draft;
	}

	#pump(draft: Draft): void {
		if (draft.running !== undefined || draft.wanted === draft.shown || draft.claimedBy !== undefined) return;
		const wait = Math.max(draft.nextAt - this.#clock.now(), this.#parking.left(draft.target.chat));
		draft.cancel?.();
		if (wait > 0) {
			draft.cancel = this.#clock.after(wait, () => this.#pump(draft));
			return;
		}
		draft.nextAt = this.#clock.now() + (draft.target.isGroup ? GROUP_EVERY_MS : PRIVATE_EVERY_MS);
		draft.running = this.#write(draft, draft.wanted).finally(() => {
			draft.running = undefined;
			this.#pump(draft);
		});
	}

	/** One request. What it says is passing: a failure is let go, but for how long to wait. */
	async #write(draft: Draft, wanted: string | undefined): Promise<void> {
		const { chat, thread } = draft.target;
		try {
			if (wanted === undefined) {
				if (draft.message !== undefined) await this.#api.deleteMessage(chat, draft.message);
				draft.message = undefined;
			} else if (draft.message === undefined) {
				const other = { parse_mode: "HTML" as const, ...(thread !== undefined && { message_thread_id: thread }) };
				draft.message = (await this.#api.sendMessage(chat, wanted, other)).message_id;
			} else await this.#api.editMessageText(chat, draft.message, wanted, { parse_mode: "HTML" });
			draft.shown = wanted;
		} catch (error) {
			const failure = failureOf(error);
			if (failure.kind === "refused" && failure.code === 429) this.#parking.park(chat, failure.retryAfterMs ?? 1_000);
			else draft.shown = wanted;
		}
	}
}
