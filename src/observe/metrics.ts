import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { LogFields } from "./log.js";

/** How much there is to do, and how much is being done. */
export interface Load {
	/** What the backend holds, for all processes together; undefined when it cannot be reached. */
	stored:
		| {
				waiting: number;
				outbox: number;
				parked: number;
				marked: number;
				oldestWaitMs: number;
		  }
		| undefined;
	/** Of this process alone. */
	running: { turns: number; sends: number };
	/** Of this process alone. */
	open: ReadonlyMap<string, boolean>;
	/** Counted inside the backend since it was opened. */
	swept: number | undefined;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** What this process has done, for Prometheus. Labels are names an author or operator gave, and codes: never a person's. */
export class Metrics {
	readonly #registry = new Registry();
	readonly #messages = this.#counter("messages_total", "Messages that came in.", ["door", "outcome"]);
	readonly #turns = this.#counter("turns_total", "Turns that ended.", ["door", "outcome"]);
	readonly #turnSeconds = this.#histogram("turn_seconds", "From the start of a turn to its commit.");
	readonly #answerSeconds = this.#histogram("answer_seconds", "From a message's acceptance to its turn's commit.");
	readonly #requests = this.#counter("model_requests_total", "Requests answered by the model.", ["door"]);
	readonly #modelFailures = this.#counter("model_failures_total", "Requests it could not answer.", ["door", "code"]);
	readonly #tokens = this.#counter("model_tokens_total", "Tokens; cached ones are input too.", ["door", "kind"]);
	readonly #cost = this.#counter("model_cost_dollars_total", "What they cost, where prices are known.", ["door"]);
	readonly #tools = this.#counter("tools_total", "Tools that ran or were refused.", ["door", "tool", "status"]);
	readonly #deliveries = this.#counter("deliveries_total", "What became of sends.", ["door", "outcome"]);
	readonly #calls = this.#counter("calls_total", "What happened to calls.", ["door", "event"]);
	readonly #swept = this.#counter("swept_total", "Wake-ups that were lost and made good.", []);
	readonly #backendUp = this.#gauge("backend_up", "Whether the backend answers.");
	readonly #waiting = this.#gauge("waiting_addresses", "Chats with something unhandled.");
	readonly #outbox = this.#gauge("outbox_addresses", "Chats with something unsent.");
	readonly #parked = this.#gauge("parked_addresses", "Chats set aside after repeated failures.");
	readonly #marked = this.#gauge("marked_addresses", "Chats in which something failed, is unknown or was withheld.");
	readonly #oldest = this.#gauge("oldest_wait_seconds", "Age of the oldest unhandled message.");
	readonly #runningTurns = this.#gauge("running_turns", "Turns running in this process.");
	readonly #runningSends = this.#gauge("running_sends", "Chats this process is sending to.");
	readonly #doorOpen = this.#gauge("door_open", "Whether this process has the door open.", ["door"]);

	/** @param options.process whether to tell of Node and the process too. Default true */
	constructor(options: { process?: boolean } = {}) {
		if (options.process !== false) collectDefaultMetrics({ register: this.#registry });
	}

	/** Counts one fact of the engine; those it does not know are none of its business. */
	count(event: string, door: string, data: LogFields): void {
		switch (event) {
			case "message.accepted":
				this.#messages.inc({ door, outcome: word(data.outcome) });
				break;
			case "message.dropped":
				this.#messages.inc({ door, outcome: "dropped" });
				break;
			case "turn.committed":
				this.#committed(door, data);
				break;
			case "turn.failed":
			case "turn.fenced":
			case "turn.handed-on":
			case "turn.started-over":
				this.#turns.inc({ door, outcome: event.slice("turn.".length) });
				break;
			case "model.failed":
				this.#modelFailures.inc({ door, code: word(data.code) });
				break;
			case "tool.ran":
				this.#tools.inc({ door, tool: word(data.tool), status: word(data.status) });
				break;
			case "tool.refused":
				this.#tools.inc({ door, tool: word(data.tool), status: "refused" });
				break;
			case "delivery.sent":
				this.#deliveries.inc({ door, outcome: "sent" });
				break;
			case "delivery.retry":
			case "delivery.failed":
				this.#deliveries.inc({ door, outcome: word(data.status) });
				break;
			case "call.started":
			case "call.ended":
			case "call.forwarded":
			case "call.parked":
				this.#calls.inc({ door, event: event.slice("call.".length) });
				break;
		}
	}

	/** The page, in Prometheus's text format. */
	async page(load: Load): Promise<{ type: string; text: string }> {
		const { stored, running, open, swept } = load;
		this.#backendUp.set(stored === undefined ? 0 : 1);
		for (const gauge of [this.#waiting, this.#outbox, this.#parked, this.#marked, this.#oldest]) gauge.remove();
		if (stored !== undefined) {
			this.#waiting.set(stored.waiting);
			this.#outbox.set(stored.outbox);
			this.#parked.set(stored.parked);
			this.#marked.set(stored.marked);
			this.#oldest.set(stored.oldestWaitMs / 1000);
		}
		this.#swept.reset();
		this.#swept.inc(swept ?? 0);
		this.#runningTurns.set(running.turns);
		this.#runningSends.set(running.sends);
		for (const [door, isOpen] of open) this.#doorOpen.set({ door }, isOpen ? 1 : 0);
		return { type: this.#registry.contentType, text: await this.#registry.metrics() };
	}

	#committed(door: string, data: LogFields): void {
		const { ms, waitedMs, requests, usage, cost } = data as {
			ms: number;
			waitedMs?: readonly number[];
			requests: number;
			usage: { input: number; cached: number; output: number };
			cost: number;
		};
		this.#turns.inc({ door, outcome: "committed" });
		this.#turnSeconds.observe({ door }, ms / 1000);
		for (const waited of waitedMs ?? []) this.#answerSeconds.observe({ door }, waited / 1000);
		this.#requests.inc({ door }, requests);
		this.#cost.inc({ door }, cost);
		for (const kind of ["input", "cached", "output"] as const) this.#tokens.inc({ door, kind }, usage[kind]);
	}

	#counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
		return new Counter({ name: `callboard_${name}`, help, labelNames, registers: [this.#registry] });
	}

	#gauge<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Gauge<L> {
		return new Gauge({ name: `callboard_${name}`, help, labelNames, registers: [this.#registry] });
	}

	#histogram(name: string, help: string): Histogram<"door"> {
		const labelNames = ["door"] as const;
		return new Histogram({
			name: `callboard_${name}`,
			help,
			labelNames,
			buckets: SECONDS,
			registers: [this.#registry],
		});
	}
}

/** A label is one short word; anything else would make labels without end. */
function word(value: unknown): string {
	return typeof value === "string" && /^[\w.-]{1,64}$/.test(value) ? value : "other";
}
