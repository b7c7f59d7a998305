import { afterEach, expect, it } from "vitest";
import { bakery, bakeryDemo, callboard, type Project, project, type Running } from "../cli/command.js";
import { type OtlpReceiver, otlpReceiver } from "./otlp-receiver.js";
import { openChat } from "./web-visitor.js";

const token = "an-admin-token-of-32-characters-!";
let shop: Project | undefined;
let running: Running | undefined;
let traces: OtlpReceiver | undefined;

afterEach(async () => {
	if (running?.process.exitCode === null) running.process.kill("SIGKILL");
	await running?.ended;
	traces?.close();
	shop?.remove();
	running = undefined;
	traces = undefined;
	shop = undefined;
});

it("a running process sends its traces, counts what it does, says that it is ready, and flushes when it stops", async () => {
	traces = await otlpReceiver();
	shop = project({ "agents/bakery/agent.tsx": bakery, "agents/bakery/demo.yaml": bakeryDemo });
	const env = {
		PORT: "0",
		CALLBOARD_ADMIN_TOKEN: token,
		OTEL_EXPORTER_OTLP_ENDPOINT: `${traces.url}/`,
		OTEL_SERVICE_NAME: "the-bakery",
	};
	running = callboard(["dev"], { cwd: shop.folder, env });
	const out = await running.says("in a terminal");
	const url = /bakery answers at (http:\/\/127\.0\.0\.1:\d+)/.exec(out)?.[1] ?? "";
	expect(await (await fetch(`${url}/ready`)).json()).toEqual({
		ready: true,
		checks: { backend: "ok", "door web": "ok" },
	});
	const visitor = await openChat(url);
	await visitor.says("3 cakes");
	await visitor.hears("That makes 3 cakes.");
	expect((await fetch(`${url}/metrics`)).status).toBe(401);
	const page = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
	expect(page).toContain('callboard_turns_total{door="web",outcome="committed"} 1');
	expect(page).toContain('callboard_tools_total{door="web",tool="order",status="ok"} 1');
	expect(page).toContain("nodejs_heap_size_used_bytes");
	expect((await fetch(`${url}/admin/queues`)).status).toBe(401);

	running.process.kill("SIGTERM");
	expect(await running.ended).toMatchObject({ code: 0, err: "" });
	expect([...traces.services]).toEqual(["the-bakery"]);
	const names = traces.spans.map(({ name }) => name);
	expect(names).toEqual(expect.arrayContaining(["accept", "turn", "model request", "tool order", "deliver"]));
	expect(new Set(traces.spans.map(({ traceId }) => traceId)).size).toBe(1);
	expect(JSON.stringify(traces.spans)).not.toMatch(/cakes/);
});
