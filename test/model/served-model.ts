import { afterEach, beforeEach } from "vitest";
import { type OpenAIOptions, openai } from "../../src/model/openai.js";
import { type ModelServer, startModelServer } from "../../src/testing/model-server.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

/** A provider and a clock for each test of a file, and the client that asks the one by the other. */
export function servedModel() {
	let server: ModelServer;
	let clock: VirtualClock;
	beforeEach(async () => {
		server = await startModelServer();
		clock = new VirtualClock();
	});
	afterEach(() => server.close());
	return {
		get server() {
			return server;
		},
		get clock() {
			return clock;
		},
		modelAt: (options: Partial<OpenAIOptions> = {}) =>
			openai({ apiKey: "sk-test", baseURL: server.baseURL, model: "small", clock, random: () => 1, ...options }),
	};
}
