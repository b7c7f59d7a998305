import { afterEach, describe, expect, test } from "vitest";
import { type Gateway, type GatewayOptions, startGateway } from "../../src/gateway/gateway.js";
import { RecordingLog } from "../../src/testing/recording-log.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

const token = "an-admin-token-of-32-characters-!";
const running: Gateway[] = [];
afterEach(async () => {
	for (const gateway of running.splice(0)) await gateway.stop(0);
});

const admin = { token, metrics: async () => ({ type: "text/plain", text: "callboard_up 1\n" }), queues: [] };

async function open(options: Partial<GatewayOptions> = {}): Promise<string> {
	const gateway = await startGateway({ port: 0, channels: [], log: new RecordingLog(), admin, ...options });
	running.push(gateway);
	return gateway.url;
}

const enter = (url: string, given: string) =>
	fetch(`${url}/admin/login`, { method: "POST", redirect: "manual", body: new URLSearchParams({ token: given }) });

describe("the operator's pages", () => {
	test("decision 18: without a token they do not exist; health and readiness do", async () => {
		const gateway = await startGateway({ port: 0, channels: [], log: new RecordingLog() });
		running.push(gateway);
		for (const path of ["/metrics", "/admin", "/admin/login", "/admin/queues"])
			expect((await fetch(gateway.url + path)).status).toBe(404);
		expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
		expect((await fetch(`${gateway.url}/ready`)).status).toBe(200);
	});

	test("metrics are for who carries the token, and for nobody else", async () => {
		const url = await open();
		const asked = async (headers: Record<string, string>) => (await fetch(`${url}/metrics`, { headers })).status;
		expect(await asked({})).toBe(401);
		expect(await asked({ authorization: "Bearer wrong" })).toBe(401);
		expect(await asked({ authorization: `Basic ${token}` })).toBe(401);
		expect(await asked({ authorization: `Bearer ${token}x` })).toBe(401);
		const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
		expect(answer.headers.get("cache-control")).toBe("no-store");
		expect(await answer.text()).toBe("callboard_up 1\n");
	});

	test("a browser is asked for the token once, and gets a cookie that no script and no other site can use", async () => {
		const url = await open();
		const page = await fetch(`${url}/admin`, { redirect: "manual", headers: { accept: "text/html" } });
		expect([page.status, page.headers.get("location")]).toEqual([303, "/admin/login"]);
		expect((await fetch(`${url}/admin`)).status).toBe(401);
		const form = await fetch(`${url}/admin/login`);
		expect(form.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
		expect(await form.text()).toContain('type="password"');

		const wrong = await enter(url, "wrong");
		expect([wrong.status, wrong.headers.get("set-cookie")]).toEqual([401, null]);
		expect(await wrong.text()).toContain("That is not the token.");

		const right = await enter(url, token);
		expect(right.status).toBe(303);
		const cookie = right.headers.get("set-cookie") ?? "";
		expect(cookie).toMatch(/^callboard-admin=[^;]+; Path=\/admin; Max-Age=43200; HttpOnly; SameSite=Strict$/);
		expect(cookie).not.toContain(token);
		const headers = { cookie: cookie.split(";")[0] ?? "" };
		expect((await fetch(`${url}/admin`, { headers })).status).toBe(200);
		expect((await fetch(`${url}/metrics`, { headers })).status).toBe(401);
		const elsewhere = { ...headers, origin: "https://evil.example" };
		expect((await fetch(`${url}/admin`, { headers: elsewhere })).status).toBe(401);
		const out = await fetch(`${url}/admin/logout`, { method: "POST", headers, redirect: "manual" });
		expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
	});

	test("a forged, changed or old cookie opens nothing", async () => {
		const clock = new VirtualClock();
		const url = await open({ clock });
		const cookie = ((await enter(url, token)).headers.get("set-cookie") ?? "").split(";")[0] ?? "";
		const asked = async (value: string) => (await fetch(`${url}/admin`, { headers: { cookie: value } })).status;
		expect(await asked(cookie)).toBe(200);
		const [until = "", seal = ""] = cookie.slice("callboard-admin=".length).split(".");
		for (const value of [`${Number(until) + 1}.${seal}`, `${until}.${seal}x`, `${until}.`, `NaN.${seal}`, "x", ""])
			expect(await asked(`callboard-admin=${value}`)).toBe(401);
		await clock.advance(12 * 3_600_000);
		expect(await asked(cookie)).toBe(401);
	});

	test("behind a proxy with HTTPS the cookie travels by HTTPS alone", async () => {
		const url = await open({ trustProxy: 1 });
		const answer = await fetch(`${url}/admin/login`, {
			method: "POST",
			redirect: "manual",
			body: new URLSearchParams({ token }),
			headers: { "x-forwarded-proto": "https", "x-forwarded-host": "bot.example" },
		});
		expect(answer.headers.get("set-cookie")).toMatch(/; Secure$/);
	});

	test("the token is never logged", async () => {
		const log = new RecordingLog();
		const url = await open({ log });
		await enter(url, token);
		await enter(url, "wrong");
		await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
		expect(log.lines.map(({ event }) => event)).toEqual(expect.arrayContaining(["admin.entered", "admin.refused"]));
		expect(JSON.stringify(log.lines)).not.toContain(token);
	});
});
