import type { AddressKey } from "../../src/call/address.js";
import type { Owner } from "../../src/call/call-record.js";
import type { HistoryEntry } from "../../src/call/history.js";
import type { Inbound } from "../../src/call/inbound.js";
import type { InboxItem, Message } from "../../src/call/message.js";
import type { Part } from "../../src/call/part.js";
import type { Accepted, Channel, ChannelHost, Transcript } from "../../src/channel/channel.js";
import { type Clock, systemClock } from "../../src/clock.js";
import { type Log, silentLog } from "../../src/observe/log.js";

/** One answer in the making, as a script drives it. */
export interface FakeTurn {
	message: Message;
	/** Shows the answer so far. */
	draft(text: string): void;
	/** Decides a part; it is committed and sent when the script ends. */
	say(part: Part): void;
	/** What the script draws its draft for will not be said. */
	withdraw(): void;
}

export type FakeScript = (turn: FakeTurn) => Promise<void> | void;

interface FakeCall {
	id: string;
	entries: HistoryEntry[];
	waiting: InboxItem[];
	ended: boolean;
	owner: Owner;
	turns: number;
}

/**
 * A runtime in a few lines, for tests of a channel: an inbox, a transcript and one turn at a time an address. What it
 * holds outlives the channel, so that a test can restart the server.
 */
export class FakeHost implements ChannelHost {
	readonly door = "web";
	readonly clock: Clock;
	readonly log: Log;
	/** Answers a message; replaced by tests. */
	script: FakeScript;
	channel: Channel | undefined;
	/** Throw this from the next `accept`. */
	failNext: Error | undefined;
	/** Messages that may wait at one address. */
	inbox = 100;
	readonly accepted: Message[] = [];
	readonly calls = new Map<AddressKey, FakeCall>();
	readonly #running = new Set<AddressKey>();
	#idle: (() => void)[] = [];
	#replies = 0;

	constructor(script: FakeScript, options: { clock?: Clock; log?: Log } = {}) {
		this.script = script;
		this.clock = options.clock ?? systemClock;
		this.log = options.log ?? silentLog;
	}

	async accept(inbound: Inbound): Promise<Accepted> {
		const failure = this.failNext;
		this.failNext = undefined;
		if (failure !== undefined) throw failure;
		if (inbound.type !== "message") return { outcome: "accepted" };
		const call = this.#call(inbound.address);
		if (this.accepted.some((known) => known.id === inbound.id && known.address === inbound.address)) {
			return { outcome: "duplicate" };
		}
		if (call.waiting.length >= this.inbox) return { outcome: "full" };
		this.accepted.push(inbound);
		call.waiting.push(inbound);
		queueMicrotask(() => this.#run(inbound.address));
		return { outcome: "accepted" };
	}

	async transcript(address: AddressKey, limit: number): Promise<Transcript> {
		const call = this.#call(address);
		const { id, ended, owner, entries, waiting } = call;
		return { call: id, ended, owner, entries: entries.slice(-limit), waiting: [...waiting] };
	}

	/** Says something outside of any turn, as code or a person of the business does. */
	async say(address: AddressKey, part: Part): Promise<void> {
		const call = this.#call(address);
		call.turns++;
		await this.#commit(address, call, [part]);
	}

	/** A person of the business says something, as `callboard calls reply` does: under an id of its own kind. */
	async reply(address: AddressKey, text: string): Promise<void> {
		const id = `human.${++this.#replies}.1`;
		const part: Part = { kind: "text", text };
		this.#call(address).entries.push({ role: "said", id, part, by: "human", at: this.clock.now() });
		await this.#send(address, id, part);
	}

	/** A human has the call from now on, or the agent has it again. */
	own(address: AddressKey, owner: Owner): void {
		this.#call(address).owner = owner;
		this.channel?.show?.(address, { kind: "owner", owner });
	}

	/** Ends the call of an address. */
	end(address: AddressKey, reason: string): void {
		this.#call(address).ended = true;
		this.channel?.ended?.(address, reason);
	}

	/** Resolves when no turn runs. */
	async idle(): Promise<void> {
		if (this.#running.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
	}

	#call(address: AddressKey): FakeCall {
		let call = this.calls.get(address);
		if (call === undefined) {
			call = { id: `call-${this.calls.size + 1}`, entries: [], waiting: [], ended: false, owner: "agent", turns: 0 };
			this.calls.set(address, call);
		}
		return call;
	}

	async #run(address: AddressKey): Promise<void> {
		if (this.#running.has(address)) return;
		this.#running.add(address);
		const call = this.#call(address);
		for (let item = call.waiting[0]; item !== undefined; item = call.waiting[0]) {
			if (item.type === "message") await this.#answer(address, call, item);
			else call.waiting.shift();
		}
		this.#running.delete(address);
		if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
	}

	async #answer(address: AddressKey, call: FakeCall, message: Message): Promise<void> {
		const turn = `${call.id}.${++call.turns}`;
		const parts: Part[] = [];
		call.ended = false;
		this.channel?.show?.(address, { kind: "typing", on: true });
		await this.script({
			message,
			draft: (text) => this.channel?.show?.(address, { kind: "draft", turn, text }),
			say: (part) => parts.push(part),
			withdraw: () => this.channel?.show?.(address, { kind: "withdrawn", turn }),
		});
		call.waiting.shift();
		call.entries.push({ role: "user", id: message.id, content: message.content, at: message.sentAt });
		this.channel?.show?.(address, { kind: "typing", on: false });
		await this.#commit(address, call, parts);
	}

	async #commit(address: AddressKey, call: FakeCall, parts: readonly Part[]): Promise<void> {
		const rows = parts.map((part, n) => ({ id: `${call.id}.${call.turns}.${n}`, part }));
		for (const { id, part } of rows) call.entries.push({ role: "said", id, part, by: "model", at: this.clock.now() });
		for (const { id, part } of rows) await this.#send(address, id, part);
	}

	async #send(address: AddressKey, id: string, part: Part): Promise<void> {
		for (const [index, payload] of (this.channel?.render(part) ?? []).entries()) {
			await this.channel?.send(payload, { address, key: `${id}.${index}`, signal: new AbortController().signal });
		}
	}
}
