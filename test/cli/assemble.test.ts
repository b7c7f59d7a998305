import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { assemble } from "../../src/cli/assemble.js";
import { readConfig } from "../../src/config.js";
import { inMemory } from "../../src/engine/embedded/embedded.js";
import type { Model } from "../../src/model/model.js";
import { silentLog } from "../../src/observe/log.js";
import { FakeChannel } from "../../src/testing/fake-channel.js";
import { FakePerson } from "../../src/testing/fake-person.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import { fakeAgent } from "../turn/fake-agent.js";

const root = mkdtempSync(join(tmpdir(), "callboard-assemble-"));
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("CALLBOARD_CONCURRENCY is how many turns a process runs at once; the others have theirs behind them", async () => {
	const clock = new VirtualClock();
	const waiting: (() => void)[] = [];
	let most = 0;
	const model: Model = {
		name: "slow",
		async ask() {
			await new Promise<void>((resolve) => {
				most = Math.max(most, waiting.push(resolve));
			});
			const usage = { input: 0, cached: 0, output: 0 };
			return { text: "done", calls: [], finish: "stop", usage, model: "slow", attempts: 1 };
		},
	};
	const channel = new FakeChannel({ clock });
	const config = readConfig({ root, environment: { CALLBOARD_CONCURRENCY: "2" } });
	const backend = inMemory({ clock, log: silentLog });
	const parts = { config, agent: fakeAgent({}), model, backend, channels: [channel], clock, log: silentLog };
	const runtime = assemble(parts);
	await runtime.start();
	const people = ["ana", "ben", "cem", "dan", "eva"].map((chat) => new FakePerson(channel, { chat }));
	for (const person of people) await person.says("hi");
	for (let answered = 0; answered < people.length; answered += 1) {
		while (waiting.length === 0) await clock.settle();
		waiting.shift()?.();
	}
	await runtime.idle();
	expect(most).toBe(2);
	expect(people.map(({ heard }) => heard)).toEqual(people.map(() => ["done"]));
	await runtime.stop(0);
});
