/**
 * A process for the kill tests: a runtime on the embedded backend, which writes everything that leaves it to a ledger
 * file and kills itself where it is told to. Started with one argument: a `ChildOrder` as JSON.
 */
import { appendFileSync, readFileSync } from "node:fs";
import type { Act, Effect } from "../../src/agent/declaration.js";
import type { Delivery, Payload, SendResult } from "../../src/channel/channel.js";
import { systemClock } from "../../src/clock.js";
import { embedded } from "../../src/engine/embedded/embedded.js";
import { createRuntime } from "../../src/engine/runtime.js";
import { silentLog } from "../../src/observe/log.js";
import { FakeChannel } from "../../src/testing/fake-channel.js";
import { fakeAgent } from "../turn/fake-agent.js";
import { responseOf } from "../turn/fake-model.js";

/** Where the child kills itself, as `kill -9` would. */
export type DiePoint =
	| "accepted"
	| "asked"
	| "in tool"
	| "answered"
	| "committed"
	| "before send"
	| "after send"
	| "handled";

export interface ChildOrder {
	path: string;
	ledger: string;
	messages: readonly { chat: string; id: string; text: string }[];
	/** Dies the `nth` time it comes to a point, counted from 1. */
	die?: { at: DiePoint; nth: number };
	ambiguous?: "reconcile" | "leave";
	effect?: Effect;
	/** `stuck`: nothing can be sent now. */
	platform?: "stuck";
	/** `stuck`: it never answers. */
	model?: "stuck";
}

export type LedgerLine =
	| { what: "accepted"; id: string; outcome: string }
	| { what: "asked"; chat: string; text: string; results: string }
	| { what: "charged"; key: string }
	| { what: "delivered"; address: string; key: string; text: string }
	| { what: "ended"; address: string; reason: string }
	| { what: "fact"; event: string };

const order = JSON.parse(process.argv[2] ?? "{}") as ChildOrder;
let left = order.die?.nth ?? 0;

function write(line: LedgerLine): void {
	appendFileSync(order.ledger, `${JSON.stringify(line)}\n`);
}

function point(at: DiePoint): void {
	if (order.die?.at !== at) return;
	left -= 1;
	if (left === 0) process.kill(process.pid, "SIGKILL");
}

class LedgerChannel extends FakeChannel {
	override async send(payload: Payload, { address, key }: Delivery): Promise<SendResult> {
		if (order.platform === "stuck") return { outcome: "retry", afterMs: 3_000, scope: "chat", reason: "503" };
		point("before send");
		const { text } = payload as { text: string };
		write({ what: "delivered", address, key, text });
		point("after send");
		return { outcome: "sent", id: key };
	}

	override async reconcile(_payload: Payload, { key }: Delivery): Promise<SendResult> {
		const sent = readFileSync(order.ledger, "utf8").includes(`"key":${JSON.stringify(key)},"text"`);
		return sent ? { outcome: "sent", id: key } : { outcome: "retry", afterMs: 0, scope: "chat", reason: "not there" };
	}

	override ended(address: string, reason: string): void {
		write({ what: "ended", address, reason });
	}
}

const say = (doing: { acts: Act[] }, ...texts: readonly string[]) => {
	for (const text of texts) doing.acts.push({ act: "say", part: { kind: "text", text } });
};

const agent = fakeAgent({
	state: { count: 0 },
	tools: {
		charge: {
			effect: order.effect ?? "once",
			run(_, { key, state }) {
				write({ what: "charged", key });
				point("in tool");
				state.count = Number(state.count) + 1;
				return state.count;
			},
		},
		recite: { run: (_, doing) => say(doing, "one", "two", "three") },
		goodbye: {
			run(_, doing) {
				say(doing, "bye");
				doing.acts.push({ act: "hangup", reason: "done", after: "delivered" });
			},
		},
	},
	view: (state) => `count is ${state.count}`,
});

const model = {
	name: "fake",
	async ask(request: { history: readonly { role: string; text?: string; content?: string }[]; view: string }) {
		const since = request.history.findLastIndex(({ role }) => role === "user");
		const text = request.history[since]?.text ?? "";
		const results = request.history
			.slice(since)
			.flatMap(({ role, content }) => (role === "tool" ? [content ?? ""] : []));
		write({ what: "asked", chat: "", text, results: results.join(" ") });
		point(results.length > 0 ? "answered" : "asked");
		if (order.model === "stuck") await new Promise(() => {});
		if (results.length > 0) return responseOf(text === "recite" ? "four" : `done: ${text}`, 2);
		if (["charge", "recite", "goodbye"].includes(text)) return responseOf({ calls: [[text]] }, 1);
		if (text === "count") return responseOf(request.view.match(/count is \d+/)?.[0] ?? "no count", 1);
		return responseOf(`re: ${text}`, 1);
	},
};

const backend = embedded({ path: order.path, clock: systemClock, log: silentLog });
const channel = new LedgerChannel({ capabilities: { ambiguous: order.ambiguous ?? "leave" } });
const runtime = createRuntime({
	backend,
	doors: [{ name: "fake", channel, agent, model }],
	limits: { firstRetryMs: 50 },
});
runtime.on("turn.committed", () => point("committed"));
runtime.on("bot.finished", () => {
	write({ what: "fact", event: "bot.finished" });
	point("handled");
});
await runtime.start();
for (const { chat, id, text } of order.messages) {
	const content = { kind: "text", text } as const;
	const message = { type: "message", id, address: `fake|${chat}`, contact: { id: chat }, content, sentAt: 0 } as const;
	const { outcome } = await channel.receive(message);
	write({ what: "accepted", id, outcome });
	point("accepted");
}
await runtime.idle();
await runtime.stop(5_000);
