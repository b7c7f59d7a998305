import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { type TerminalOptions, terminal } from "../../channels/terminal/channel.js";
import { addressKey } from "../../src/call/address.js";
import type { HistoryEntry } from "../../src/call/history.js";
import type { Inbound } from "../../src/call/inbound.js";
import type { Part } from "../../src/call/part.js";
import { channelContract } from "../../src/testing/channel-contract.js";
import { RecordingHost } from "../../src/testing/recording-host.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

function collect(tty?: { columns: number; rows: number }) {
	const output = Object.assign(new PassThrough(), tty && { isTTY: true, ...tty });
	let written = "";
	output.on("data", (chunk) => {
		written += chunk;
	});
	return { output, written: () => written };
}

const textOf = (payload: unknown) => (payload as { text: string }).text;

channelContract({
	name: "terminal",
	describe,
	it,
	make() {
		const { output, written } = collect();
		return {
			channel: terminal({ input: new PassThrough(), output, user: "ana" }),
			textOf,
			seen: () => written().trimEnd().split("\n"),
		};
	},
	skip: {
		"a send that fails is a result, never a throw": "a terminal refuses nothing",
		"what a person writes is handed over once, with the same id however often the platform repeats it":
			"a terminal repeats nothing",
		"messages of one chat keep their order, and chats do not mix": "a terminal has one chat; its order is tested below",
		"a message that could not be stored is not acknowledged, and is taken when it comes again":
			"a terminal has no acknowledgement; the person is told, tested below",
		"its own messages are not taken for a person's": "a terminal does not hear itself",
	},
});

const address = addressKey({ door: "terminal", chat: "ana" });

/** A host that answers every text by itself, as an agent would. */
class AnsweringHost extends RecordingHost {
	readonly entries: HistoryEntry[] = [];
	channel: ReturnType<typeof terminal> | undefined;
	answer: (text: string) => readonly Part[] = (text) => [{ kind: "text", text: `You said ${text}` }];

	override async accept(inbound: Inbound) {
		const accepted = await super.accept(inbound);
		if (inbound.type === "message" && inbound.content.kind !== "open") {
			void this.#turn(inbound.id, inbound.content);
			this.tell(address, { waiting: this.accepted.slice(-1) as never, entries: this.entries });
		} else void this.#greet();
		return accepted;
	}

	greeting: string | undefined;

	async #greet(): Promise<void> {
		if (this.greeting === undefined) return this.tell(address, { waiting: [], entries: this.entries });
		this.tell(address, { waiting: this.accepted.slice(-1) as never, entries: [] });
		const open = this.accepted.at(-1) as Extract<Inbound, { type: "message" }>;
		this.answer = (text) => [{ kind: "text", text: text === "" ? `${this.greeting}` : `You said ${text}` }];
		await this.#turn(open.id, open.content);
	}

	async #turn(id: string, content: Extract<Inbound, { type: "message" }>["content"]): Promise<void> {
		await new Promise((resolve) => this.clock.after(500, () => resolve(undefined)));
		this.entries.push({ role: "user", id, content, at: this.clock.now() });
		for (const [n, part] of this.answer(content.text).entries()) {
			const key = `call.${this.entries.length}.${n}`;
			this.entries.push({ role: "said", id: key, part, by: "model", at: this.clock.now() });
			this.tell(address, { waiting: [], entries: this.entries });
			for (const [index, payload] of (this.channel?.render(part) ?? []).entries()) {
				const signal = new AbortController().signal;
				await this.channel?.send(payload, { address, key: `${key}.${index}`, signal });
			}
		}
		this.tell(address, { waiting: [], entries: this.entries });
	}
}

async function conversation(options: TerminalOptions, tty?: { columns: number; rows: number }) {
	const { output, written } = collect(tty);
	const clock = new VirtualClock();
	const host = new AnsweringHost({ door: "terminal", clock });
	const channel = terminal({ output, user: "ana", agent: "clinic", ...options });
	host.channel = channel;
	const said = () => host.accepted.flatMap((each) => (each.type === "message" ? [each.content] : []));
	return { channel, clock, host, said, written, start: () => channel.start(host) };
}

describe("a scripted conversation at the terminal", () => {
	it("prints both sides, says each line after the answer to the one before, and ends when all are answered", async () => {
		const { start, channel, clock, written, host } = await conversation({ say: ["hello", "two"] });
		await start();
		await clock.advance(400);
		expect(written()).toBe("ana: hello\n");
		await clock.advance(2000);
		expect(await channel.done).toEqual({ reason: "said" });
		expect(written()).toBe("ana: hello\nclinic: You said hello\nana: two\nclinic: You said two\n");
		expect(host.accepted.map((each) => each.type === "message" && each.contact.id)).toEqual(
			Array(3).fill("terminal:ana"),
		);
	});

	it("lets the agent greet before the first line is said", async () => {
		const { start, channel, clock, written, host } = await conversation({ say: ["hello"] });
		host.greeting = "Welcome!";
		await start();
		await clock.advance(3000);
		expect(await channel.done).toEqual({ reason: "said" });
		expect(written()).toBe("clinic: Welcome!\nana: hello\nclinic: You said hello\n");
	});

	it("waits for every part of an answer", async () => {
		const { start, channel, clock, written, host } = await conversation({ say: ["hello"] });
		host.answer = () => ["one", "two", "three"].map((text) => ({ kind: "text", text }));
		await start();
		await clock.advance(2000);
		expect(await channel.done).toEqual({ reason: "said" });
		expect(written()).toBe("ana: hello\nclinic: one\nclinic: two\nclinic: three\n");
	});

	it("ends unanswered when nothing is said, and when the patience is over", async () => {
		const silent = await conversation({ say: ["hello", "more"] });
		silent.host.answer = () => [{ kind: "data", topic: "slots", data: 1 }];
		await silent.start();
		await silent.clock.advance(1000);
		expect(await silent.channel.done).toEqual({ reason: "unanswered", line: "hello" });

		const slow = await conversation({ say: ["hello"], patienceMs: 400 });
		await slow.start();
		await slow.clock.advance(450);
		expect(await slow.channel.done).toEqual({ reason: "unanswered", line: "hello" });
	});

	it("reads lines from a pipe in the same way", async () => {
		const input = new PassThrough();
		const { start, channel, clock, written } = await conversation({ input });
		await start();
		input.end("hello\n\ntwo\n");
		await clock.advance(3000);
		expect(await channel.done).toEqual({ reason: "said" });
		expect(written()).toBe("ana: hello\nclinic: You said hello\nana: two\nclinic: You said two\n");
	});

	it("shows choices as numbered lines and reads a number or the words back as the choice", async () => {
		const { start, clock, said, written, host } = await conversation({ say: ["hello", "2", "3", "Monday", "Monday"] });
		const choices = [
			{ id: "mon", label: "Monday" },
			{ id: "tue", label: "Tuesday" },
		];
		host.answer = (text) =>
			text === "Tuesday" ? [{ kind: "text", text: "Good" }] : [{ kind: "choices", text: "**Which** day?", choices }];
		await start();
		await clock.advance(5000);
		expect(written()).toContain("clinic: Which day?\n\n1. Monday\n2. Tuesday\n");
		expect(said()).toMatchObject([
			{ kind: "open" },
			{ kind: "text", text: "hello" },
			{ kind: "choice", choice: "tue", text: "Tuesday" },
			{ kind: "text", text: "3" },
			{ kind: "choice", choice: "mon", text: "Monday" },
			{ kind: "choice", choice: "mon", text: "Monday" },
		]);
	});

	it("says when a line could not be stored", async () => {
		const { start, channel, clock, written, host } = await conversation({ say: ["hello"] });
		host.down = true;
		await start();
		await clock.settle();
		expect(await channel.done).toEqual({ reason: "unanswered", line: "hello" });
		expect(written()).toContain("(this could not be stored, say it again)");
	});
});

/** The part of a terminal that readline uses, so that a test sees what a person sees. */
function screenOf(written: string, columns: number): string[] {
	const rows: string[][] = [[]];
	let [row, column] = [0, 0];
	for (const [piece, count, command] of written.replaceAll("\x1b[", "␛").matchAll(/␛(\d*)([A-Za-z])|./gsu)) {
		if (command === "A") row -= Number(count || 1);
		else if (command === "G") column = Number(count || 1) - 1;
		else if (command === "J") {
			rows.length = row + 1;
			rows[row]?.splice(column);
		} else if (command === undefined && piece === "\n") {
			row += 1;
			column = 0;
		} else if (command === undefined && piece === "\r") column = 0;
		else if (command === undefined) {
			if (column === columns) [row, column] = [row + 1, 0];
			while (rows.length <= row) rows.push([]);
			(rows[row] as string[])[column] = piece;
			column += 1;
		}
		while (rows.length <= row) rows.push([]);
	}
	return rows.map((cells) =>
		Array.from(cells, (cell) => cell ?? " ")
			.join("")
			.trimEnd(),
	);
}

describe("a conversation of a person at a real terminal", () => {
	const tty = { columns: 20, rows: 24 };

	async function typing() {
		const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode() {} });
		const made = await conversation({ input }, tty);
		await made.start();
		await made.clock.settle();
		return { ...made, input, screen: () => screenOf(made.written(), tty.columns) };
	}

	it("shows a running answer in place above the prompt, then the finished one once", async () => {
		const { channel, clock, screen } = await typing();
		expect(screen()).toEqual([">"]);
		channel.show(address, { kind: "typing", on: true });
		expect(screen()).toEqual(["clinic: …", ">"]);
		channel.show(address, { kind: "draft", turn: "t", text: "On **Monday** we are" });
		channel.show(address, { kind: "draft", turn: "t", text: "On **Monday** we are open all day" });
		expect(screen()).toEqual(["clinic: On Monday we", " are open all day", ">"]);
		await channel.send(
			{ text: "On Monday we are open all day." },
			{ address, key: "k.0", signal: new AbortController().signal },
		);
		expect(screen()).toEqual(["clinic: On Monday we", " are open all day.", ">"]);
		channel.show(address, { kind: "draft", turn: "u", text: "Never said" });
		channel.show(address, { kind: "withdrawn", turn: "u" });
		await clock.settle();
		expect(screen()).toEqual(["clinic: On Monday we", " are open all day.", ">"]);
	});

	it("keeps what is being typed below an answer that arrives", async () => {
		const { channel, clock, input, screen, said } = await typing();
		input.write("I would like to know about Monday");
		await clock.settle();
		await channel.send({ text: "Hello!" }, { address, key: "k.0", signal: new AbortController().signal });
		expect(screen()).toEqual(["clinic: Hello!", "> I would like to kn", "ow about Monday"]);
		input.write("\r");
		await clock.settle();
		expect(said().at(-1)).toEqual({ kind: "text", text: "I would like to know about Monday" });
	});

	it.each([
		["Ctrl-C", "\x03"],
		["Ctrl-D", "\x04"],
		["/quit", "/quit\r"],
	])("%s ends it", async (_, keys) => {
		const { channel, input } = await typing();
		input.write(keys);
		expect(await channel.done).toEqual({ reason: "left" });
	});

	it("does not let anyone's words steer the terminal", async () => {
		const { channel, written } = await typing();
		const before = written().length;
		const text = "safe\x1b[2J\x1b]0;owned\x07\x9b31m\x00 text";
		await channel.send({ text }, { address, key: "k.0", signal: new AbortController().signal });
		expect(written().slice(before)).toContain("clinic: safe text\n");
	});
});
