import type { Delivery, SendResult } from "../channel/channel.js";
import type { Clock } from "../clock.js";
import type { Log } from "../observe/log.js";
import { Stop } from "../turn/stop.js";
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
		const { stop } = attempt;
		this.#waits.begin(attempt);
		const delivery: Delivery = {
			address,
			key,
			...(answers === undefined ? {} : { answers }),
			get signal() {
				return stop.signal;
			},
		};
		try {
			return await stop.race(() => ask(delivery));
		} catch (error) {
			this.#log.warn("send.threw", { address, row: key, error });
			const reason = stop.aborted ? "no answer in time" : "the channel failed in mid-send";
			return { outcome: "ambiguous", reason };
		} finally {
			this.#waits.end(attempt);
		}
	}

	/** Waits for no answer any more. */
	giveUp(reason: Error): void {
		for (const each of this.#waits.all) (each as Attempt).stop.abort(reason);
	}

	stop(): void {
		this.#waits.stop();
	}
}

class Attempt implements Waiting {
	at = 0;
	readonly stop = new Stop();

	due(): void {
		this.stop.abort(new Error("no answer in time"));
	}
}
