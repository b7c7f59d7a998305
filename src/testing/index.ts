/** `callboard/testing`: what tests of agents and channels need. */

export { loadScript } from "../model/script-file.js";
export type { ScriptSource } from "../model/script-source.js";
export { ScriptedModel } from "../model/scripted.js";
export { type AgentUnderTest, agentUnderTest } from "./agent-under-test.js";
export { type ChannelContract, type ChannelUnderTest, type ContractCase, channelContract } from "./channel-contract.js";
export { Conversation, type ConverseOptions, converse } from "./conversation.js";
export {
	type Delivered,
	FakeChannel,
	type FakeChannelOptions,
	type FakePayload,
	payloadText,
} from "./fake-channel.js";
export { FakePerson, type FakePersonOptions } from "./fake-person.js";
export { assertGlobalProperties, type Scenario } from "./global-properties.js";
export { checkGolden, checkState, type Golden, readGolden, readState } from "./golden.js";
export {
	type ModelServer,
	openaiErrors,
	type ServedAnswer,
	type ServedCall,
	type ServedFault,
	type ServedRequest,
	type StreamFault,
	startModelServer,
} from "./model-server.js";
export { type PlatformAnswer, platformAnswers } from "./platform-answers.js";
export { RecordingHost } from "./recording-host.js";
export { type LogLine, RecordingLog } from "./recording-log.js";
export { type ReplayPlan, seededRandom } from "./replay-plan.js";
export { type GoldenFinding, type GoldenReport, runGolden } from "./run-golden.js";
export type { TelegramSeen, TelegramUser } from "./telegram-chats.js";
export { type TelegramFault, telegramFaults } from "./telegram-faults.js";
export { parseTelegramHtml, type TelegramText } from "./telegram-html.js";
export type { TelegramFile, TelegramPerson, TelegramPlace } from "./telegram-person.js";
export {
	startTelegramServer,
	type TelegramCall,
	type TelegramServer,
	type TelegramServerOptions,
} from "./telegram-server.js";
export type { TelegramUpdate } from "./telegram-updates.js";
export { VirtualClock } from "./virtual-clock.js";
export type { ToolRun } from "./watched-agent.js";
