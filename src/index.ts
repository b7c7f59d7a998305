export { Agent } from "./agent/agent.js";
export {
	Call,
	type CallHistory,
	type HangupOptions,
	type LaterTime,
	type SayOptions,
} from "./agent/call.js";
export type { CallEvents, CallListener } from "./agent/call-listeners.js";
export type { Child, PromptNode } from "./agent/child.js";
export type { AgentSettings, Effect, EventSource } from "./agent/declaration.js";
export {
	type Board,
	callboard,
	type FunctionAgent,
	type FunctionAgentOptions,
} from "./agent/function-agent.js";
export type { FunctionCall } from "./agent/function-agent-call.js";
export type {
	AgentEvents,
	AgentHandler,
	RequestedCall,
	ToolCallEvent,
	ToolResult,
} from "./agent/function-agent-events.js";
export type { LlmOptions } from "./agent/function-agent-providers.js";
export type { FunctionDefinition, FunctionTool, FunctionToolOptions } from "./agent/function-agent-tools.js";
export type { Pii } from "./agent/pii.js";
export { type Stages, stages } from "./agent/stages.js";
export { type StateOptions, state, type Visibility } from "./agent/state.js";
export { type ToolOptions, tool } from "./agent/tool.js";
export type { HistoryEntry } from "./call/history.js";
export type { Json, JsonObject } from "./call/json.js";
export type { Contact } from "./call/message.js";
export type { Choice, Part } from "./call/part.js";
export { CallboardError, type CallboardErrorOptions, type Fault } from "./errors.js";
export { renderText } from "./prompt/render.js";
