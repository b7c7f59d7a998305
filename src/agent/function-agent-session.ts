import type { Json, JsonObject } from "../call/json.js";
import { CallboardError } from "../errors.js";
import { bounded, type Running } from "./bounded.js";
import type { CallFrame } from "./call.js";
import { type CallListeners, tellListener } from "./call-listeners.js";
import type { Child } from "./child.js";
import type {
	AgentSession,
	EventSource,
	Outcome,
	PreparedCall,
	RunContext,
	SessionOpening,
	ToolDeclaration,
	ToolOutcome,
	ToolVisibility,
} from "./declaration.js";
import { ToolBatch } from "./function-agent-batch.js";
import { FunctionCall } from "./function-agent-call.js";
import type { AgentEvents, AgentHandlers, ToolResult } from "./function-agent-events.js";

/** Ms that the handlers of `call.started` or `call.event` may take together. */
const HANDLERS_MS = 30_000;

/** All that the sessions of one function-calling agent share. */
export interface FunctionPlan {
	readonly title: string;
	readonly tools: ReadonlyMap<string, ToolDeclaration>;
	readonly events: Readonly<Record<string, { readonly from: readonly EventSource[] }>>;
	readonly handlers: AgentHandlers;
	readonly listeners: CallListeners;
}

const nothing: Outcome = { changes: [], acts: [] };

/** A function-calling agent serving one call for one turn. It has no state of its own: handlers keep theirs outside. */
export class FunctionSession implements AgentSession {
	readonly #batches = new Map<string, ToolBatch>();

	constructor(
		private readonly plan: FunctionPlan,
		private readonly opening: SessionOpening,
	) {}

	get awaitsFinish(): boolean {
		const { handlers, listeners } = this.plan;
		return handlers.of("bot.finished").length > 0 || listeners.awaits(this.opening.call.id, "bot.finished");
	}

	snapshot(): JsonObject {
		return {};
	}

	readable(): JsonObject {
		return {};
	}

	visibility(): readonly ToolVisibility[] {
		return [...this.plan.tools.keys()].map((tool) => ({ tool, visible: true }));
	}

	render(): Child {
		return null;
	}

	block(name: string): Child {
		throw new CallboardError("UNKNOWN_BLOCK", "author", `${this.plan.title} has no block ${name}`);
	}

	async run(calls: readonly PreparedCall[], context: RunContext): Promise<readonly ToolOutcome[]> {
		const { clock } = this.opening;
		const log = this.opening.log.with({ call: this.opening.call.id });
		const batch = new ToolBatch({ calls, tool: (name) => this.#tool(name), ...context, clock, log });
		this.#batches.set(context.msgId, batch);
		const call = this.#call(batch.frame);
		const handlers = this.plan.handlers.of("llm.tool_call");
		return batch.run(handlers.map((handler) => () => handler(batch.event, call)));
	}

	/** `call.started` is told here, where what its handlers ask for still counts; `call.ended` is told by `emit`. */
	async hook(name: "onCall" | "onEnd", signal: AbortSignal): Promise<Outcome | undefined> {
		if (name === "onEnd" || this.plan.handlers.of("call.started").length === 0) return undefined;
		return this.#handle("call.started", {}, signal);
	}

	async event(name: string, data: Json, source: EventSource, signal: AbortSignal): Promise<Outcome | undefined> {
		const declared = Object.hasOwn(this.plan.events, name) ? this.plan.events[name] : undefined;
		if (declared?.from.includes(source) === true) return this.#handle("call.event", { name, data, source }, signal);
		const why = declared === undefined ? "it is not declared" : `it is not declared to come from ${source}`;
		this.opening.log.warn("event.dropped", { event: name, source, why });
		return undefined;
	}

	apply(): void {}

	emit(event: string, data: Json): void {
		const { call, log } = this.opening;
		this.plan.listeners.tell(call.id, event, data, log);
		const handlers = this.plan.handlers.of(event as "call.ended");
		for (const handler of handlers) {
			tellListener(`${event} of the agent`, () => handler(data as never, this.#call(undefined)), log);
		}
	}

	async #handle<E extends "call.started" | "call.event">(
		event: E,
		data: AgentEvents[E],
		outer: AbortSignal,
	): Promise<Outcome> {
		const handlers = this.plan.handlers.of(event);
		if (handlers.length === 0) return nothing;
		const controller = new AbortController();
		const frame: CallFrame & Running = {
			acts: [],
			signal: controller.signal,
			open: true,
			author: event,
			run: (body) => body(),
		};
		const call = this.#call(frame);
		const bounds = { clock: this.opening.clock, ms: HANDLERS_MS, outer, controller };
		const ending = await bounded(frame, bounds, async () => {
			for (const handler of handlers) await handler(data, call);
		});
		switch (ending.how) {
			case "returned":
				return { changes: [], acts: frame.acts };
			case "threw":
				throw ending.error;
			case "stopped":
				throw ending.reason;
			case "timeout":
				throw new CallboardError(
					"HOOK_TIMEOUT",
					"author",
					`handlers of ${event} of ${this.plan.title} did not return within ${HANDLERS_MS / 1000} s`,
				);
		}
	}

	#call(frame: CallFrame | undefined): FunctionCall {
		const { call, clock, log } = this.opening;
		const support = { frame: () => frame, clock, log, listeners: this.plan.listeners };
		return new FunctionCall(call, support, (msgId, results) => this.#take(msgId, results));
	}

	#take(msgId: string, results: readonly ToolResult[]): void {
		const batch = this.#batches.get(msgId);
		if (batch !== undefined) {
			batch.answer(results);
			return;
		}
		this.opening.log.warn("tool.unknown_message", { agent: this.plan.title });
		throw new CallboardError(
			"UNKNOWN_TOOL_CALLS",
			"author",
			`no tool calls wait under the msgId that call.toolResult got`,
			{
				next: "write call.toolResult(data.msgId, results) with the data of the same event",
			},
		);
	}

	#tool(name: string): ToolDeclaration {
		const tool = this.plan.tools.get(name);
		if (tool !== undefined) return tool;
		throw new CallboardError("UNKNOWN_TOOL", "model", `${this.plan.title} has no tool ${name}`);
	}
}
