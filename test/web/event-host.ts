import type { Inbound } from "../../src/call/inbound.js";
import type { Accepted } from "../../src/channel/channel.js";
import { CallboardError } from "../../src/errors.js";
import { FakeHost } from "./fake-host.js";

/** A runtime whose agent takes `cart` from the page. */
export class EventHost extends FakeHost {
	/** As they came in, those again under their id too. */
	readonly fired: Extract<Inbound, { type: "event" }>[] = [];
	/** Waited for before one that was stored is acknowledged. */
	stored: Promise<void> = Promise.resolve();

	override async accept(inbound: Inbound): Promise<Accepted> {
		if (inbound.type !== "event") return super.accept(inbound);
		if (inbound.name !== "cart") {
			throw new CallboardError("EVENT_UNDECLARED", "author", "no event of that name", { next: "declare it" });
		}
		const known = this.fired.some(({ id }) => id === inbound.id);
		this.fired.push(inbound);
		await this.stored;
		return { outcome: known ? "duplicate" : "accepted" };
	}
}
