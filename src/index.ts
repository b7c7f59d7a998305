export { Agent } from "./agent/agent.js";
export type { Pii } from "./agent/pii.js";
export { type Stages, stages } from "./agent/stages.js";
export { type StateOptions, state, type Visibility } from "./agent/state.js";
export { type ToolOptions, tool } from "./agent/tool.js";
export { CallboardError, type CallboardErrorOptions, type Fault } from "./errors.js";
