import type { Readable, Writable } from "node:stream";
import { type AddressKey, addressKey } from "../../src/call/address.js";
import type { Content } from "../../src/call/message.js";
import { type Part, partText } from "../../src/call/part.js";
import type { Capabilities } from "../../src/channel/capabilities.js";
import type { Channel, ChannelHost, Delivery, LiveEvent, Payload, SendResult } from "../../src/channel/channel.js";
import { numberedChoices, readTyped } from "../../src/channel/choices.js";
import { plainText } from "../../src/channel/plain-text.js";
import { splitText } from "../../src/channel/split-text.js";
import { Keyboard } from "./keyboard.js";
import { Screen } from "./screen.js";
import { Script } from "./script.js";

export interface TerminalOptions {
	/** Where lines are read. Default: standard input. */
	input?: Readable;
	/** Where both sides are shown. Default: standard output. */
	output?: Writable;
	/** Who sits at the keyboard; the agent sees `terminal:<user>`. Default `you`. */
	user?: string;
	/** What the agent's lines begin with. Default `agent`. */
	agent?: string;
	/** Lines to say one after the other, each after the answer to the one before; nothing is read from `input` then. */
	say?: readonly string[];
	/** How long a scripted line waits for its answer, in ms. Default one minute. */
	patienceMs?: number;
}

/** How a conversation at the terminal ended. */
export type TerminalEnd = { reason: "left" } | { reason: "said" } | { reason: "unanswered"; line: string };

type TerminalPayload = { text: string };

/** A conversation in the terminal this process runs in: one person, one chat. */
export function terminal(options: TerminalOptions = {}): TerminalChannel {
	return new TerminalChannel(options);
}

export class TerminalChannel implements Channel {
	readonly name = "terminal";
	readonly transport = "chat";
	readonly capabilities: Capabilities = {
		text: { max: 4000, unit: "utf16", markup: "plain" },
		choices: { buttons: 0, rows: 0, labelMax: 1000, idMaxBytes: 1000 },
		edits: false,
		streaming: "native",
		typingMs: 60_000,
		media: { in: false, out: true, captionMax: 4000 },
		ackMs: 60_000,
		ambiguous: "leave",
	};
	/** Resolves when the person left, or the script was said. */
	readonly done: Promise<TerminalEnd>;
	readonly #options: Required<Omit<TerminalOptions, "say">> & Pick<TerminalOptions, "say">;
	#end: (end: TerminalEnd) => void = () => {};
	#running: Running | undefined;

	constructor(options: TerminalOptions) {
		this.#options = {
			input: process.stdin,
			output: process.stdout,
			user: "you",
			agent: "agent",
			patienceMs: 60_000,
			...options,
		};
		this.done = new Promise((resolve) => {
			this.#end = resolve;
		});
	}

	render(part: Part): readonly Payload[] {
		return wordsOf(part).flatMap((words) =>
			splitText(words, this.capabilities.text).map((piece): TerminalPayload => ({ text: piece.text })),
		);
	}

	async send(payload: Payload, delivery: Delivery): Promise<SendResult> {
		const running = this.#running;
		if (running === undefined) {
			return { outcome: "retry", afterMs: 1000, scope: "door", reason: "the terminal is closed" };
		}
		if (delivery.address !== running.address) {
			return { outcome: "failed", reason: "nobody of that name sits at this terminal", unreachable: true };
		}
		running.screen.say(this.#options.agent, (payload as TerminalPayload).text);
		running.script?.sent(delivery.key);
		return { outcome: "sent", id: delivery.key };
	}

	show(address: AddressKey, event: LiveEvent): void {
		const running = this.#running;
		if (running === undefined || running.address !== address) return;
		if (event.kind === "draft") running.screen.draft(this.#options.agent, plainText(event.text));
		else if (event.kind === "typing" && event.on) running.screen.draft(this.#options.agent, "…");
		else if (event.kind !== "owner") running.screen.clearDraft();
	}

	ended(address: AddressKey, reason: string): void {
		if (this.#running?.address === address) this.#running.screen.note(`the conversation has ended: ${reason}`);
	}

	async start(host: ChannelHost): Promise<void> {
		const { input, output, say } = this.#options;
		const address = addressKey({ door: host.door, chat: this.#options.user });
		const screen = new Screen(output);
		const running: Running = { address, screen, host };
		this.#running = running;
		const opened = await this.#receive(running, { kind: "open", text: "" });
		const isTty = say === undefined && "isTTY" in input && input.isTTY === true;
		const keyboard = say === undefined ? new Keyboard(input, output, isTty) : undefined;
		if (keyboard !== undefined) running.keyboard = keyboard;
		if (isTty && keyboard !== undefined) void this.#converse(running, keyboard);
		else void this.#recite(running, say ?? keyboard ?? [], opened);
	}

	async stop(): Promise<void> {
		const running = this.#running;
		this.#running = undefined;
		running?.keyboard?.close();
		running?.script?.stop();
		running?.screen.clearDraft();
	}

	/** A person types: every line goes off at once. */
	async #converse(running: Running, keyboard: Keyboard): Promise<void> {
		running.screen.prompt = keyboard;
		keyboard.show();
		for await (const line of keyboard) {
			if (line.trim() === "/quit") break;
			if (line.trim() !== "") await this.#receive(running, await readLine(running, line));
			keyboard.show();
		}
		this.#end({ reason: "left" });
	}

	/** Lines are given: each waits for the answer to the one before, the first for the greeting, if there is one. */
	async #recite(
		running: Running,
		lines: Iterable<string> | AsyncIterable<string>,
		opened: string | undefined,
	): Promise<void> {
		const script = new Script(running.host, running.address, this.#options.patienceMs);
		running.script = script;
		const payloads = (part: Part) => this.render(part).length;
		if (opened !== undefined) await script.answered(opened, payloads);
		for await (const line of lines) {
			if (line.trim() === "") continue;
			running.screen.say(this.#options.user, line);
			const id = await this.#receive(running, await readLine(running, line));
			if (id === undefined || !(await script.answered(id, payloads))) {
				this.#end({ reason: "unanswered", line });
				return;
			}
		}
		this.#end({ reason: "said" });
	}

	/** Hands over what was typed. Resolves to its id, or undefined when it was not taken. */
	async #receive({ host, address, screen }: Running, content: Content): Promise<string | undefined> {
		const id = `terminal-${crypto.randomUUID()}`;
		const contact = { id: `terminal:${this.#options.user}` };
		try {
			const message = { id, address, contact, content, sentAt: host.clock.now() };
			const { outcome } = await host.accept({ type: "message", ...message });
			if (outcome === "accepted") return id;
			screen.note(outcome === "full" ? "too much waits unanswered, say it again in a moment" : "this was said before");
		} catch {
			screen.note("this could not be stored, say it again");
		}
		return undefined;
	}
}

interface Running {
	address: AddressKey;
	screen: Screen;
	host: ChannelHost;
	keyboard?: Keyboard;
	script?: Script;
}

/** What was typed: one of the choices just offered when it names one, else a text. */
async function readLine({ host, address }: Running, line: string): Promise<Content> {
	const { entries } = await host.transcript(address, 20);
	return readTyped(line, entries);
}

function wordsOf(part: Part): string[] {
	switch (part.kind) {
		case "text":
			return [plainText(part.text)];
		case "choices":
			return [[plainText(part.text), numberedChoices(part.choices)].filter(Boolean).join("\n\n")];
		case "media":
			return [
				[plainText(partText(part)), `[${part.media.kind}: ${part.media.name ?? part.media.ref}]`]
					.filter(Boolean)
					.join("\n"),
			];
		case "data":
			return [];
	}
}
