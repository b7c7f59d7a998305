import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/clock.js";
import { BackendDesk } from "../../src/engine/backend-desk.js";
import type { Door } from "../../src/engine/door.js";
import { redis } from "../../src/engine/redis/redis.js";
import { createRuntime } from "../../src/engine/runtime.js";
import { silentLog } from "../../src/observe/log.js";
import { FakeChannel } from "../../src/testing/fake-channel.js";
import { FakePerson } from "../../src/testing/fake-person.js";
import { callboard, type Project, project, type Running } from "../cli/command.js";
import { RedisServer } from "../redis/redis-server.js";
import { fakeAgent } from "../turn/fake-agent.js";
import { responseOf } from "../turn/fake-model.js";
import { RecordedTraces } from "./recorded-traces.js";
import { shopFiles } from "./shop.js";
import { openChat } from "./web-visitor.js";

const token = "an-admin-token-of-32-characters-!";
let server: RedisServer;
beforeAll(async () => {
	server = await RedisServer.start({ aof: true });
});
afterAll(() => server.dispose());

let shop: Project | undefined;
let running: Running | undefined;
afterEach(async () => {
	if (running?.process.exitCode === null) running.process.kill("SIGKILL");
	await running?.ended;
	running = undefined;
	shop?.remove();
	shop = undefined;
});

describe("operations over Redis", () => {
	it("a forwarded call is answered from another process, the queues and figures are shown, and a killed process is made good", async () => {
		shop = project(shopFiles);
		const { folder } = shop;
		const env = {
			PORT: "0",
			REDIS_URL: server.url,
			CALLBOARD_SECRET: "0123456789abcdef0123456789abcdef",
			CALLBOARD_ADMIN_TOKEN: token,
		};
		expect((await callboard(["build"], { cwd: folder }).ended).code).toBe(0);
		const start = async () => {
			running = callboard(["start", "--demo"], { cwd: folder, env });
			const out = await running.says("process.started");
			const lines = out.trim().split("\n");
			return (JSON.parse(lines.find((line) => line.includes("process.started")) ?? "{}") as { url: string }).url;
		};
		const run = (...args: readonly string[]) => callboard(args, { cwd: folder, env }).ended;
		const url = await start();
		const visitor = await openChat(url);
		await visitor.says("a human please");
		await visitor.hears("I am passing you to a colleague");
		const [call] = JSON.parse((await run("calls", "list", "--json")).out) as [{ call: string }];
		expect(await run("calls", "reply", call.call, "Marta here")).toMatchObject({ code: 0, err: "" });
		await visitor.hears("Marta here");

		const headers = { authorization: `Bearer ${token}` };
		const { queues } = (await (await fetch(`${url}/admin/queues/api/queues`, { headers })).json()) as {
			queues: { name: string }[];
		};
		expect(queues.map(({ name }) => name)).toEqual(["cb-turn", "cb-send"]);
		const page = await (await fetch(`${url}/metrics`, { headers })).text();
		expect(page).toMatch(/^callboard_swept_total \d+$/m);
		expect(page).toContain("callboard_backend_up 1");

		running?.process.kill("SIGKILL");
		await running?.ended;
		expect((await run("calls", "reply", call.call, "Marta, a second time")).code).toBe(0);
		expect((await run("calls", "release", call.call)).code).toBe(0);
		const again = await visitor.back(await start());
		await again.hears("Marta, a second time");
		await again.says("hello again");
		await again.hears("How can I help?");
		expect((await run("queue", "--json")).out).toContain('"parked":0');

		await server.stop();
		const down = await run("queue");
		expect(down).toMatchObject({ code: 2, out: "", err: expect.stringMatching(/^callboard: [^\n]+\n$/) });
		await server.start();
		running?.process.kill("SIGTERM");
		expect((await running?.ended)?.code).toBe(0);
	}, 240_000);

	it("gateway, worker and sender as three processes hold one conversation; only the gateway has the chat", async () => {
		shop = project(shopFiles);
		const { folder } = shop;
		const env = { PORT: "0", REDIS_URL: server.url, CALLBOARD_SECRET: "0123456789abcdef0123456789abcdef" };
		expect((await callboard(["build"], { cwd: folder }).ended).code).toBe(0);
		const alone = await callboard(["start", "--only", "worker"], { cwd: folder, env: { ...env, REDIS_URL: "" } }).ended;
		expect(alone).toMatchObject({
			code: 2,
			err: expect.stringContaining("--only worker needs the redis backend; set REDIS_URL"),
		});
		const started = ["gateway", "worker", "sender"].map((role) =>
			callboard(["start", "--demo", "--only", role], { cwd: folder, env }),
		);
		try {
			const outs = await Promise.all(started.map((each) => each.says("process.started")));
			const urls = outs.map((out) => /"url":"([^"]+)"[^}]*"process.started"/.exec(out)?.[1] ?? "");
			const visitor = await openChat(urls[0] ?? "");
			await visitor.says("hello");
			await visitor.hears("How can I help?");
			for (const url of urls) expect((await fetch(`${url}/ready`)).status).toBe(200);
			expect(await Promise.all(urls.map(async (url) => (await fetch(`${url}/`)).status))).toEqual([200, 404, 404]);
		} finally {
			for (const each of started) each.process.kill("SIGTERM");
			expect((await Promise.all(started.map((each) => each.ended))).map(({ code }) => code)).toEqual([0, 0, 0]);
		}
	}, 240_000);

	it("one trace over several processes' parts: accepted by one runtime, run and sent by another", async () => {
		const traces = new RecordedTraces();
		const clock = systemClock;
		const made = (channel: FakeChannel): Door => ({
			name: "fake",
			channel,
			agent: fakeAgent({}),
			model: { name: "fake", ask: async () => responseOf("hello", 1) },
		});
		const open = (prefix: string) => redis({ url: server.url, prefix, clock, log: silentLog });
		const [gate, work] = [new FakeChannel({ clock }), new FakeChannel({ clock })];
		const gateway = createRuntime({ backend: open("traced"), doors: [made(gate)], roles: ["gateway"] });
		const worker = createRuntime({ backend: open("traced"), doors: [made(work)], roles: ["worker", "sender"] });
		try {
			await Promise.all([gateway.start(), worker.start()]);
			const sent = new Promise<void>((resolve) => worker.on("delivery.sent", () => resolve()));
			const ana = new FakePerson(gate, {});
			await ana.says("hi");
			await sent;
			const desk = new BackendDesk({ backend: gateway.backend, clock, render: async (_, part) => gate.render(part) });
			expect(await desk.survey()).toMatchObject({ parked: 0, marked: 0 });
			await worker.idle();
			expect(traces.tree).toEqual(["accept", "  turn", "    model request", "    deliver"]);
			expect(new Set(traces.spans.map((span) => span.spanContext().traceId)).size).toBe(1);
		} finally {
			await Promise.all([gateway.stop(1_000), worker.stop(1_000)]);
			traces.end();
		}
	});

	it("E2: a row that failed is listed and goes out again, over Redis too", async () => {
		const clock = systemClock;
		const channel = new FakeChannel({ clock });
		const model = { name: "fake", ask: async () => responseOf("hello", 1) };
		const backend = redis({ url: server.url, prefix: "again", clock, log: silentLog });
		const runtime = createRuntime({ backend, doors: [{ name: "fake", channel, agent: fakeAgent({}), model }] });
		try {
			await runtime.start();
			const desk = new BackendDesk({ backend, clock, render: async (_, part) => channel.render(part) });
			channel.answer({ result: { outcome: "failed", reason: "blocked" } });
			const failed = new Promise<void>((resolve) => runtime.on("delivery.failed", () => resolve()));
			const ana = new FakePerson(channel, {});
			await ana.says("hi");
			await failed;
			const [row] = await desk.outbox({ limit: 10 });
			expect(row).toMatchObject({ status: "failed", reason: "blocked" });
			const sent = new Promise<void>((resolve) => runtime.on("delivery.sent", () => resolve()));
			const { as } = await desk.resend({ row: row?.row ?? "" });
			await sent;
			expect(ana.got.map(({ key }) => key)).toEqual([as]);
			expect(await desk.outbox({ limit: 10 })).toEqual([]);
		} finally {
			await runtime.stop(1_000);
		}
	});
});
