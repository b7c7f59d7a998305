import { randomUUID } from "node:crypto";
import { type AddressKey, doorOf } from "../call/address.js";
import type { Inbound } from "../call/inbound.js";
import type { Json } from "../call/json.js";
import type { InboxItem } from "../call/message.js";
import type { Accepted, ChannelHost, Transcript } from "../channel/channel.js";
import { type Clock, systemClock } from "../clock.js";
import { CallboardError } from "../errors.js";
import { type Log, silentLog } from "../observe/log.js";
import { traced } from "../observe/trace.js";
import { runTurn } from "../turn/run-turn.js";
import type { Backend } from "./backend.js";
import { type Door, Doors } from "./door.js";
import { type FactListener, Facts } from "./facts.js";
import { Lane } from "./lane.js";
import { defaultLimits, type EngineLimits } from "./limits.js";
import { Pulse } from "./pulse.js";
import { Relay } from "./relay.js";
import { Sender } from "./sender.js";
import { Solo } from "./solo.js";
import type { RunTurn } from "./stint.js";
import { Worker } from "./worker.js";

/** What a process does: receive at its doors, run turns, send what was decided. */
export type Role = "gateway" | "worker" | "sender";

export interface RuntimeOptions {
	backend: Backend;
	doors: readonly Door[];
	/** Runs one turn. Default: the turn loop of `turn/run-turn.ts`. */
	runTurn?: RunTurn;
	/** Default: the system's. */
	clock?: Clock;
	/** Default: none. */
	log?: Log;
	/** Makes ids of calls and of the application's events. Default: ids that no other has. */
	newId?(): string;
	limits?: Partial<EngineLimits>;
	/** Names this process in leases; must differ from every other process, dead ones included. Default: random. */
	owner?: string;
	/** Default: all of them. */
	roles?: readonly Role[];
}

/** A running Callboard: doors, worker and sender over one backend. */
export interface Runtime {
	/**
	 * Opens the backend and the doors, and goes on with what was left.
	 * @throws CallboardError of the backend or of a door that cannot work; then everything is closed again
	 */
	start(): Promise<void>;
	/** Closes the doors, finishes or hands on what runs within `graceMs`, and closes the backend. */
	stop(graceMs: number): Promise<void>;
	/** What the channel of a door is handed. @throws CallboardError `UNKNOWN_DOOR` */
	host(door: string): ChannelHost;
	/**
	 * Tells an agent something that happened in the application; it goes to `onEvent`, in its turn.
	 * @param id makes a repeated call the same event
	 * @throws CallboardError `BACKEND_UNAVAILABLE`
	 */
	event(address: AddressKey, name: string, data: Json, id?: string): Promise<Accepted>;
	/** Resolves when nothing waits, runs or is being sent any more at these doors; what is set aside does not count. */
	idle(): Promise<void>;
	/** Observes facts by name, `*` for all. Returns what stops it. */
	on(event: string, listener: FactListener): () => void;
	/** What this process is doing now: turns, and addresses being sent to. */
	readonly running: { turns: number; sends: number };
	/** Every door, and whether it is open. */
	readonly open: ReadonlyMap<string, boolean>;
	readonly backend: Backend;
}

/** Puts doors, worker and sender together over a backend. */
export function createRuntime(options: RuntimeOptions): Runtime {
	return new EngineRuntime(options);
}

/** Rows read for each row asked for: those of tools are not shown. */
const ROWS_PER_SHOWN = 4;
const PAGE = 100;

class EngineRuntime implements Runtime {
	readonly backend: Backend;
	readonly #doors: Doors;
	readonly #clock: Clock;
	readonly #log: Log;
	readonly #limits: EngineLimits;
	readonly #newId: () => string;
	readonly #facts: Facts;
	readonly #pulse = new Pulse();
	readonly #sender: Sender;
	readonly #worker: Worker;
	readonly #lane: Lane;
	readonly #solo: Solo;
	readonly #relay: Relay;
	readonly #roles: ReadonlySet<Role>;
	#started: Door[] = [];

	constructor(options: RuntimeOptions) {
		const { backend, doors, clock = systemClock, log = silentLog, owner = randomUUID() } = options;
		this.backend = backend;
		this.#doors = new Doors(doors, log);
		this.#clock = clock;
		this.#log = log;
		this.#limits = { ...defaultLimits, ...options.limits };
		this.#newId = options.newId ?? (() => randomUUID());
		this.#facts = new Facts(log);
		this.#roles = new Set(options.roles ?? ["gateway", "worker", "sender"]);
		this.#relay = new Relay({ backend, doors: this.#doors, owner, clock, log });
		const shared = {
			backend,
			doors: this.#doors,
			owner,
			limits: this.#limits,
			clock,
			log,
			facts: this.#facts,
			relay: this.#relay,
			pulse: this.#pulse,
		};
		this.#sender = new Sender(shared);
		this.#worker = new Worker({
			...shared,
			...(this.#roles.has("sender") && { sender: this.#sender }),
			runTurn: options.runTurn ?? runTurn,
			newId: options.newId,
		});
		this.#lane = new Lane(backend, log, this.#facts);
		this.#solo = new Solo({ backend, owner, clock, log });
	}

	async start(): Promise<void> {
		await this.backend.open();
		try {
			if (this.#roles.has("gateway")) await this.#relay.start();
			for (const door of this.#doors) {
				await door.channel.start(this.host(door.name));
				this.#started.push(door);
			}
			if (this.#roles.has("sender")) this.#sender.start();
			if (this.#roles.has("worker")) this.#worker.start();
		} catch (error) {
			await this.stop(0);
			throw error;
		}
	}

	async stop(graceMs: number): Promise<void> {
		const started = this.#started;
		this.#started = [];
		this.#worker.pause();
		await Promise.all(started.map((door) => this.#close(door)));
		const begun = this.#clock.now();
		await this.#worker.stop(graceMs);
		await this.#sender.stop(Math.max(0, graceMs - (this.#clock.now() - begun)));
		this.#relay.stop();
		await this.backend.close();
	}

	async #close({ name, channel }: Door): Promise<void> {
		try {
			await channel.stop();
		} catch (error) {
			this.#log.error("channel.threw", { door: name, error });
		}
	}

	host(name: string): ChannelHost {
		const door = this.#doors.named(name).name;
		return {
			door,
			clock: this.#clock,
			log: this.#log.with({ door }),
			...(!this.#roles.has("gateway") && { sendsOnly: true as const }),
			accept: (inbound) => this.#accept(door, inbound),
			transcript: (address, limit) => this.#transcript(address, limit),
			...(this.backend.hold !== undefined && {
				alone: (right: string, run: (signal: AbortSignal) => Promise<void>, stop: AbortSignal) =>
					this.#solo.run(`${name}.${right}`, run, stop),
			}),
		};
	}

	async #accept(door: string, inbound: Inbound): Promise<Accepted> {
		if (doorOf(inbound.address) !== door) {
			throw new CallboardError("WRONG_DOOR", "author", `the channel of door "${door}" handed over an item of another`, {
				next: "make addresses with addressKey({ door: host.door, chat })",
			});
		}
		if (inbound.type === "event") return this.#fired(door, inbound);
		if (inbound.type !== "message") return this.#lane.take(inbound);
		const accepted = await traced(
			"accept",
			{ kind: "producer", parent: inbound.traceparent, facts: { door } },
			async (span) => {
				const trace = span.traceparent === undefined ? {} : { traceparent: span.traceparent };
				const { outcome } = await this.#admit({
					...inbound,
					acceptedAt: this.#clock.now(),
					...trace,
				});
				span.tell({ outcome });
				return { outcome };
			},
		);
		const fields = { door, message: inbound.id, outcome: accepted.outcome };
		if (accepted.outcome === "full") this.#log.warn("inbox.full", { ...fields, address: inbound.address });
		this.#facts.tell("message.accepted", inbound.address, fields);
		return accepted;
	}

	/** An event of the page. One the agent does not declare is refused here, so that a stranger starts no turns by it. */
	#fired(name: string, event: Extract<Inbound, { type: "event" }>): Promise<Accepted> {
		const door = this.#doors.named(name);
		const { events } = door.agent;
		if (!Object.hasOwn(events, event.name) || !events[event.name]?.from.includes("participant")) {
			throw new CallboardError(
				"EVENT_UNDECLARED",
				"author",
				'the agent takes no event of that name from "participant"',
				{
					next: 'declare it: static events = { name: { from: ["participant"] } }',
				},
			);
		}
		const { id, address, data, at } = event;
		const occurrence = { kind: "event", name: event.name, data, source: "participant" } as const;
		const item = { type: "occurrence", id: `page.${id}`, address, occurrence, at } as const;
		return this.#worker.accept(item, this.#limits, door);
	}

	/** Under `debounce`, more may follow a message, unless it is a tap, a command or the opening of a page. */
	#admit(message: Extract<InboxItem, { type: "message" }>): Promise<Accepted> {
		const door = this.#doors.named(doorOf(message.address));
		const { arrivals, quietMs, longestWaitMs } = door.agent.settings;
		const words = !["choice", "command", "open"].includes(message.content.kind);
		if (arrivals !== "debounce" || !words) return this.#worker.accept(message, this.#limits, door);
		const gathersMs = Math.max(quietMs, message.gathersMs ?? 0);
		return this.#worker.accept({ ...message, gathersMs }, { ...this.#limits, gatherMs: longestWaitMs }, door);
	}

	async #transcript(address: AddressKey, limit: number): Promise<Transcript> {
		const { record, history, waiting } = await this.backend.view(address, { history: limit * ROWS_PER_SHOWN });
		const shown = history.filter((entry) => entry.role === "user" || entry.role === "said");
		return {
			call: record?.id,
			ended: record?.ended !== undefined,
			owner: record?.ended === undefined ? (record?.owner ?? "agent") : "agent",
			entries: limit > 0 ? shown.slice(-limit) : [],
			waiting,
		};
	}

	event(address: AddressKey, name: string, data: Json, id = this.#newId()): Promise<Accepted> {
		const at = this.#clock.now();
		const occurrence = { kind: "event", name, data, source: "app" } as const;
		const item = { type: "occurrence", id: `app.${id}`, address, occurrence, at } as const;
		const door = this.#doors.of(address);
		return door === undefined ? this.backend.accept(item, this.#limits) : this.#worker.accept(item, this.#limits, door);
	}

	on(event: string, listener: FactListener): () => void {
		return this.#facts.on(event, listener);
	}

	async idle(): Promise<void> {
		for (;;) {
			const next = this.#pulse.next();
			if (!(await this.#waits()) && this.#worker.running + this.#sender.running === 0) return;
			await next;
		}
	}

	get running() {
		return { turns: this.#worker.running, sends: this.#sender.running };
	}

	get open(): ReadonlyMap<string, boolean> {
		const started = new Set(this.#started.map(({ name }) => name));
		return new Map([...this.#doors].map(({ name }) => [name, started.has(name)]));
	}

	async #waits(): Promise<boolean> {
		return (await this.#anyOf("waiting")) || (await this.#anyOf("outbox"));
	}

	async #anyOf(only: "waiting" | "outbox"): Promise<boolean> {
		for (let after: AddressKey | undefined; ; ) {
			const page = await this.backend.list({ limit: PAGE, only, ...(after === undefined ? {} : { after }) });
			if (page.some((address) => this.#doors.has(address))) return true;
			after = page.at(-1);
			if (page.length < PAGE) return false;
		}
	}
}
