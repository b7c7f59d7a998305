import type { AgentDeclaration, Change } from "../agent/declaration.js";
import type { CallRecord } from "../call/call-record.js";
import type { HistoryEntry } from "../call/history.js";
import type { Json, JsonObject } from "../call/json.js";
import type { Part } from "../call/part.js";
import { pause, systemClock } from "../clock.js";
import { inMemory } from "../engine/embedded/embedded.js";
import type { Fact } from "../engine/facts.js";
import { createRuntime, type Runtime } from "../engine/runtime.js";
import { CallboardError } from "../errors.js";
import type { Model, ModelRequest } from "../model/model.js";
import { loadScript } from "../model/script-file.js";
import type { ScriptSource } from "../model/script-source.js";
import { ScriptedModel } from "../model/scripted.js";
import { runTurn } from "../turn/run-turn.js";
import { type AgentUnderTest, agentUnderTest } from "./agent-under-test.js";
import { FakeChannel, type FakeChannelOptions, payloadText } from "./fake-channel.js";
import { FakePerson, type FakePersonOptions } from "./fake-person.js";
import { assertGlobalProperties } from "./global-properties.js";
import { RecordingLog } from "./recording-log.js";
import { VirtualClock } from "./virtual-clock.js";
import { type ToolRun, watchedAgent } from "./watched-agent.js";

export interface ConverseOptions {
	/** The agent: its file, its class (then with `file`), an agent of `callboard()`, or a declaration. */
	agent: AgentUnderTest;
	/** Where the class stands, so that its signatures can be read. */
	file?: string | URL;
	/** What the model answers: a script, or the path of one. Every step must be used. */
	script?: ScriptSource | string;
	/** A model of your own, in place of a script. */
	model?: Model;
	/** The call begins in this state, without a greeting; fields not named keep their first values. */
	state?: JsonObject;
	/** The day it is, `YYYY-MM-DD`. Default 2026-03-02, a Monday. */
	today?: string;
	/** Default UTC. */
	timeZone?: string;
	channel?: Omit<FakeChannelOptions, "clock">;
	person?: FakePersonOptions;
	/** Whether a turn that fails is the test's failure, or is tried again as in production. Default `throw`. */
	failures?: "throw" | "retry";
}

const DOOR = "test";
const REAL_MS_PER_VIRTUAL_S = 10;
/** The next timer may be hours ahead while a model on a real socket is about to answer. */
const LONGEST_LOOK_AWAY_MS = 10;

/**
 * Begins a conversation with an agent on the real engine: memory for a store, a fake channel, a clock that stands still.
 *
 * ```ts
 * const clinic = await converse({ agent: "agents/clinica-norte/agent.tsx", script: { steps: [{ say: "Hola" }] } });
 * expect(await clinic.says("buenas")).toEqual(["Hola"]);
 * await clinic.end();
 * ```
 *
 * @throws CallboardError with fault `author` for what is wrong with the agent or the script
 */
export async function converse(options: ConverseOptions): Promise<Conversation> {
	const clock = new VirtualClock(options.today);
	const agent = await agentUnderTest(options.agent, options.file);
	const model = options.model ?? (await scripted(options, clock));
	const conversation = new Conversation(agent, model, clock, options);
	await conversation.runtime.start();
	return conversation;
}

async function scripted({ script, timeZone }: ConverseOptions, clock: VirtualClock): Promise<ScriptedModel> {
	if (script === undefined) {
		throw new CallboardError("NO_SCRIPT", "author", "nothing answers in place of the model", {
			next: 'give converse() a script: { steps: [{ say: "Hello" }] }, or a model',
		});
	}
	const source = typeof script === "string" ? await loadScript(script) : script;
	return new ScriptedModel(source, { clock, pace: 0, ...(timeZone === undefined ? {} : { timeZone }) });
}

/** A conversation under test. What it holds is up to date whenever a method has resolved. */
export class Conversation {
	readonly clock: VirtualClock;
	readonly agent: AgentDeclaration;
	readonly channel: FakeChannel;
	readonly runtime: Runtime;
	readonly log = new RecordingLog();
	/** Every request the model got, oldest first. */
	readonly requests: ModelRequest[] = [];
	/** Every tool that ran, in order. Calls that were refused did not run. */
	readonly tools: ToolRun[] = [];
	/** Every change of state, in order. */
	readonly changes: Change[] = [];
	/** What the engine told its observers, in order. */
	readonly facts: Fact[] = [];
	/** The call as it is stored. */
	record: CallRecord | undefined;
	/** Its history, oldest first. */
	history: readonly HistoryEntry[] = [];
	readonly #model: Model;
	readonly #options: ConverseOptions;
	#person: FakePerson | undefined;
	#failure: unknown;

	constructor(agent: AgentDeclaration, model: Model, clock: VirtualClock, options: ConverseOptions) {
		this.clock = clock;
		this.#model = model;
		this.#options = options;
		const { state, timeZone } = options;
		this.agent = watchedAgent(agent, {
			...(state === undefined ? {} : { state }),
			onRun: (run) => this.tools.push(run),
		});
		this.channel = new FakeChannel({ ...options.channel, clock });
		let ids = 0;
		const door = {
			name: DOOR,
			channel: this.channel,
			agent: this.agent,
			model: this.#recorded(),
			...(timeZone && { timeZone }),
		};
		this.runtime = createRuntime({
			backend: inMemory({ clock, log: this.log }),
			doors: [door],
			runTurn,
			clock,
			log: this.log,
			owner: "test",
			newId: () => `call-${++ids}`,
		});
		this.runtime.on("*", (fact) => {
			this.facts.push(fact);
			if (fact.event === "turn.committed") this.changes.push(...((fact.data.changes ?? []) as Change[]));
		});
	}

	/** Who speaks with the agent. */
	get person(): FakePerson {
		this.#person ??= new FakePerson(this.channel, this.#options.person);
		return this.#person;
	}

	/** Somebody else at the same door. */
	another(options: FakePersonOptions & { chat: string }): FakePerson {
		return new FakePerson(this.channel, options);
	}

	/** The agent's fields as they are stored. */
	get state(): JsonObject {
		return this.record?.state ?? {};
	}

	/** All the person heard, in order. */
	get heard(): readonly string[] {
		return this.person.heard;
	}

	/** Says texts, each after the answer to the one before. Resolves to what was said to the last. */
	async says(...texts: readonly string[]): Promise<readonly string[]> {
		let answer: readonly string[] = [];
		for (const text of texts) answer = await this.#exchange(() => this.person.says(text));
		return answer;
	}

	/** Taps an answer that was offered. Resolves to what was said to it. */
	taps(choice: string): Promise<readonly string[]> {
		return this.#exchange(() => this.person.taps(choice));
	}

	/** Opens the conversation without a word. Resolves to the greeting. */
	opens(): Promise<readonly string[]> {
		return this.#exchange(() => this.person.opens());
	}

	/** Tells the agent of something that happened in the application. Resolves to what was said to it. */
	event(name: string, data: Json): Promise<readonly string[]> {
		return this.#exchange(() => this.runtime.event(this.person.address, name, data));
	}

	/** Moves the clock, then lets all that begins with it come to rest. */
	async advance(ms: number): Promise<readonly string[]> {
		return this.#exchange(() => this.clock.advance(ms));
	}

	/**
	 * Resolves when nothing waits, runs or is being sent any more. Where only the clock can help (a pause between
	 * messages, a retry, a slow send) it moves the clock, slowly enough for a tool that really waits for something.
	 * @throws what made a turn fail, unless `failures` is `retry`
	 */
	async quiet(): Promise<void> {
		let idle = false;
		const waiting = this.runtime.idle().then(() => {
			idle = true;
		});
		for (;;) {
			await this.clock.settle();
			this.#throwFailure();
			if (idle) break;
			const next = this.clock.nextAt;
			const ahead = next === undefined ? 100 : next - this.clock.now();
			let left = Math.max(0, (ahead / 1000) * REAL_MS_PER_VIRTUAL_S);
			do {
				const part = Math.min(left, LONGEST_LOOK_AWAY_MS);
				await pause(systemClock, part);
				left -= part;
				this.#throwFailure();
			} while (left > 0 && !idle);
			if (!idle) await this.clock.step();
		}
		await waiting;
		await this.#look();
	}

	/**
	 * Ends the test: everything comes to rest, every step of the script must have been used, and what must hold after any
	 * conversation must hold: nothing lost, nothing twice, nothing out of order, no secret anywhere.
	 * @throws CallboardError `SCRIPT_UNUSED`; Error naming every property that does not hold
	 */
	async end(): Promise<void> {
		try {
			await this.quiet();
			if (this.#model instanceof ScriptedModel) this.#model.assertComplete();
			const texts = [JSON.stringify(this.log.lines), JSON.stringify(this.requests)];
			await assertGlobalProperties(this.runtime.backend, { delivered: this.channel.delivered, texts });
		} finally {
			await this.close();
		}
	}

	/** Stops everything, whatever is left. */
	close(): Promise<void> {
		return this.runtime.stop(0);
	}

	/** What the model was shown last. */
	get lastRequest(): ModelRequest | undefined {
		return this.requests.at(-1);
	}

	/** The parts as they were said, before a channel rendered them. */
	get parts(): readonly Part[] {
		return this.history.flatMap((entry) => (entry.role === "said" ? [entry.part] : []));
	}

	async #exchange(begin: () => Promise<unknown>): Promise<readonly string[]> {
		const before = this.person.got.length;
		await begin();
		await this.quiet();
		return this.person.got
			.slice(before)
			.map((message) => payloadText(message.payload))
			.filter((text) => text !== "");
	}

	async #look(): Promise<void> {
		const view = await this.runtime.backend.view(this.person.address, { history: 10_000 });
		this.record = view.record;
		this.history = view.history;
	}

	#throwFailure(): void {
		if (this.#options.failures === "retry") return;
		const failed = this.log.lines.find((line) => line.event === "turn.failed" || line.event === "worker.failed");
		this.#failure ??= failed?.fields.error;
		if (this.#failure !== undefined) throw this.#failure;
	}

	#recorded(): Model {
		return {
			name: this.#model.name,
			ask: (request, options) => {
				this.requests.push(structuredClone(request));
				return this.#model.ask(request, options);
			},
		};
	}
}
