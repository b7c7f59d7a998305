import type { Json } from "../call/json.js";
import type { CallEvents } from "./call-listeners.js";
import type { EventSource } from "./declaration.js";
import type { FunctionCall } from "./function-agent-call.js";

/** One tool call a handler has to answer. Its arguments were checked: they are valid JSON that fits the schema. */
export interface RequestedCall {
	/** Goes back as `toolCallId`. */
	id: string;
	name: string;
	/** The arguments as JSON text. */
	arguments: string;
	/** Idempotency key: the same when the call runs again after a crash. Give it to outside systems. */
	key: string;
}

/** All tool calls of one response of the model that can run. Answer every one: `call.toolResult(data.msgId, results)`. */
export interface ToolCallEvent {
	toolCalls: RequestedCall[];
	msgId: string;
}

/** What one tool call came to. For a failure give `{ error: "a sentence" }`, which the model can act on. */
export interface ToolResult {
	toolCallId: string;
	result?: unknown;
}

/** What an agent can listen to with `agent.on(event, (data, call) => …)`. */
export interface AgentEvents extends CallEvents {
	"llm.tool_call": ToolCallEvent;
	/** A call begins, before anything is said. What the handler asks of the call counts. */
	"call.started": Record<string, never>;
	/** One of the declared `events` happened. What the handler asks of the call counts. */
	"call.event": { name: string; data: Json; source: EventSource };
}

export type AgentHandler<E extends keyof AgentEvents> = (data: AgentEvents[E], call: FunctionCall) => unknown;

const names: Record<keyof AgentEvents, true> = {
	"llm.tool_call": true,
	"call.started": true,
	"call.event": true,
	"call.forwarded": true,
	"call.ended": true,
	"bot.finished": true,
};

export const agentEventNames = Object.keys(names) as readonly (keyof AgentEvents)[];

/** The handlers of one agent, in the order they were registered. */
export class AgentHandlers {
	readonly #byEvent = new Map<string, AgentHandler<never>[]>();

	add<E extends keyof AgentEvents>(event: E, handler: AgentHandler<E>): void {
		this.#byEvent.set(event, [...(this.#byEvent.get(event) ?? []), handler as AgentHandler<never>]);
	}

	of<E extends keyof AgentEvents>(event: E): readonly AgentHandler<E>[] {
		return (this.#byEvent.get(event) ?? []) as unknown as readonly AgentHandler<E>[];
	}
}
