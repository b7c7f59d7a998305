import type { Clock } from "../clock.js";
import { TelegramRefusal } from "./telegram-faults.js";

/** One thing that happened, as the platform tells a bot. */
export interface TelegramUpdate {
	update_id: number;
	[kind: string]: unknown;
}

interface Webhook {
	url: string;
	secret: string | undefined;
}

/** What became of handing an update over. */
export type Handed = "acknowledged" | "refused";

const NOT_BY_DEFAULT = ["chat_member", "message_reaction", "message_reaction_count"];
const LONGEST_RETRY_MS = 60_000;

/**
 * Updates that wait for the bot, and both ways out: long polling, confirmed by the next offset, and a webhook, where one
 * chat's updates go one after the other and what is not answered with 2xx comes again.
 */
export class TelegramUpdates {
	readonly #clock: Clock;
	readonly #changed: () => void;
	readonly #retryMs: number;
	#waiting: TelegramUpdate[] = [];
	#next = 1001;
	#webhook: Webhook | undefined;
	#allowed: readonly string[] | undefined;
	#lastError: string | undefined;
	#wake: (() => void) | undefined;
	#kick: (() => void) | undefined;
	readonly #busy = new Set<string>();
	/** By chat: what stops the wait before the next try. */
	readonly #retries = new Map<string, () => void>();
	readonly #handed = new Map<number, (handed: Handed) => void>();
	#stopped = false;

	constructor(options: { clock: Clock; changed: () => void; retryMs: number }) {
		this.#clock = options.clock;
		this.#changed = options.changed;
		this.#retryMs = options.retryMs;
	}

	/** Queues an update unless the bot did not ask for its kind. */
	push(fields: Record<string, unknown>): TelegramUpdate {
		const update: TelegramUpdate = { update_id: this.#next++, ...fields };
		const [kind = ""] = Object.keys(fields);
		const wanted = this.#allowed === undefined ? !NOT_BY_DEFAULT.includes(kind) : this.#allowed.includes(kind);
		if (wanted) this.redeliver(update);
		return update;
	}

	/** Delivers an update again, as the platform does after a lost acknowledgement. */
	redeliver(update: TelegramUpdate): void {
		if (!this.#waiting.some((each) => each.update_id === update.update_id)) {
			this.#waiting.push(update);
			this.#waiting.sort((a, b) => a.update_id - b.update_id);
		}
		this.#wake?.();
		this.#retryNow(chatOf(update));
		this.#post();
		this.#changed();
	}

	#retryNow(chat: string): void {
		const stop = this.#retries.get(chat);
		if (stop === undefined) return;
		stop();
		this.#retries.delete(chat);
		this.#busy.delete(chat);
	}

	/** Resolves when the bot was handed the update once: with 2xx or not, or by an offset above it. */
	handed(update: TelegramUpdate): Promise<Handed> {
		return new Promise((resolve) => this.#handed.set(update.update_id, resolve));
	}

	/** Updates the bot has not acknowledged. */
	get waiting(): readonly TelegramUpdate[] {
		return this.#waiting;
	}

	get webhook(): Webhook | undefined {
		return this.#webhook;
	}

	get info(): Record<string, unknown> {
		return {
			url: this.#webhook?.url ?? "",
			has_custom_certificate: false,
			pending_update_count: this.#waiting.length,
			...(this.#lastError !== undefined && {
				last_error_date: Math.floor(this.#clock.now() / 1000),
				last_error_message: this.#lastError,
			}),
		};
	}

	setWebhook(webhook: Webhook | undefined, allowed: readonly string[] | undefined): void {
		this.#webhook = webhook;
		this.#lastError = undefined;
		if (allowed !== undefined) this.#allowed = allowed.length === 0 ? undefined : allowed;
		this.#post();
	}

	/** One `getUpdates`. @param gone calls back when the asker hangs up */
	async poll(
		asked: { offset: number; limit: number; timeoutMs: number; allowed: readonly string[] | undefined },
		gone: (run: () => void) => void,
	): Promise<readonly TelegramUpdate[]> {
		if (this.#webhook !== undefined) {
			const why = "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
			throw new TelegramRefusal(409, `Conflict: ${why}`);
		}
		if (asked.allowed !== undefined) this.#allowed = asked.allowed.length === 0 ? undefined : asked.allowed;
		this.#confirm(asked.offset);
		this.#kick?.();
		if (this.#waiting.length === 0 && asked.timeoutMs > 0) await this.#wait(asked.timeoutMs, gone);
		return this.#waiting.slice(0, asked.limit);
	}

	#wait(timeoutMs: number, gone: (run: () => void) => void): Promise<void> {
		return new Promise((resolve, reject) => {
			const over = () => {
				cancel();
				if (this.#wake === wake) this.#wake = undefined;
				if (this.#kick === kick) this.#kick = undefined;
			};
			const wake = () => {
				over();
				resolve();
			};
			const kick = () => {
				over();
				const why = "terminated by other getUpdates request; make sure that only one bot instance is running";
				reject(new TelegramRefusal(409, `Conflict: ${why}`));
			};
			const cancel = this.#clock.after(timeoutMs, wake);
			this.#wake = wake;
			this.#kick = kick;
			gone(wake);
		});
	}

	#confirm(offset: number): void {
		if (offset <= 0) return;
		for (const { update_id } of this.#waiting) if (update_id < offset) this.#tell(update_id, "acknowledged");
		this.#waiting = this.#waiting.filter((update) => update.update_id >= offset);
		this.#changed();
	}

	stop(): void {
		this.#stopped = true;
		for (const stop of this.#retries.values()) stop();
		this.#wake?.();
	}

	/** Posts what waits to the webhook: the oldest of each chat that has nothing under way. */
	#post(): void {
		if (this.#webhook === undefined || this.#stopped) return;
		const oldest = new Map<string, TelegramUpdate>();
		for (const update of this.#waiting) {
			const chat = chatOf(update);
			if (!oldest.has(chat)) oldest.set(chat, update);
		}
		for (const [chat, update] of oldest) {
			if (this.#busy.has(chat)) continue;
			this.#busy.add(chat);
			void this.#postOne(chat, update, this.#retryMs);
		}
	}

	async #postOne(chat: string, update: TelegramUpdate, retryMs: number): Promise<void> {
		const status = await this.#request(update);
		const taken = status !== undefined && status >= 200 && status < 300;
		this.#lastError = taken ? undefined : `Wrong response from the webhook: ${status ?? "connection failed"}`;
		if (taken) this.#waiting = this.#waiting.filter((each) => each !== update);
		this.#tell(update.update_id, taken ? "acknowledged" : "refused");
		this.#changed();
		if (taken || this.#stopped) {
			this.#busy.delete(chat);
			this.#post();
			return;
		}
		const stop = this.#clock.after(retryMs, () => {
			this.#retries.delete(chat);
			void this.#postOne(chat, update, Math.min(retryMs * 2, LONGEST_RETRY_MS));
		});
		this.#retries.set(chat, stop);
	}

	async #request(update: TelegramUpdate): Promise<number | undefined> {
		const { url, secret } = this.#webhook ?? { url: "", secret: undefined };
		try {
			const response = await fetch(url, {
				method: "POST",
				headers: {
					"content-type": "application/json",
					...(secret !== undefined && { "x-telegram-bot-api-secret-token": secret }),
				},
				body: JSON.stringify(update),
			});
			await response.text();
			return response.status;
		} catch {
			return undefined;
		}
	}

	#tell(update: number, handed: Handed): void {
		this.#handed.get(update)?.(handed);
		this.#handed.delete(update);
	}
}

function chatOf(update: TelegramUpdate): string {
	for (const value of Object.values(update)) {
		if (typeof value !== "object" || value === null) continue;
		const of = value as { chat?: { id: number }; message?: { chat?: { id: number } } };
		const chat = of.chat ?? of.message?.chat;
		if (chat !== undefined) return String(chat.id);
	}
	return String(update.update_id);
}
