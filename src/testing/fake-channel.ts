import type { AddressKey } from "../call/address.js";
import type { Inbound } from "../call/inbound.js";
import type { Choice, Part } from "../call/part.js";
import type { Transport } from "../call/transport.js";
import type { Capabilities } from "../channel/capabilities.js";
import type { Accepted, Channel, ChannelHost, Delivery, LiveEvent, Payload, SendResult } from "../channel/channel.js";
import { degradeChoices } from "../channel/choices.js";
import { splitText } from "../channel/split-text.js";
import { type Clock, pause, systemClock } from "../clock.js";
import { CallboardError } from "../errors.js";
import type { PlatformAnswer } from "./platform-answers.js";
import { type ReplayPlan, replayOrder } from "./replay-plan.js";

/** What the fake platform carries: one message. */
export type FakePayload =
	| { kind: "text"; text: string }
	| { kind: "choices"; text: string; choices: Choice[] }
	| Extract<Part, { kind: "media" | "data" }>;

/** One message as the person got it. */
export interface Delivered {
	address: AddressKey;
	key: string;
	payload: FakePayload;
	at: number;
}

export interface FakeChannelOptions {
	/** The kind of channel the agent is told. Default `fake`. */
	name?: string;
	/** Default `chat`. */
	transport?: Transport;
	capabilities?: Partial<Capabilities>;
	/** Times latencies and deliveries. Default: the system's. */
	clock?: Clock;
}

const CAPABILITIES: Capabilities = {
	text: { max: 4000, unit: "utf16", markup: "markdown" },
	choices: { buttons: 3, rows: 10, labelMax: 24, idMaxBytes: 200 },
	edits: false,
	streaming: "edit",
	typingMs: 5000,
	media: { in: true, out: true, captionMax: 1000 },
	ackMs: 1000,
	ambiguous: "reconcile",
};

/**
 * A channel to a platform that exists only in the test. It records all that is delivered, answers sends as it is told
 * to, and hands over inbound items duplicated, reordered, delayed or in batches.
 */
export class FakeChannel implements Channel {
	readonly name: string;
	readonly transport: Transport;
	readonly capabilities: Capabilities;
	/** What people got, in order. */
	readonly delivered: Delivered[] = [];
	/** Every send that was tried, with what the channel was told. */
	readonly attempts: (Delivered & { result: SendResult })[] = [];
	/** Typing signals and drafts, in order. */
	readonly shown: { address: AddressKey; event: LiveEvent }[] = [];
	/** Calls that ended. */
	readonly ends: { address: AddressKey; reason: string }[] = [];
	readonly #clock: Clock;
	readonly #answers: PlatformAnswer[] = [];
	readonly #watchers = new Set<() => void>();
	#host: ChannelHost | undefined;
	#messages = 0;

	constructor(options: FakeChannelOptions = {}) {
		this.name = options.name ?? "fake";
		this.transport = options.transport ?? "chat";
		this.capabilities = { ...CAPABILITIES, ...options.capabilities };
		this.#clock = options.clock ?? systemClock;
	}

	/** How the platform answers the next sends, one each; after them it delivers again. */
	answer(...answers: readonly PlatformAnswer[]): void {
		this.#answers.push(...answers);
	}

	/** Calls `run` whenever something was delivered, shown or ended. Returns what stops it. */
	watch(run: () => void): () => void {
		this.#watchers.add(run);
		return () => this.#watchers.delete(run);
	}

	/** The door this channel was started as. */
	get host(): ChannelHost {
		if (this.#host !== undefined) return this.#host;
		throw new CallboardError("CHANNEL_STOPPED", "author", "the fake channel is not started", {
			next: "await start(host)",
		});
	}

	/** Hands over one inbound item, as the platform would. */
	receive(inbound: Inbound): Promise<Accepted> {
		return this.host.accept(inbound);
	}

	/** Hands over many, in the order and the batches the plan makes of them. Resolves to the outcomes in that order. */
	async replay(inbound: readonly Inbound[], plan: ReplayPlan = {}): Promise<Accepted[]> {
		const outcomes: Accepted[] = [];
		for (const [index, batch] of replayOrder(inbound, plan).entries()) {
			if (index > 0 && plan.everyMs !== undefined) await pause(this.#clock, plan.everyMs);
			outcomes.push(...(await Promise.all(batch.map((each) => this.receive(each)))));
		}
		return outcomes;
	}

	render(part: Part): readonly Payload[] {
		return this.#payloads(part) as unknown as Payload[];
	}

	#payloads(part: Part): FakePayload[] {
		const texts = (text: string): FakePayload[] =>
			splitText(text, this.capabilities.text).map((piece) => ({ kind: "text", text: piece.text }));
		if (part.kind === "text") return texts(part.text);
		if (part.kind === "data") return [part];
		if (part.kind === "media") {
			const { text, ...bare } = part;
			if (text === undefined) return [part];
			return text.length > this.capabilities.media.captionMax ? [bare, ...texts(text)] : [part];
		}
		const shown = degradeChoices(part, this.capabilities);
		if (shown.form === "text") return texts(shown.text);
		const pieces = texts(shown.text);
		const last = pieces.pop();
		const text = last?.kind === "text" ? last.text : "";
		return [...pieces, { kind: "choices", text, choices: [...shown.choices] }];
	}

	async send(payload: Payload, delivery: Delivery): Promise<SendResult> {
		const answer = this.#answers.shift();
		if (answer?.latencyMs !== undefined) await pause(this.#clock, answer.latencyMs);
		const sent: SendResult = { outcome: "sent", id: `sent-${++this.#messages}` };
		const result = answer === undefined || answer.result.outcome === "sent" ? sent : answer.result;
		const { address, key } = delivery;
		const message: Delivered = { address, key, payload: payload as unknown as FakePayload, at: this.#clock.now() };
		this.attempts.push({ ...message, result });
		if (answer?.delivers ?? result.outcome === "sent") this.delivered.push(message);
		this.#tell();
		return result;
	}

	async reconcile(_payload: Payload, delivery: Delivery): Promise<SendResult> {
		const there = this.delivered.find((message) => message.key === delivery.key);
		if (there !== undefined) return { outcome: "sent", id: there.key };
		return { outcome: "retry", afterMs: 0, scope: "chat", reason: "the platform has no such message" };
	}

	show(address: AddressKey, event: LiveEvent): void {
		this.shown.push({ address, event });
		this.#tell();
	}

	ended(address: AddressKey, reason: string): void {
		this.ends.push({ address, reason });
		this.#tell();
	}

	async start(host: ChannelHost): Promise<void> {
		this.#host = host;
	}

	async stop(): Promise<void> {
		this.#host = undefined;
	}

	#tell(): void {
		for (const run of [...this.#watchers]) run();
	}
}

/** The words a person reads in a message, with the answers it offers. */
export function payloadText(payload: FakePayload): string {
	if (payload.kind === "data") return "";
	if (payload.kind === "media") return payload.text ?? payload.media.caption ?? "";
	return payload.text;
}
