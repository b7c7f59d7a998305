import { afterEach, expect, it } from "vitest";
import { startTelegramServer } from "../../src/testing/telegram-server.js";
import { bakery, bakeryDemo, callboard, freePort, project, type Running } from "../cli/command.js";
import { RedisServer } from "../redis/redis-server.js";
import { otlpReceiver } from "./otlp-receiver.js";

const open: (() => unknown)[] = [];
afterEach(async () => {
	for (const close of open.splice(0).reverse()) await close();
});

it("from Telegram's webhook over gateway, worker and sender to the chat, an outage of Redis between: one trace a message, each answered once", async () => {
	const store = await RedisServer.start({ aof: true });
	open.push(() => store.dispose());
	const server = await startTelegramServer({ webhookRetryMs: 100 });
	open.push(() => server.stop());
	const traces = await otlpReceiver();
	open.push(() => traces.close());
	const shop = project({ "agents/bakery/agent.tsx": bakery, "agents/bakery/demo.yaml": bakeryDemo });
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

	ana.says("3 cakes");
	await server.until(() => heard().includes("That makes 3 cakes."));
	expect(await asked("/ready")).toEqual([200, 200, 200]);

	await store.kill();
	expect(await server.updates.handed(ana.says("hello?"))).toBe("refused");
	expect(server.updates.info).toMatchObject({ last_error_message: expect.stringContaining("503") });
	expect(await asked("/ready")).toEqual([503, 503, 503]);
	expect(await asked("/health")).toEqual([200, 200, 200]);
	await store.start();
	await server.until(() => heard().includes("How many cakes?"));

	for (const { process } of running) process.kill("SIGTERM");
	expect((await Promise.all(running.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, 0, 0]);
	expect(heard().filter((words) => !words.startsWith("Welcome"))).toEqual(["That makes 3 cakes.", "How many cakes?"]);
	const named = (name: string) => traces.spans.filter((span) => span.name === name);
	const [trace] = named("tool order").map(({ traceId }) => traceId);
	const names = traces.spans.filter(({ traceId }) => traceId === trace).map(({ name }) => name);
	expect(new Set(names)).toEqual(new Set(["accept", "turn", "model request", "tool order", "deliver"]));
	expect(new Set(named("deliver").map(({ traceId }) => traceId))).toEqual(
		new Set(named("turn").map(({ traceId }) => traceId)),
	);
});
