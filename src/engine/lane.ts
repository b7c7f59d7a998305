import type { Inbound } from "../call/inbound.js";
import type { Content, Message } from "../call/message.js";
import type { Accepted } from "../channel/channel.js";
import type { Clock } from "../clock.js";
import type { Log, LogFields } from "../observe/log.js";
import type { Backend } from "./backend.js";
import type { Facts } from "./facts.js";

type Aside = Exclude<Inbound, { type: "message" | "event" }>;

/** How long an edit waits for its message: platforms do not promise an order. */
const EARLY_MS = 60_000;

/**
 * The way of everything inbound that no turn reads: edits, deletions, reactions, statuses, echoes. None of it can
 * become the input of a turn. Each is logged and told to observers; an edit also changes its message while that waits,
 * or when it comes within a minute.
 */
export class Lane {
	/** Edits that found no waiting message, the oldest first. */
	readonly #early = new Map<string, { content: Content; until: number }>();

	constructor(
		private readonly backend: Backend,
		private readonly log: Log,
		private readonly facts: Facts,
		private readonly clock: Clock,
	) {}

	/** The message as it was edited before it came. */
	edited<M extends Message>(message: M): M {
		const ids = [message.id, ...(message.keys ?? [])];
		const early = ids.map((id) => this.#early.get(`${message.address} ${id}`)).find((each) => each !== undefined);
		return early === undefined || early.until < this.clock.now() ? message : { ...message, content: early.content };
	}

	async take(inbound: Aside): Promise<Accepted> {
		const { address } = inbound;
		const fields = await this.#fieldsOf(inbound);
		const event = `inbound.${inbound.type}`;
		const failed = inbound.type === "status" && inbound.status === "failed";
		this.log[failed ? "warn" : "info"](event, { address, ...fields });
		this.facts.tell(event, address, fields);
		if (failed) this.facts.tell("delivery.failed", address, fields);
		return { outcome: "accepted" };
	}

	#keep(message: string, content: Content): void {
		const now = this.clock.now();
		for (const [key, { until }] of this.#early) {
			if (until >= now) break;
			this.#early.delete(key);
		}
		this.#early.delete(message);
		this.#early.set(message, { content, until: now + EARLY_MS });
	}

	/** What it is about, without anybody's words. */
	async #fieldsOf(inbound: Aside): Promise<LogFields> {
		switch (inbound.type) {
			case "edit": {
				const { address, message, content } = inbound;
				const waiting = await this.backend.revise(address, message, content);
				if (!waiting) this.#keep(`${address} ${message}`, content);
				return { message, waiting };
			}
			case "delete":
			case "echo":
				return { message: inbound.message };
			case "reaction":
				return { message: inbound.message, emoji: inbound.emoji };
			case "status": {
				const { sent, status, code } = inbound;
				return { sent, status, ...(code === undefined ? {} : { code }) };
			}
			case "reachable": {
				const { reachable, reason } = inbound;
				return { reachable, ...(reason === undefined ? {} : { reason }) };
			}
		}
	}
}
