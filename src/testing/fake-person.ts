import { type AddressKey, addressKey } from "../call/address.js";
import type { Content, Message } from "../call/message.js";
import type { Choice } from "../call/part.js";
import type { Accepted } from "../channel/channel.js";
import { readChoice } from "../channel/choices.js";
import { CallboardError } from "../errors.js";
import { type Delivered, type FakeChannel, payloadText } from "./fake-channel.js";

export interface FakePersonOptions {
	/** Names the chat and the person. Default `ana`. */
	chat?: string;
	/** Default: `fake:<chat>`. */
	from?: string;
	/** Display name, as a platform would give it. */
	name?: string;
	locale?: string;
}

/** Somebody at the other end of a fake channel: says things, taps choices, and waits for answers by events. */
export class FakePerson {
	readonly address: AddressKey;
	readonly from: string;
	readonly #channel: FakeChannel;
	readonly #options: FakePersonOptions;
	readonly #chat: string;
	#said = 0;
	#read = 0;

	constructor(channel: FakeChannel, options: FakePersonOptions = {}) {
		this.#channel = channel;
		this.#options = options;
		this.#chat = options.chat ?? "ana";
		this.address = addressKey({ door: channel.host.door, chat: this.#chat });
		this.from = options.from ?? `${channel.name}:${this.#chat}`;
	}

	/** All this person got, oldest first. */
	get got(): readonly Delivered[] {
		return this.#channel.delivered.filter((message) => message.address === this.address);
	}

	/** The words of all this person got. */
	get heard(): readonly string[] {
		return this.got.map((message) => payloadText(message.payload)).filter((text) => text !== "");
	}

	/** The answers offered last, as buttons or rows. */
	get offered(): readonly Choice[] {
		const last = this.got.findLast((message) => message.payload.kind === "choices")?.payload;
		return last?.kind === "choices" ? last.choices : [];
	}

	/** Sends a text. */
	says(text: string): Promise<Accepted> {
		return this.#send({ kind: "text", text });
	}

	/** Opens the conversation without a word, as a page load does. */
	opens(): Promise<Accepted> {
		return this.#send({ kind: "open", text: "" });
	}

	/**
	 * Taps one of the answers offered last, by its label or its id.
	 * @throws CallboardError `NOT_OFFERED` when there is no such answer
	 */
	taps(choice: string): Promise<Accepted> {
		const offered = this.offered;
		const tapped = offered.find(({ id }) => id === choice) ?? readChoice(choice, offered);
		if (tapped === undefined) {
			const labels = offered.map(({ label }) => `"${label}"`).join(", ") || "none";
			throw new CallboardError("NOT_OFFERED", "author", `"${choice}" is not offered`, {
				next: `offered are: ${labels}`,
			});
		}
		return this.#send({ kind: "choice", choice: tapped.id, text: tapped.label });
	}

	/** Makes a message without sending it: for `FakeChannel.replay`. */
	message(content: Content): { type: "message" } & Message {
		this.#said += 1;
		const { name, locale } = this.#options;
		return {
			type: "message",
			id: `${this.#chat}-${this.#said}`,
			address: this.address,
			contact: { id: this.from, ...(name !== undefined && { name }), ...(locale !== undefined && { locale }) },
			content,
			sentAt: this.#channel.host.clock.now(),
		};
	}

	/** The next `count` messages that were not read yet; waits for the ones still to come, on events. */
	async next(count = 1): Promise<readonly Delivered[]> {
		while (this.got.length < this.#read + count) {
			await new Promise<void>((resolve) => {
				const stop = this.#channel.watch(() => {
					stop();
					resolve();
				});
			});
		}
		this.#read += count;
		return this.got.slice(this.#read - count, this.#read);
	}

	/** What was not read yet; does not wait. */
	rest(): readonly Delivered[] {
		const rest = this.got.slice(this.#read);
		this.#read += rest.length;
		return rest;
	}

	#send(content: Content): Promise<Accepted> {
		return this.#channel.receive(this.message(content));
	}
}
