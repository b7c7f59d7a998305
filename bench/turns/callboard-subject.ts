/** Callboard as it ships: a class agent, the turn loop with its journal, outbox and sender, and a door that takes everything. */
import { resolve } from "node:path";
import { declare } from "../../src/agent/declare.js";
import { addressKey } from "../../src/call/address.js";
import type { Channel } from "../../src/channel/channel.js";
import { pause, systemClock } from "../../src/clock.js";
import type { EngineLimits } from "../../src/engine/limits.js";
import { createRuntime, type Role, type Runtime } from "../../src/engine/runtime.js";
import { CallboardError } from "../../src/errors.js";
import type { Model } from "../../src/model/model.js";
import { buildManifest } from "../../src/schema/manifest-file.js";
import { answer } from "./answer.js";
import { openBackend } from "./backend.js";
import Echo from "./echo-agent.js";
import { Answers, type Crowd, drive, echoOf, markOf, type Pace, type Said } from "./load.js";
import Support from "./support-agent.js";

export interface CallboardOptions {
	port: number;
	/** What this process does. Default: everything, so that turns run direct. */
	roles?: readonly Role[];
	/** Short messages to an agent with the state of a support chat, as `engine.md` measured them. */
	short?: true;
	/** How long the model thinks. */
	handlerMs?: number;
	limits?: Partial<EngineLimits>;
}

const door = "bench";
const AGAIN_MS = 250;
const answers = new Answers();
/** What resolves the message whose answer this is. */
const awaited = new Map<string, () => void>();
let runtime: Runtime;
let handlerMs = 0;
let short = false;

const channel: Channel = {
	name: "bench",
	transport: "chat",
	capabilities: {
		text: { max: 4000, unit: "utf16", markup: "plain" },
		choices: { buttons: 0, rows: 0, labelMax: 24, idMaxBytes: 200 },
		edits: false,
		streaming: "none",
		typingMs: 0,
		media: { in: false, out: false, captionMax: 0 },
		ackMs: 1000,
		ambiguous: "reconcile",
	},
	render: (part) => [{ text: part.kind === "text" ? part.text : "" }],
	async send(payload) {
		const { text } = payload as { text: string };
		answers.heard(text);
		const [chat, seq] = markOf(text);
		return { outcome: "sent", id: `${chat} ${seq}` };
	},
	async start() {},
	async stop() {},
};

const usage = { input: 0, cached: 0, output: 0 };
const model: Model = {
	name: "script/echo",
	async ask({ history }, options) {
		if (handlerMs > 0) await pause(systemClock, handlerMs, options.signal);
		const last = history.at(-1);
		const text = echoOf(last?.role === "user" ? last.text : "", short);
		return { text, calls: [], finish: "stop", usage, model: "echo", attempts: 1 };
	},
};

answer({
	async start({ port, roles, limits = {}, ...options }: CallboardOptions) {
		handlerMs = options.handlerMs ?? 0;
		short = options.short === true;
		const file = resolve("bench/turns", short ? "support-agent.ts" : "echo-agent.ts");
		const { manifest } = await buildManifest({ root: process.cwd(), files: [file] });
		const agent = short
			? declare(Support, manifest.agents.Support, { file })
			: declare(Echo, manifest.agents.Echo, { file });
		runtime = createRuntime({
			backend: await openBackend(port),
			doors: [{ name: door, channel, agent, model }],
			limits: { items: 1, ...limits },
			...(roles === undefined ? {} : { roles }),
		});
		runtime.on("delivery.sent", ({ data }) => {
			const id = (data as { platformId: string }).platformId;
			const done = awaited.get(id);
			awaited.delete(id);
			done?.();
		});
		await runtime.start();
	},
	/** Hands messages over; each is done with once its answer has left and is marked as sent. */
	async run({ crowd, pace }: { crowd: Crowd; pace: Pace }) {
		answers.clear(crowd.from);
		const ms = await drive(crowd, pace, async (said) => {
			const done = new Promise<void>((resolve) => awaited.set(`${said.chat} ${said.seq}`, resolve));
			await accept(said);
			await done;
		});
		global.gc?.();
		return answers.measured(crowd.calls * crowd.each, { ms });
	},
	/** Hands messages over for another process; each is done with once it is accepted. */
	async add({ crowd, pace }: { crowd: Crowd; pace: Pace }) {
		return drive(crowd, pace, accept);
	},
	clear: () => answers.clear(),
	/** Once so many answers have left. */
	async measured({ expected, only }: { expected: number; only?: string }) {
		await answers.reach(expected);
		global.gc?.();
		return answers.measured(expected, only === undefined ? {} : { only });
	},
	stop: () => runtime.stop(1000),
});

/** Hands a message over as a platform does: again after a while when it could not be taken. */
async function accept({ chat, seq, text }: Said): Promise<void> {
	const message = {
		type: "message" as const,
		id: short ? `wamid.HBgLNDkxNzAwMDAwMRUCABIYFjNFQjBD${seq}` : `m.${chat}.${seq}`,
		address: addressKey({ door, chat }),
		contact: { id: `bench:${chat}`, name: "U" },
		content: { kind: "text" as const, text },
		sentAt: Date.now(),
	};
	for (;;) {
		try {
			const { outcome } = await runtime.host(door).accept(message);
			if (outcome === "full") throw new Error("an inbox is full");
			return;
		} catch (error) {
			if (!(error instanceof CallboardError && error.code === "BACKEND_UNAVAILABLE")) throw error;
			await pause(systemClock, AGAIN_MS);
		}
	}
}
