import type { Delivery, SendResult } from "../channel/channel.js";
import type { Clock } from "../clock.js";
import type { Log } from "../observe/log.js";
import { SameWait, type Waiting } from "./same-wait.js";

export interface AttemptsOptions {
	clock: Clock;
	log: Log;
	/** How long one may take, ms. */
	sendMs: number;
}

/** The questions to platforms that are under way, each with a bound on how long it may take. */
export class Attempts {
	readonly #log: Log;
	readonly #waits: SameWait;

	constructor({ clock, log, sendMs }: AttemptsOptions) {
		this.#log = log;
		this.#waits = new SameWait(clock, sendMs);
	}

	/** What has no answer in time, or is thrown, is `ambiguous`. Never rejects. */
	async ask(
		{ address, key, answers }: Omit<Delivery, "signal">,
		ask: (delivery: Delivery) => Promise<SendResult>,
	): Promise<SendResult> {
		const attempt = new Attempt();
		this.#waits.begin(attempt);
		const delivery: Delivery = {
			address,
			key,
			...(answers === undefined ? {} : { answers }),
			get signal() {
				return attempt.signal;
			},
		};
		try {
			return await new Promise((resolve, reject) => {
				attempt.reject = reject;
				ask(delivery).then(resolve, reject);
			});
		} catch (error) {
			this.#log.warn("send.threw", { address, row: key, error });
			const reason = attempt.isGivenUp ? "no answer in time" : "the channel failed in mid-send";
			return { outcome: "ambiguous", reason };
		} finally {
			this.#waits.end(attempt);
		}
	}

	/** Waits for no answer any more. */
	giveUp(reason: Error): void {
		for (const each of this.#waits.all) (each as Attempt).giveUp(reason);
	}

	stop(): void {
		this.#waits.stop();
	}
}

class Attempt implements Waiting {
	at = 0;
	reject: (reason: Error) => void = () => {};
	#givenUp: Error | undefined;
	#controller: AbortController | undefined;

	get isGivenUp(): boolean {
		return this.#givenUp !== undefined;
	}

	/** Made when a channel asks for it: many cannot stop what they began. */
	get signal(): AbortSignal {
		if (this.#controller === undefined) {
			this.#controller = new AbortController();
			if (this.#givenUp !== undefined) this.#controller.abort(this.#givenUp);
		}
		return this.#controller.signal;
	}

	due(): void {
		this.giveUp(new Error("no answer in time"));
	}

	giveUp(reason: Error): void {
		this.#givenUp = reason;
		this.#controller?.abort(reason);
		this.reject(reason);
	}
}
