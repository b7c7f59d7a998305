import type { AddressKey } from "../call/address.js";
import type { Inbound } from "../call/inbound.js";
import type { InboxItem } from "../call/message.js";
import type { Accepted, ChannelHost, Transcript } from "../channel/channel.js";
import type { Clock } from "../clock.js";
import { CallboardError } from "../errors.js";
import { type Log, silentLog } from "../observe/log.js";
import { VirtualClock } from "./virtual-clock.js";

/** A host for a channel alone, without engine or agent: it remembers what came in, and knows duplicates. */
export class RecordingHost implements ChannelHost {
	readonly door: string;
	readonly clock: Clock;
	readonly log: Log;
	/** Everything handed over, duplicates included, in order. */
	readonly received: Inbound[] = [];
	/** What was new. */
	readonly accepted: Inbound[] = [];
	/** While true nothing can be stored: `accept` rejects as a real one does when its store is down. */
	down = false;
	readonly #seen = new Set<string>();
	readonly #transcripts = new Map<AddressKey, Transcript>();

	constructor(options: { door?: string; clock?: Clock; log?: Log } = {}) {
		this.door = options.door ?? "door";
		this.clock = options.clock ?? new VirtualClock();
		this.log = options.log ?? silentLog;
	}

	async accept(inbound: Inbound): Promise<Accepted> {
		if (this.down) throw new CallboardError("BACKEND_UNAVAILABLE", "platform", "the store cannot be reached");
		this.received.push(inbound);
		if (inbound.type === "message") {
			const ids = [inbound.id, ...(inbound.keys ?? [])];
			if (ids.some((id) => this.#seen.has(id))) return { outcome: "duplicate" };
			for (const id of ids) this.#seen.add(id);
		}
		this.accepted.push(inbound);
		return { outcome: "accepted" };
	}

	/** Decides what `transcript` answers for an address. */
	tell(address: AddressKey, transcript: Partial<Transcript>): void {
		this.#transcripts.set(address, {
			call: undefined,
			ended: false,
			owner: "agent",
			entries: [],
			waiting: [],
			...transcript,
		});
	}

	async transcript(address: AddressKey, limit: number): Promise<Transcript> {
		const told = this.#transcripts.get(address);
		if (told !== undefined) return { ...told, entries: told.entries.slice(-limit) };
		return { call: undefined, ended: false, owner: "agent", entries: [], waiting: this.#waiting(address) };
	}

	#waiting(address: AddressKey): InboxItem[] {
		return this.accepted.filter((each) => each.type === "message" && each.address === address) as InboxItem[];
	}
}
