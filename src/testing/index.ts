/** `callboard/testing`: what tests of agents and channels need. */
export { type ChannelContract, type ChannelUnderTest, type ContractCase, channelContract } from "./channel-contract.js";
export {
	type Delivered,
	FakeChannel,
	type FakeChannelOptions,
	type FakePayload,
	payloadText,
} from "./fake-channel.js";
export { FakePerson, type FakePersonOptions } from "./fake-person.js";
export { type PlatformAnswer, platformAnswers } from "./platform-answers.js";
export { RecordingHost } from "./recording-host.js";
export { type ReplayPlan, seededRandom } from "./replay-plan.js";
export { VirtualClock } from "./virtual-clock.js";
