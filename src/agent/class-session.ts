import type { Json, JsonObject } from "../call/json.js";
import type { Contact } from "../call/message.js";
import { cloneJson, plainCopy } from "../call/plain.js";
import { CallboardError } from "../errors.js";
import { type Agent, type AgentClass, connect } from "./agent.js";
import { bounded } from "./bounded.js";
import { Call } from "./call.js";
import type { CallListeners } from "./call-listeners.js";
import { CallState, type StateShape } from "./call-state.js";
import type { Child } from "./child.js";
import type {
	AgentSession,
	Change,
	EventSource,
	Outcome,
	PreparedCall,
	RunContext,
	SessionOpening,
	ToolOutcome,
	ToolVisibility,
} from "./declaration.js";
import { configFields } from "./declare-config.js";
import { Scope } from "./scope.js";
import { refusalText } from "./tool-answer.js";
import { type RunnableTool, type RunPlace, runTool } from "./tool-run.js";

/** Ms that a hook or an event handler may take. */
const HOOK_MS = 30_000;

/** One of the author's own blocks: fixed text, or a function of the instance. */
export type BlockSource = (instance: object) => Child;

/** All that the sessions of one class share. */
export interface ClassPlan {
	readonly Class: AgentClass;
	readonly shape: StateShape;
	/** In the place of its fields. */
	readonly accessors: PropertyDescriptorMap;
	readonly getters: readonly string[];
	readonly tools: readonly RunnableTool[];
	readonly blocks: ReadonlyMap<string, BlockSource>;
	readonly events: Readonly<Record<string, { readonly from: readonly EventSource[] }>>;
	readonly listeners: CallListeners;
	/** Whether this pair of call and event name was not warned of before. */
	firstWarning(call: string, event: string): boolean;
	last(contact: Contact): Promise<JsonObject | undefined>;
}

/** What a class may have by name; none of it is required. */
type Members = {
	render?(): Child;
	onCall?(call: Call): unknown;
	onEnd?(call: Call): unknown;
	onEvent?(name: string, data: Json, meta: { source: EventSource }): unknown;
};

/** A live instance of a class serving one call for one turn. */
export class ClassSession implements AgentSession {
	readonly #instance: Agent & Members;
	readonly #state: CallState;
	readonly #call: Call;
	/** Changes made so far in this session. */
	#changes = 0;

	constructor(
		private readonly plan: ClassPlan,
		private readonly opening: SessionOpening,
	) {
		const { clock, log, call: facts } = opening;
		const instance = new plan.Class();
		this.#state = new CallState(plan.shape, initialFields(instance, plan.shape), opening.state, log);
		this.#call = new Call(facts, { frame: () => this.#state.scope(), clock, log, listeners: plan.listeners });
		this.#instance = instance;
		Object.defineProperties(instance, plan.accessors);
		for (const field of configFields) this.#fix(field);
		connect(instance, {
			call: this.#call,
			restore: (snapshot) => this.#state.put(snapshot, true),
			startIn: (partial) => this.#state.put(partial, false),
			collapse: (sentence) => this.#collapse(sentence),
			last: plan.last,
			undeclared: (field) => this.#state.undeclared(field),
			read: (field) => this.#state.read(field),
			write: (field, value) => this.#state.write(field, value),
		});
	}

	get awaitsFinish(): boolean {
		return this.plan.listeners.awaits(this.opening.call.id, "bot.finished");
	}

	snapshot(): JsonObject {
		return this.#state.snapshot();
	}

	readable(): JsonObject {
		const readable = cloneJson(this.#state.fields);
		for (const getter of this.plan.getters) {
			try {
				const value = Scope.readOnly(() => Reflect.get(this.#instance, getter) as unknown);
				const shown = plainCopy(value, { place: () => getter, as: "written" });
				if (shown !== undefined) readable[getter] = shown;
			} catch (error) {
				this.opening.log.warn("state.getter", { getter, error });
			}
		}
		return readable;
	}

	visibility(): readonly ToolVisibility[] {
		return this.plan.tools.map((tool) => {
			const why = this.#whyHidden(tool);
			const { name } = tool.declaration;
			return why === undefined ? { tool: name, visible: true } : { tool: name, visible: false, why };
		});
	}

	render(): Child {
		return Scope.readOnly(() => this.#instance.render?.());
	}

	block(name: string): Child {
		const source = this.plan.blocks.get(name);
		if (source === undefined) {
			throw new CallboardError("UNKNOWN_BLOCK", "author", `${this.plan.shape.title} has no block ${name}`);
		}
		return Scope.readOnly(() => source(this.#instance));
	}

	async run(calls: readonly PreparedCall[], context: RunContext): Promise<readonly ToolOutcome[]> {
		const { clock, log } = this.opening;
		const place = { instance: this.#instance, state: this.#state, clock, log, signal: context.signal };
		const outcomes = await Promise.all(calls.map((call) => this.#run(call, place)));
		for (const outcome of outcomes) this.#number(outcome.changes);
		return outcomes;
	}

	async hook(name: "onCall" | "onEnd", signal: AbortSignal): Promise<Outcome | undefined> {
		if (this.#instance[name] === undefined) return undefined;
		return this.#handle(`hook:${name}`, signal, () => this.#instance[name]?.(this.#call));
	}

	async event(name: string, data: Json, source: EventSource, signal: AbortSignal): Promise<Outcome | undefined> {
		const declared = Object.hasOwn(this.plan.events, name) ? this.plan.events[name] : undefined;
		if (declared?.from.includes(source) !== true) {
			if (this.plan.firstWarning(this.opening.call.id, name)) {
				const why = declared === undefined ? "it is not declared" : `it is not declared to come from ${source}`;
				this.opening.log.warn("event.dropped", { event: name, source, why });
			}
			return undefined;
		}
		return this.#handle(`event:${name}`, signal, () => this.#instance.onEvent?.(name, data, { source }));
	}

	apply(outcome: Outcome): void {
		this.#state.apply(outcome.changes);
	}

	emit(event: string, data: Json): void {
		this.plan.listeners.tell(this.opening.call.id, event, data, this.opening.log);
	}

	/** Configuration is read when the class is declared; a write to it would be lost without a word. */
	#fix(field: string): void {
		if (!Object.hasOwn(this.#instance, field)) return;
		const value: unknown = Reflect.get(this.#instance, field);
		Object.defineProperty(this.#instance, field, {
			get: () => value,
			set: () => {
				if (this.#state.late(field)) return;
				const message = `${field} of ${this.plan.shape.title} is configuration, and no call can change it`;
				throw new CallboardError("CONFIG_WRITE", "author", message, {
					next: "keep what changes in a field of its own",
				});
			},
			enumerable: false,
		});
	}

	async #run(call: PreparedCall, place: RunPlace): Promise<ToolOutcome> {
		const tool = this.plan.tools.find(({ declaration }) => declaration.name === call.tool);
		if (tool !== undefined) return runTool(tool, call, place);
		const content = refusalText(`there is no tool ${call.tool}`);
		return { id: call.id, tool: call.tool, status: "failed", result: null, content, changes: [], acts: [] };
	}

	#whyHidden({ declaration, when }: RunnableTool): string | undefined {
		const stage = this.#state.fields.stage;
		if (declaration.stages !== undefined && !declaration.stages.includes(stage as string)) {
			return `stage is ${stage}, it needs ${declaration.stages.join(" or ")}`;
		}
		if (when === undefined) return undefined;
		try {
			const answer = Scope.readOnly(() => when(this.#instance));
			if (answer instanceof Promise) {
				answer.catch(() => {});
				throw new CallboardError("WHEN_ASYNC", "author", `when of ${declaration.name} gave a promise, not an answer`);
			}
			return answer ? undefined : "when() says no";
		} catch (error) {
			this.opening.log.error("tool.when", { tool: declaration.name, error });
			return "when() failed";
		}
	}

	async #handle(author: string, signal: AbortSignal, body: () => unknown): Promise<Outcome> {
		const { clock, log } = this.opening;
		const controller = new AbortController();
		const scope = this.#state.fork(author, controller.signal);
		const ending = await bounded(scope, { clock, ms: HOOK_MS, outer: signal, controller }, body);
		switch (ending.how) {
			case "threw":
				throw ending.error;
			case "stopped":
				throw ending.reason;
			case "timeout":
				throw new CallboardError("HOOK_TIMEOUT", "author", `${author} did not return within ${HOOK_MS / 1000} s`);
			case "returned": {
				const changes = scope.changes(clock.now(), log);
				this.#number(changes);
				return { changes, acts: scope.acts };
			}
		}
	}

	#number(changes: readonly Change[]): void {
		for (const change of changes) {
			this.#changes += 1;
			change.seq = this.#changes;
		}
	}

	#collapse(sentence: string): void {
		const scope = this.#state.scope();
		if (scope === undefined) {
			throw new CallboardError("UNAUTHORED_WRITE", "author", "collapse() was used while no tool or hook was running");
		}
		if (typeof sentence !== "string" || sentence.trim() === "") {
			throw new CallboardError("BAD_COLLAPSE", "author", "collapse() was given no sentence");
		}
		if (scope.open) scope.acts.push({ act: "collapse", sentence });
	}
}

function initialFields(instance: Agent, shape: StateShape): Record<string, unknown> {
	const initial: Record<string, unknown> = {};
	for (const field of shape.fields) initial[field] = Reflect.get(instance, field);
	if (shape.stages !== undefined) initial.stage = shape.stages.initial;
	return initial;
}
