import type { Api } from "grammy";
import type { Update } from "grammy/types";
import type { ChannelHost } from "../../src/channel/channel.js";
import { pause } from "../../src/clock.js";
import { type Failure, failureCode, failureOf } from "./errors.js";
import type { Intake } from "./intake.js";
import { updateKinds } from "./read-update.js";

const TIMEOUT_S = 25;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Asks Telegram for updates, and confirms one only when it and all before it are durable: what was not stored comes
 * again. Chats are handled side by side, one chat's updates in order.
 */
export class Poller {
	readonly #api: Api;
	readonly #host: ChannelHost;
	readonly #intake: Intake;
	/** Handled, but behind one that was not. */
	#ahead = new Set<number>();

	constructor(api: Api, host: ChannelHost, intake: Intake) {
		this.#api = api;
		this.#host = host;
		this.#intake = intake;
	}

	/** Resolves when the signal aborts, or when the token is refused. */
	async run(signal: AbortSignal): Promise<void> {
		const { clock, log } = this.#host;
		let offset = 0;
		let failures = 0;
		this.#ahead.clear();
		while (!signal.aborted) {
			let waitMs = 0;
			try {
				const updates = await this.#ask(offset, signal);
				const through = await this.#takeAll(updates);
				offset = Math.max(offset, through + 1);
				failures = through === (updates.at(-1)?.update_id ?? through) ? 0 : failures + 1;
			} catch (error) {
				if (signal.aborted) return;
				const failure = failureOf(error);
				if (isFatal(failure)) {
					log.error("telegram.token_refused", { next: "set TELEGRAM_TOKEN to the token @BotFather shows" });
					return;
				}
				failures += 1;
				waitMs = failure.kind === "refused" ? (failure.retryAfterMs ?? 0) : 0;
				log.warn("telegram.poll_failed", { code: failureCode(error), failures, ...hint(failure) });
			}
			const backOff = failures === 0 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
			if (failures > 0) await pause(clock, Math.max(waitMs, backOff), signal).catch(() => {});
		}
	}

	#ask(offset: number, signal: AbortSignal): Promise<Update[]> {
		const asked = { offset, limit: 100, timeout: TIMEOUT_S, allowed_updates: updateKinds };
		return this.#api.getUpdates(asked, signal as never);
	}

	/** @returns the id of the last update before which all are handled */
	async #takeAll(updates: readonly Update[]): Promise<number> {
		const chats = new Map<number | undefined, Promise<boolean>>();
		const done = updates.map((update) => {
			const chat = chatOf(update);
			const before = chats.get(chat) ?? Promise.resolve(true);
			const taken = before.then((went) => went && this.#take(update));
			chats.set(chat, taken);
			return taken;
		});
		let through = (updates[0]?.update_id ?? 0) - 1;
		let isWhole = true;
		for (const [index, taken] of done.entries()) {
			const id = updates[index]?.update_id ?? 0;
			const went = await taken;
			isWhole &&= went;
			if (isWhole) through = id;
			else if (went) this.#ahead.add(id);
		}
		for (const id of this.#ahead) if (id <= through) this.#ahead.delete(id);
		return through;
	}

	async #take(update: Update): Promise<boolean> {
		const { log } = this.#host;
		if (this.#ahead.has(update.update_id)) return true;
		try {
			const taken = await this.#intake.take(update);
			// One flooded chat must not hold up all others: its further messages are refused, and this is said.
			if (taken === "full") log.error("telegram.dropped", { update: update.update_id, reason: "its inbox is full" });
			return true;
		} catch (error) {
			log.warn("telegram.not_stored", { update: update.update_id, error });
			return false;
		}
	}
}

function isFatal(failure: Failure): boolean {
	return failure.kind === "refused" && (failure.code === 401 || failure.code === 404);
}

function hint(failure: Failure): { next?: string } {
	if (failure.kind !== "refused" || failure.code !== 409) return {};
	return { next: "another program asks for the updates of this bot: stop it, or give it a token of its own" };
}

/** Undefined also for what has no chat where it should. */
function chatOf(update: Update): number | undefined {
	const { message, edited_message, callback_query, message_reaction, my_chat_member } = update;
	const of = message ?? edited_message ?? callback_query?.message ?? message_reaction ?? my_chat_member;
	return (of as { chat?: { id?: number } } | undefined)?.chat?.id;
}
