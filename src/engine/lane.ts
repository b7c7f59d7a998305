import type { Inbound } from "../call/inbound.js";
import type { Accepted } from "../channel/channel.js";
import type { Log, LogFields } from "../observe/log.js";
import type { Backend } from "./backend.js";
import type { Facts } from "./facts.js";

type Aside = Exclude<Inbound, { type: "message" | "event" }>;

/** How long an edit waits for its message: platforms do not promise an order. */
const EARLY_MS = 60_000;

/**
 * The way of everything inbound that no turn reads: edits, deletions, reactions, statuses, echoes. None of it can
 * become the input of a turn. Each is logged and told to observers when it comes, whether or not its message has come by
 * then; an edit also changes its message while that waits, or when it comes within a minute, at whichever process, and
 * word that a person cannot be reached stays with their call.
 */
export class Lane {
	constructor(
		private readonly backend: Backend,
		private readonly log: Log,
		private readonly facts: Facts,
	) {}

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

	/** What it is about, without anybody's words. */
	async #fieldsOf(inbound: Aside): Promise<LogFields> {
		switch (inbound.type) {
			case "edit": {
				const { address, message, content } = inbound;
				return { message, waiting: await this.backend.revise(address, message, content, EARLY_MS) };
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
				const { address, reachable, reason } = inbound;
				await this.backend.reach(address, reachable ? undefined : (reason ?? "the platform says so"));
				return { reachable, ...(reason === undefined ? {} : { reason }) };
			}
		}
	}
}
