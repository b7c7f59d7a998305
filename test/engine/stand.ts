import type { Backend } from "../../src/engine/backend.js";
import { inMemory } from "../../src/engine/embedded/embedded.js";
import type { Fact } from "../../src/engine/facts.js";
import type { EngineLimits } from "../../src/engine/limits.js";
import { createRuntime, type Role, type Runtime } from "../../src/engine/runtime.js";
import type { RunTurn } from "../../src/engine/stint.js";
import type { Model, ModelRequest } from "../../src/model/model.js";
import { type Delivered, FakeChannel, type FakeChannelOptions } from "../../src/testing/fake-channel.js";
import { FakePerson } from "../../src/testing/fake-person.js";
import { assertGlobalProperties } from "../../src/testing/global-properties.js";
import { RecordingLog } from "../../src/testing/recording-log.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import { type FakeAgent, fakeAgent } from "../turn/fake-agent.js";
import { responseOf, type Step } from "../turn/fake-model.js";
import { Arrivals } from "./arrivals.js";

export interface StandOptions {
	agent?: FakeAgent;
	/** What the model answers to a request; by default it repeats the newest words. */
	model?: (request: ModelRequest, signal: AbortSignal) => Promise<Exclude<Step, Error>> | Exclude<Step, Error>;
	/** Shows words before the answer comes. */
	streaming?(onText: (piece: string) => void): Promise<void>;
	limits?: Partial<EngineLimits>;
	channel?: Omit<FakeChannelOptions, "clock">;
	/** Makes the backend over which the runtime runs out of the one in memory. */
	over?: (backend: Backend) => Backend;
	runTurn?: RunTurn;
	/** The stand whose store and clock go on: a process after a process. */
	after?: Stand;
	/** Opens no second door unless asked. */
	doors?: readonly string[];
	/** Default: all. */
	roles?: readonly Role[];
	/** Default: those of `after`, or else new ones in memory. */
	clock?: VirtualClock;
	backend?: Backend;
	arrivals?: Arrivals;
}

/** The newest words of the person that a request holds. */
export function newestWords({ history }: ModelRequest): string {
	const last = history.findLast((message) => message.role === "user");
	return last?.role === "user" ? last.text : "";
}

/** The engine in memory between a fake channel and a fake model, on a clock that stands still. */
export class Stand {
	readonly clock: VirtualClock;
	readonly backend: Backend;
	readonly runtime: Runtime;
	readonly channels: readonly FakeChannel[];
	readonly log = new RecordingLog();
	readonly facts: Fact[] = [];
	readonly requests: ModelRequest[] = [];
	readonly agent: ReturnType<typeof fakeAgent>;
	readonly arrivals: Arrivals;

	readonly #after: Stand | undefined;

	constructor(options: StandOptions = {}) {
		this.#after = options.after;
		this.clock = options.clock ?? options.after?.clock ?? new VirtualClock();
		const { clock, log } = this;
		this.backend = options.backend ?? options.after?.backend ?? inMemory({ clock, log });
		this.agent = fakeAgent(options.agent ?? {});
		const { agent } = this;
		const model: Model = {
			name: "fake",
			ask: async (request, { signal, onText }) => {
				this.requests.push(request);
				if (onText !== undefined) await options.streaming?.(onText);
				const answer = options.model?.(request, signal) ?? `re: ${newestWords(request)}`;
				const step = await (typeof answer === "function" ? answer(request, { signal }) : answer);
				const response = responseOf(typeof step === "function" ? "" : step, this.requests.length);
				onText?.(response.text);
				return response;
			},
		};
		const names = options.doors ?? ["fake"];
		this.channels = names.map(() => new FakeChannel({ ...options.channel, clock }));
		this.arrivals = options.arrivals ?? options.after?.arrivals ?? new Arrivals();
		for (const channel of this.channels) this.arrivals.watch(channel);
		this.runtime = createRuntime({
			backend: options.over?.(this.backend) ?? this.backend,
			doors: names.map((name, index) => ({ name, channel: this.channels[index]!, agent, model })),
			...(options.runTurn === undefined ? {} : { runTurn: options.runTurn }),
			...(options.limits === undefined ? {} : { limits: options.limits }),
			...(options.roles === undefined ? {} : { roles: options.roles }),
			clock,
			log,
		});
		this.runtime.on("*", (fact) => this.facts.push(fact));
	}

	get channel(): FakeChannel {
		return this.channels[0]!;
	}

	person(chat = "ana", door = 0): FakePerson {
		return new FakePerson(this.channels[door]!, { chat });
	}

	start(): Promise<void> {
		return this.runtime.start();
	}

	/** Lets everything that needs no time come to rest. */
	async settle(): Promise<void> {
		for (let round = 0; round < 5; round += 1) await this.clock.settle();
	}

	/** Events of one name, in order. */
	told(event: string): readonly Fact["data"][] {
		return this.facts.filter((fact) => fact.event === event).map(({ data }) => data);
	}

	/** What people got, in this process and the ones before it. */
	delivered(): readonly Delivered[] {
		return [...(this.#after?.delivered() ?? []), ...this.channels.flatMap(({ delivered }) => delivered)];
	}

	/** Events of this process and the ones before it. */
	allFacts(): readonly Fact[] {
		return [...(this.#after?.allFacts() ?? []), ...this.facts];
	}

	/** Everything comes to rest, and what must hold after every scenario holds. */
	async end(): Promise<void> {
		await this.settle();
		const delivered = this.delivered();
		const texts = [
			...this.log.lines.map((line) => JSON.stringify(line)),
			...this.requests.map((each) => JSON.stringify(each)),
		];
		await assertGlobalProperties(this.backend, {
			delivered,
			texts,
		});
		await this.arrivals.assert(this.backend, this.allFacts());
		await this.runtime.stop(0);
	}
}

/** A started stand. */
export async function stand(options: StandOptions = {}): Promise<Stand> {
	const made = new Stand(options);
	await made.start();
	return made;
}

/** Something that a test lets go on when it wants. */
export class Gate {
	#open = () => {};
	#reach = () => {};
	readonly opened = new Promise<void>((resolve) => {
		this.#open = resolve;
	});
	/** Resolves when somebody waits at the gate. */
	readonly reached = new Promise<void>((resolve) => {
		this.#reach = resolve;
	});

	pass(): Promise<void> {
		this.#reach();
		return this.opened;
	}

	open(): void {
		this.#open();
	}
}
