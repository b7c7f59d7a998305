import type { Part } from "../../src/call/part.js";
import { partText } from "../../src/call/part.js";
import type { Delivery, Payload, SendResult } from "../../src/channel/channel.js";
import { FakeChannel } from "../../src/testing/fake-channel.js";
import type { DoorName } from "./plan.js";
import { post } from "./post.js";

/** A channel to a platform that is the ledger: one message a paragraph. */
export class DeskChannel extends FakeChannel {
	constructor(
		door: DoorName,
		private readonly ledger: number,
		private readonly by: string,
	) {
		super({ capabilities: { ambiguous: door === "lookup" ? "reconcile" : "leave" } });
	}

	override render(part: Part): readonly Payload[] {
		return partText(part)
			.split("\n\n")
			.filter(Boolean)
			.map((text) => ({ text }));
	}

	override async send(payload: Payload, { address, key, signal }: Delivery): Promise<SendResult> {
		const { text } = payload as { text: string };
		const { status, body } = await post(this.ledger, "/send", { address, key, text, by: this.by }, signal);
		if (status === 200) return { outcome: "sent", id: String(body.id) };
		const afterMs = Number(body.retryAfterMs ?? 0);
		return { outcome: "retry", afterMs, scope: "chat", reason: `the platform answered ${status}` };
	}

	override async reconcile(_payload: Payload, { key, signal }: Delivery): Promise<SendResult> {
		const { body } = await post(this.ledger, "/sent", { key }, signal);
		if (body.id !== undefined) return { outcome: "sent", id: String(body.id) };
		return { outcome: "retry", afterMs: 0, scope: "chat", reason: "the platform has no such message" };
	}
}
