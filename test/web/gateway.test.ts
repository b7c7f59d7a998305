import { request } from "node:http";
import { connect as dial, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { Channel, ChannelRoutes } from "../../src/channel/channel.js";
import { CallboardError } from "../../src/errors.js";
import { clientIp } from "../../src/gateway/client-ip.js";
import { type Gateway, type GatewayOptions, startGateway } from "../../src/gateway/gateway.js";
import { publicUrl } from "../../src/gateway/public-url.js";
import { silentLog } from "../../src/observe/log.js";
import { FakeChannel } from "../../src/testing/fake-channel.js";
import { RecordingLog } from "../../src/testing/recording-log.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import { Gate } from "./gate.js";

const running: Gateway[] = [];
afterEach(async () => {
	for (const gateway of running.splice(0)) await gateway.stop(0);
});

async function open(routes: Partial<ChannelRoutes> = {}, options: Partial<GatewayOptions> = {}): Promise<Gateway> {
	const all: ChannelRoutes = { paths: ["/hook"], fetch: async () => new Response("hooked"), ...routes };
	const channel: Channel = Object.assign(new FakeChannel(), { routes: all });
	const gateway = await startGateway({ port: 0, channels: [channel], log: silentLog, ...options });
	running.push(gateway);
	return gateway;
}

/** Speaks HTTP by hand; resolves with everything that came until the other end closed. */
function raw(port: number, text: string): { answer: Promise<string>; socket: Socket } {
	let said = "";
	const socket = dial(port, "127.0.0.1", () => socket.write(text));
	const answer = new Promise<string>((resolve) => {
		socket.on("data", (data) => {
			said += data.toString("latin1");
		});
		socket.on("error", () => {});
		socket.on("close", () => resolve(said));
	});
	return { answer, socket };
}

describe("the gateway", () => {
	test("hands a request to the channel whose path it is, and only whole path segments match", async () => {
		const seen: string[] = [];
		const { url } = await open({
			paths: ["/hook", "/"],
			fetch: async (asked, { ip }) => {
				seen.push(`${asked.method} ${new URL(asked.url).pathname} ${await asked.text()} ${ip}`);
				return new Response("hooked", { status: 202 });
			},
		});
		expect((await fetch(`${url}/hook/telegram?x=1`, { method: "POST", body: "raw café" })).status).toBe(202);
		expect((await fetch(`${url}/`)).status).toBe(202);
		expect((await fetch(`${url}/hooked`)).status).toBe(404);
		expect((await fetch(`${url}/other`)).status).toBe(404);
		expect(seen).toEqual(["POST /hook/telegram raw café 127.0.0.1", "GET /  127.0.0.1"]);
	});

	test("is alive at /health, and ready when what it needs is", async () => {
		let ready = true;
		const { url } = await open({}, { health: async () => ({ ready, checks: { backend: ready ? "ok" : "down" } }) });
		expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: "ok" });
		expect(await (await fetch(`${url}/ready`)).json()).toEqual({ ready: true, checks: { backend: "ok" } });
		ready = false;
		const down = await fetch(`${url}/ready`);
		expect([down.status, await down.json()]).toEqual([503, { ready: false, checks: { backend: "down" } }]);
		expect((await fetch(`${url}/health`)).status).toBe(200);
	});

	test("answers what nobody serves with a page for people and JSON for programs", async () => {
		const { url } = await open();
		const page = await fetch(`${url}/nothing`, { headers: { accept: "text/html" } });
		expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
		expect(await page.text()).toContain("There is nothing at this address");
		expect(await (await fetch(`${url}/nothing`)).json()).toEqual({ error: "not_found" });
	});

	test("puts security headers on every answer, and leaves those that a route chose", async () => {
		const { url } = await open({
			fetch: async () => new Response("x", { headers: { "cross-origin-resource-policy": "cross-origin" } }),
		});
		for (const path of ["/hook", "/nothing", "/health"]) {
			const { headers } = await fetch(`${url}${path}`);
			expect(headers.get("x-content-type-options")).toBe("nosniff");
			expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
		}
		expect((await fetch(`${url}/hook`)).headers.get("cross-origin-resource-policy")).toBe("cross-origin");
	});

	test("refuses a body above the limit, announced or not", async () => {
		const { url, port } = await open(
			{ fetch: async (asked) => new Response(`${(await asked.text()).length}`) },
			{ maxBodyBytes: 100 },
		);
		expect(await (await fetch(`${url}/hook`, { method: "POST", body: "x".repeat(100) })).text()).toBe("100");
		expect((await fetch(`${url}/hook`, { method: "POST", body: "x".repeat(101) })).status).toBe(413);
		const chunked = await new Promise<number>((resolve) => {
			const sent = request({ port, path: "/hook", method: "POST" }, (response) => {
				response.resume();
				resolve(response.statusCode ?? 0);
			});
			sent.write("x".repeat(80));
			sent.end("x".repeat(80));
		});
		expect(chunked).toBe(413);
	});

	test("refuses a method that no route can be asked with, and a host that is none", async () => {
		const { port } = await open();
		const ask = (head: string) => raw(port, `${head}\r\nConnection: close\r\n\r\n`).answer;
		expect(await ask("TRACE /hook HTTP/1.1\r\nHost: x")).toContain("HTTP/1.1 405");
		expect(await ask("GET /hook HTTP/1.1\r\nHost: a b")).toContain("HTTP/1.1 400");
	});

	test("says 504 for a route that does not answer in time", async () => {
		const clock = new VirtualClock();
		const asked = new Gate();
		const { url } = await open(
			{
				fetch: () => {
					asked.open();
					return new Promise(() => {});
				},
			},
			{ clock, requestTimeoutMs: 5_000 },
		);
		const answer = fetch(`${url}/hook`);
		await asked.passed;
		await clock.advance(5_000);
		expect((await answer).status).toBe(504);
	});

	test("says 503 when the store is down, 500 for a defect, and neither tells nor logs what was sent", async () => {
		const log = new RecordingLog();
		let failure: Error = new CallboardError("BACKEND_UNAVAILABLE", "platform", "the store cannot be reached");
		const { url } = await open({ fetch: () => Promise.reject(failure) }, { log });
		const down = await fetch(`${url}/hook?key=s3cret`, { method: "POST", body: "words" });
		expect([down.status, down.headers.get("retry-after")]).toEqual([503, "5"]);
		failure = new Error("a defect");
		const defect = await fetch(`${url}/hook?key=s3cret`, { method: "POST", body: "words" });
		expect([defect.status, await defect.json()]).toEqual([500, { error: "internal" }]);
		expect(log.lines.some(({ event, level }) => event === "gateway.failed" && level === "error")).toBe(true);
		expect(JSON.stringify(log.lines)).not.toMatch(/s3cret|words/);
	});

	test("a port in use is one clear error that names it", async () => {
		const { port } = await open();
		const refused = await open({}, { port }).catch((error: unknown) => error);
		expect(refused).toMatchObject({ code: "PORT_IN_USE", fault: "operator" });
		expect((refused as CallboardError).explain()).toBe(
			`127.0.0.1:${port}: port ${port} is already taken by another program; ` +
				`stop that program, or choose another port with PORT=${port + 1}`,
		);
	});

	test("an address of another machine is one clear error", async () => {
		const refused = await open({}, { host: "203.0.113.1" }).catch((error: unknown) => error);
		expect(refused).toMatchObject({ code: "HOST_UNKNOWN", fault: "operator" });
	});
});

describe("behind a proxy", () => {
	test("the client is the peer, unless so many proxies are trusted", () => {
		expect(clientIp("1.1.1.1", "::ffff:10.0.0.1", 0)).toBe("10.0.0.1");
		expect(clientIp("6.6.6.6, 1.1.1.1", "10.0.0.1", 1)).toBe("1.1.1.1");
		expect(clientIp(["6.6.6.6, 1.1.1.1", "10.0.0.2"], "10.0.0.1", 2)).toBe("1.1.1.1");
		expect(clientIp(undefined, "10.0.0.1", 1)).toBe("10.0.0.1");
	});

	test("the address is what the browser sees, unless no proxy is trusted", () => {
		const forwarded = new Headers({ "x-forwarded-proto": "https", "x-forwarded-host": "chat.example" });
		expect(publicUrl("http://10.0.0.1:3000/chat?a=1", forwarded, 0)).toBe("http://10.0.0.1:3000/chat?a=1");
		expect(publicUrl("http://10.0.0.1:3000/chat?a=1", forwarded, 1)).toBe("https://chat.example/chat?a=1");
		const odd = new Headers({ "x-forwarded-proto": "javascript", "x-forwarded-host": "a b" });
		expect(publicUrl("http://10.0.0.1:3000/chat", odd, 1)).toBe("http://10.0.0.1:3000/chat");
	});

	test("a route is given both", async () => {
		const seen: string[] = [];
		const fetchRoute: ChannelRoutes["fetch"] = async (asked, { ip }) => {
			seen.push(`${asked.url} ${ip} ${await asked.text()}`);
			return new Response();
		};
		const { url } = await open({ fetch: fetchRoute }, { trustProxy: 1 });
		const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "chat.example", "x-forwarded-for": "1.1.1.1" };
		await fetch(`${url}/hook`, { method: "POST", headers, body: "body" });
		expect(seen).toEqual(["https://chat.example/hook 1.1.1.1 body"]);
	});
});

describe("when it stops", () => {
	test("a running request is answered, nothing new is taken, and stopping twice is stopping once", async () => {
		const [began, finish] = [new Gate(), new Gate()];
		const gateway = await open({
			fetch: async () => {
				began.open();
				await finish.passed;
				return new Response("done");
			},
		});
		const answer = fetch(`${gateway.url}/hook`);
		await began.passed;
		const stopped = Promise.all([gateway.stop(10_000), gateway.stop(10_000)]);
		await expect(fetch(`${gateway.url}/health`)).rejects.toThrow();
		finish.open();
		expect(await (await answer).text()).toBe("done");
		await stopped;
	});

	test("idle connections are closed, streams end, and sockets are told 1001", async () => {
		const gateway = await open({
			fetch: async () => new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } }),
			upgrade: (_request, socket) => {
				socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
				return true;
			},
		});
		const idle = raw(gateway.port, "GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
		const stream = raw(gateway.port, "GET /hook HTTP/1.1\r\nHost: x\r\n\r\n");
		const socket = raw(
			gateway.port,
			"GET /hook HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		);
		for (const { socket: each } of [idle, stream, socket]) await new Promise((resolve) => each.once("data", resolve));
		await gateway.stop(10_000);
		expect(await idle.answer).toContain("200 OK");
		expect(await stream.answer).toContain("text/event-stream");
		expect((await socket.answer).endsWith("\x88\x02\x03\xe9")).toBe(true);
	});

	test("what does not end is cut off after the grace time", async () => {
		const clock = new VirtualClock();
		const began = new Gate();
		const gateway = await open(
			{
				fetch: () => {
					began.open();
					return new Promise(() => {});
				},
			},
			{ clock, requestTimeoutMs: 60_000 },
		);
		const answer = fetch(`${gateway.url}/hook`).catch((error: unknown) => error);
		await began.passed;
		const stopped = gateway.stop(1_000);
		await clock.advance(1_000);
		await stopped;
		expect(await answer).toBeInstanceOf(TypeError);
	});
});

describe("an upgrade", () => {
	test.each([
		["of a path that is nobody's", "GET /nothing HTTP/1.1\r\nHost: x", "404 Not Found"],
		["that a channel does not take", "GET /hook HTTP/1.1\r\nHost: x", "404 Not Found"],
		["with a host that is none", "GET /hook HTTP/1.1\r\nHost: a b", "400 Bad Request"],
	])("%s is refused", async (_name, head, status) => {
		const gateway = await open({ upgrade: () => false });
		const { answer } = raw(gateway.port, `${head}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
		expect(await answer).toContain(`HTTP/1.1 ${status}`);
	});

	test("that a channel fails on closes that socket alone", async () => {
		const gateway = await open({
			upgrade: () => {
				throw new Error("a defect");
			},
		});
		const head = "GET /hook HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
		expect(await raw(gateway.port, head).answer).toBe("");
		expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
	});
});
