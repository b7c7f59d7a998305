/** The Chat SDK with its Redis state: the same echo, with state and history, on a platform that takes everything at once. */
import { createRedisState } from "@chat-adapter/state-redis";
import { type Adapter, Chat, type Logger, Message, parseMarkdown } from "chat";
import { answer } from "./answer.js";
import { Answers, type Crowd, drive, type Pace, type Said } from "./load.js";

type State = {
	turn: number;
	step: string;
	person: { name: string; language: string };
	cart: number[];
};

const first: State = { turn: 0, step: "start", person: { name: "Ada", language: "en" }, cart: [1, 2, 3] };
const answers = new Answers();
const parsed = parseMarkdown("hello world, this is a typical inbound message of about eighty characters");
const errors: unknown[] = [];
const log: Logger = {
	debug() {},
	info() {},
	warn() {},
	error: (...said: unknown[]) => void errors.push(said),
	child: () => log,
};

let posted = 0;
const platform = {
	name: "bench",
	userName: "bot",
	persistThreadHistory: true,
	initialize: async () => {},
	disconnect: async () => {},
	handleWebhook: async () => new Response("ok"),
	postMessage: async (threadId: string, message: unknown) => {
		answers.heard(typeof message === "string" ? message : (message as { markdown: string }).markdown);
		posted += 1;
		return { id: `posted-${posted}`, threadId, raw: {} };
	},
	startTyping: async () => {},
	fetchMessages: async () => ({ messages: [] }),
	fetchThread: async (id: string) => ({ id, channelId: id, metadata: {} }),
	encodeThreadId: ({ chat }: { chat: string }) => `bench:${chat}`,
	decodeThreadId: (id: string) => ({ chat: id.slice("bench:".length) }),
	renderFormatted: () => "",
	isDM: () => true,
	channelIdFromThreadId: (id: string) => id,
	getChannelVisibility: () => "private",
} as unknown as Adapter;

let chat: Chat;

answer({
	/** @param options.reads whether the handler reads the thread's history, as one that asks a model has to */
	async start({ port, reads }: { port: number; reads: boolean }) {
		chat = new Chat({
			userName: "bot",
			adapters: { bench: platform },
			state: createRedisState({ url: `redis://127.0.0.1:${port}`, logger: log }),
			logger: log,
			concurrency: { strategy: "queue", maxQueueSize: 1_000_000, queueEntryTtlMs: 3_600_000 },
		});
		chat.onDirectMessage(async (thread, message) => {
			if (reads) {
				const window: Message[] = [];
				for await (const each of thread.messages) if (window.push(each) === 60) break;
			}
			const state = ((await thread.state) as State | null) ?? structuredClone(first);
			state.turn += 1;
			await thread.setState(state);
			await thread.post(`echo: ${message.text}`);
		});
		await chat.initialize();
	},
	async run({ crowd, pace }: { crowd: Crowd; pace: Pace }) {
		answers.clear(crowd.from);
		const ms = await drive(crowd, pace, ({ chat: name, seq, text }: Said) =>
			chat.handleIncomingMessage(platform, `bench:${name}`, message(name, seq, text)),
		);
		if (errors.length > 0) throw new Error(`the Chat SDK logged errors: ${JSON.stringify(errors[0])}`);
		global.gc?.();
		return answers.measured(crowd.calls * crowd.each, { ms });
	},
	async stop() {
		await chat.shutdown();
	},
});

function message(name: string, seq: number, text: string): Message {
	return new Message({
		id: `m.${name}.${seq}`,
		threadId: `bench:${name}`,
		text,
		formatted: parsed,
		raw: {},
		author: { userId: `u${name}`, userName: "u", fullName: "U", isBot: false, isMe: false },
		metadata: { dateSent: new Date(), edited: false },
		attachments: [],
	});
}
