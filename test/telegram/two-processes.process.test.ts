import { afterEach, expect, it } from "vitest";
import { telegram } from "../../channels/telegram/channel.js";
import { systemClock } from "../../src/clock.js";
import { redis } from "../../src/engine/redis/redis.js";
import { createRuntime, type Runtime } from "../../src/engine/runtime.js";
import type { Model } from "../../src/model/model.js";
import { RecordingLog } from "../../src/testing/recording-log.js";
import { startTelegramServer } from "../../src/testing/telegram-server.js";
import { RedisServer } from "../redis/redis-server.js";
import { fakeAgent } from "../turn/fake-agent.js";
import { responseOf } from "../turn/fake-model.js";

const open: (() => unknown)[] = [];
afterEach(async () => {
	for (const close of open.splice(0).reverse()) await close();
});

it("B11: over one Redis the second process answers and sends at once, but polls only when the first has stopped", async () => {
	const store = await RedisServer.start({ aof: "every-second" });
	open.push(() => store.stop());
	const server = await startTelegramServer();
	open.push(() => server.stop());
	const log = new RecordingLog();
	const model: Model = {
		name: "fake",
		ask: async ({ history }) => {
			const last = history.findLast((message) => message.role === "user");
			return responseOf(`re: ${last?.role === "user" ? last.text : ""}`, history.length);
		},
	};
	const run = async (): Promise<Runtime> => {
		const channel = telegram({ token: server.token, apiRoot: server.apiRoot });
		const backend = redis({ url: store.url, clock: systemClock, log });
		const doors = [{ name: "telegram", channel, agent: fakeAgent({}), model }];
		const runtime = createRuntime({ backend, doors, log });
		await runtime.start();
		open.push(() => runtime.stop(0));
		return runtime;
	};
	const first = await run();
	await server.until(() => server.callsOf("getUpdates").length === 1);
	await run();
	const ana = server.person({ id: 7001, name: "Ana" });
	for (let n = 1; n <= 5; n += 1) {
		ana.says(`before ${n}`);
		await server.until(() => server.texts(7001).length === n);
	}
	await first.stop(5_000);
	ana.says("after");
	await server.until(() => server.texts(7001).length === 6);
	expect(server.texts(7001)).toEqual([...[1, 2, 3, 4, 5].map((n) => `re: before ${n}`), "re: after"]);
	expect(log.lines.filter((line) => line.event === "telegram.poll_failed")).toEqual([]);
	expect(log.lines.map((line) => line.event)).toEqual(expect.arrayContaining(["solo.stands-by", "solo.taken-over"]));
});
