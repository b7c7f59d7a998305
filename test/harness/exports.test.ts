import { expect, it } from "vitest";
import * as testing from "../../src/testing/index.js";

it("callboard/testing exports these names and no others", () => {
	expect(Object.keys(testing).sort()).toEqual([
		"Conversation",
		"FakeChannel",
		"FakePerson",
		"RecordingHost",
		"RecordingLog",
		"ScriptedModel",
		"VirtualClock",
		"agentUnderTest",
		"assertGlobalProperties",
		"channelContract",
		"checkGolden",
		"checkState",
		"converse",
		"loadScript",
		"openaiErrors",
		"parseTelegramHtml",
		"payloadText",
		"platformAnswers",
		"readGolden",
		"readState",
		"runGolden",
		"seededRandom",
		"startModelServer",
		"startTelegramServer",
		"telegramFaults",
	]);
});
