import { afterEach, expect, it } from "vitest";
import { startTelegramServer } from "../../src/testing/telegram-server.js";
import { callboard, freePort, project, type Running } from "../cli/command.js";
import { RedisServer } from "../redis/redis-server.js";
import { otlpReceiver } from "./otlp-receiver.js";
import { shopFiles } from "./shop.js";

const open: (() => unknown)[] = [];
afterEach(async () => {
	for (const close of open.splice(0).reverse()) await close();
});

it("from Telegram's webhook over gateway, worker and sender to the chat, by agent and human, an outage of Redis between: one trace a message, each answered once", async () => {
	const store = await RedisServer.start({ aof: true });
	open.push(() => store.dispose());
	const server = await startTelegramServer({ webhookRetryMs: 100 });
	open.push(() => server.stop());
	const traces = await otlpReceiver();
	open.push(() => traces.close());
	const shop = project(shopFiles);
	open.push(() => shop.remove());
	const port = await freePort();
	const env = {
		REDIS_URL: store.url,
		CALLBOARD_SECRET: "0123456789abcdef0123456789abcdef",
		TELEGRAM_TOKEN: server.token,
		TELEGRAM_API_ROOT: server.apiRoot,
		TELEGRAM_WEBHOOK_URL: `http://127.0.0.1:${port}`,
		TELEGRAM_WEBHOOK_SECRET: "a-secret-of-the-webhook",
		OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
	};
	const running: Running[] = [];
	open.push(async () => {
		for (const { process, ended } of running) {
			if (process.exitCode === null) process.kill("SIGKILL");
			await ended;
		}
	});
	const start = async (role: string, at: number) => {
		const args = ["start", "--demo", "--only", role];
		const process = callboard(args, { cwd: shop.folder, env: { ...env, PORT: `${at}` } });
		running.push(process);
		const out = await process.says("process.started");
		return /"url":"([^"]+)"[^}]*"process.started"/.exec(out)?.[1] ?? "";
	};
	expect((await callboard(["build"], { cwd: shop.folder }).ended).code).toBe(0);
	const urls = await Promise.all([start("gateway", port), start("worker", 0), start("sender", 0)]);
	const asked = (path: string) => Promise.all(urls.map(async (url) => (await fetch(url + path)).status));
	const ana = server.person({ id: 7001, name: "Ana" });
	const heard = () => server.texts(ana.chat);

	ana.says("a human please");
	await server.until(() => heard().length === 1);
	expect(await asked("/ready")).toEqual([200, 200, 200]);
	const run = (...args: readonly string[]) => callboard(args, { cwd: shop.folder, env }).ended;
	const [call] = JSON.parse((await run("calls", "list", "--state", "forwarded", "--json")).out);
	expect(call).toMatchObject({ address: "telegram|7001", about: "counter" });
	expect(await run("calls", "reply", call.call, "**Marta** here")).toMatchObject({ code: 0, err: "" });
	await server.until(() => heard().length === 2);
	expect(server.sees(ana.chat).at(-1)).toMatchObject({ text: "Marta here", entities: [{ type: "bold" }] });
	expect((await run("calls", "release", call.call)).code).toBe(0);

	await store.kill();
	expect(await server.updates.handed(ana.says("and now?"))).toBe("refused");
	expect(server.updates.info).toMatchObject({ last_error_message: expect.stringContaining("503") });
	expect(await asked("/ready")).toEqual([503, 503, 503]);
	expect(await asked("/health")).toEqual([200, 200, 200]);
	await store.start();
	await server.until(() => heard().length === 3);

	for (const { process } of running) process.kill("SIGTERM");
	expect((await Promise.all(running.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, 0, 0]);
	expect(heard()).toEqual([expect.stringContaining("passing you"), "Marta here", "How can I help?"]);
	const named = (name: string) => traces.spans.filter((span) => span.name === name);
	const [trace] = named("tool human").map(({ traceId }) => traceId);
	const names = traces.spans.filter(({ traceId }) => traceId === trace).map(({ name }) => name);
	expect(new Set(names)).toEqual(new Set(["accept", "turn", "model request", "tool human", "deliver"]));
	const turns = named("turn").map(({ traceId }) => traceId);
	expect(named("deliver").map(({ traceId }) => traceId)).toEqual(expect.arrayContaining(turns));
});
