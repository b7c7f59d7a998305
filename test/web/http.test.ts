import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { WebOptions } from "../../channels/web/channel.js";
import { web } from "../../channels/web/channel.js";
import { MAX_FRAME_BYTES, type ServerFrame } from "../../channels/web/protocol.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import { FakeHost } from "./fake-host.js";
import { Gate } from "./gate.js";

const SITE = "https://shop.example";
const HERE = "https://chat.example";

let clock: VirtualClock;
let host: FakeHost;
let channel: ReturnType<typeof web>;

beforeEach(async () => {
	clock = new VirtualClock();
	host = new FakeHost(({ message, say }) => say({ kind: "text", text: `You said: ${message.content.text}` }), {
		clock,
	});
	await open({ allowedOrigins: [SITE] });
});
afterEach(async () => {
	await channel.stop();
});

async function open(options: WebOptions): Promise<void> {
	await channel?.stop();
	channel = web({ secret: "a secret of the tests alone", ...options });
	host.channel = channel;
	await channel.start(host);
}

function ask(path: string, init: RequestInit = {}, ip = "203.0.113.9"): Promise<Response> {
	return channel.routes.fetch(new Request(`${HERE}${path}`, init), { ip });
}

async function tokenOf(init: RequestInit = {}): Promise<string> {
	const response = await ask("/chat/session", { method: "POST", headers: { origin: SITE }, ...init });
	return ((await response.json()) as { token: string }).token;
}

function say(token: string, words: string, id: string = randomUUID()): Promise<Response> {
	const body = JSON.stringify({ type: "message", id, content: { kind: "text", text: words } });
	return ask("/chat/messages", { method: "POST", headers: { authorization: `Bearer ${token}`, origin: SITE }, body });
}

/** Reads server-sent events as they come. */
function events(response: Response) {
	const reader = response.body?.getReader();
	const decoder = new TextDecoder();
	let rest = "";
	return {
		async next(): Promise<{ id?: string; frame?: ServerFrame; comment?: string } | "end"> {
			while (!rest.includes("\n\n")) {
				const chunk = await reader?.read();
				if (chunk === undefined || chunk.done) return "end";
				rest += decoder.decode(chunk.value, { stream: true });
			}
			const [event = "", ...later] = rest.split("\n\n");
			rest = later.join("\n\n");
			const line = (name: string) =>
				event
					.split("\n")
					.find((each) => each.startsWith(name))
					?.slice(name.length);
			const [id, data, comment] = [line("id: "), line("data: "), line(": ")];
			return {
				...(id === undefined ? {} : { id }),
				...(data === undefined ? {} : { frame: JSON.parse(data) as ServerFrame }),
				...(comment === undefined ? {} : { comment }),
			};
		},
		async until(type: ServerFrame["type"]) {
			for (;;) {
				const event = await this.next();
				if (event === "end") throw new Error(`ended before ${type}`);
				if (event.frame?.type === type) return event;
			}
		},
		close: () => reader?.cancel(),
	};
}

describe("events and posts", () => {
	test("carry the conversation: history first, drafts, and each part under its own id", async () => {
		const token = await tokenOf();
		const stream = events(await ask("/chat/events", { headers: { authorization: `Bearer ${token}`, origin: SITE } }));
		expect((await stream.next()) as object).toMatchObject({ frame: { type: "history", entries: [] } });
		const gate = new Gate();
		host.script = async ({ draft, say: answer }) => {
			draft("Half");
			await gate.passed;
			answer({ kind: "text", text: "Half and half" });
		};
		expect((await say(token, "Hello")).status).toBe(200);
		expect((await stream.until("draft")).frame).toMatchObject({ text: "Half" });
		gate.open();
		expect(await stream.until("part")).toMatchObject({ id: "call-1.1.0.0", frame: { ends: "call-1.1" } });
		await stream.close();
	});

	test("go on after Last-Event-ID without loss or repeats", async () => {
		const token = await tokenOf();
		const headers = { authorization: `Bearer ${token}`, origin: SITE };
		await say(token, "One");
		await say(token, "Two");
		await host.idle();
		const stream = events(await ask("/chat/events", { headers: { ...headers, "last-event-id": "call-1.1.0.0" } }));
		const first = await stream.next();
		expect(first).toMatchObject({ id: "call-1.2.0.0", frame: { type: "history", since: "call-1.1.0.0" } });
		expect((first as { frame: { entries: unknown[] } }).frame.entries).toHaveLength(2);
		await stream.close();
	});

	test("beat every 15 s, so that no proxy takes the line for dead", async () => {
		const token = await tokenOf();
		const stream = events(await ask("/chat/events", { headers: { authorization: `Bearer ${token}` } }));
		await stream.next();
		await clock.advance(31_000);
		expect([await stream.next(), await stream.next()]).toEqual([{ comment: "still here" }, { comment: "still here" }]);
		await stream.close();
		await clock.settle();
		expect(clock.pending).toBe(0);
	});

	test("end when the channel stops, and for a reader that does not keep up", async () => {
		const token = await tokenOf();
		const get = () => ask("/chat/events", { headers: { authorization: `Bearer ${token}` } });
		const [stopped, slow] = [events(await get()), events(await get())];
		await stopped.next();
		await say(token, "Hello");
		await host.idle();
		const [address = ""] = [...host.calls.keys()];
		for (let n = 0; n < 400; n++) await host.say(address, { kind: "text", text: "x".repeat(7_900) });
		let seen = 0;
		while ((await slow.next()) !== "end") seen++;
		expect(seen).toBeLessThan(200);
		await channel.stop();
		while ((await stopped.next()) !== "end");
	});
});

describe("the session", () => {
	test("of our own page is a cookie that the page's scripts never see, and the same visitor comes back with it", async () => {
		const first = await ask("/chat/session", { method: "POST", headers: { origin: HERE } });
		expect(Object.keys((await first.json()) as object).sort()).toEqual(["expiresAt", "fresh"]);
		const cookie = (first.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
		const again = await ask("/chat/session", { method: "POST", headers: { origin: HERE, cookie } });
		expect(await again.json()).toMatchObject({ fresh: false });
		const posted = await ask("/chat/messages", {
			method: "POST",
			headers: { origin: HERE, cookie },
			body: JSON.stringify({ type: "message", id: randomUUID(), content: { kind: "text", text: "Hello" } }),
		});
		expect(posted.status).toBe(200);
	});

	test("of another site is a token, which the cookie of our page does not replace", async () => {
		const own = await ask("/chat/session", { method: "POST", headers: { origin: HERE } });
		const cookie = (own.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
		const foreign = await ask("/chat/session", { method: "POST", headers: { origin: SITE, cookie } });
		expect(foreign.headers.get("set-cookie")).toBeNull();
		expect(await foreign.json()).toMatchObject({ fresh: true, token: expect.any(String) });
		expect((await ask("/chat/history", { headers: { origin: SITE, cookie } })).status).toBe(401);
	});

	test("that was forged or is over is replaced by a new visitor's, and opens nothing", async () => {
		const forged = { origin: SITE, authorization: "Bearer forged.token" };
		for (const path of ["/chat/history", "/chat/events"])
			expect((await ask(path, { headers: forged })).status).toBe(401);
		expect((await say("forged.token", "Hello")).status).toBe(401);
		const fresh = await ask("/chat/session", {
			method: "POST",
			headers: { origin: SITE },
			body: '{"token":"forged.token"}',
		});
		expect(await fresh.json()).toMatchObject({ fresh: true });
	});

	test("new ones are given to one address so many times a minute", async () => {
		await open({ rate: { perIp: 2 } });
		const statuses = [];
		for (let n = 0; n < 3; n++) statuses.push((await ask("/chat/session", { method: "POST" })).status);
		expect(statuses).toEqual([200, 200, 429]);
		expect((await ask("/chat/session", { method: "POST" }, "203.0.113.10")).status).toBe(200);
	});
});

describe("who may call", () => {
	test("a listed site may, and may read the answer; any other learns only that it may not", async () => {
		const allowed = await ask("/chat/session", { method: "POST", headers: { origin: SITE } });
		expect(allowed.headers.get("access-control-allow-origin")).toBe(SITE);
		expect(allowed.headers.get("access-control-allow-credentials")).toBeNull();
		for (const path of ["session", "messages", "history", "events"]) {
			const method = path === "session" || path === "messages" ? "POST" : "GET";
			const refused = await ask(`/chat/${path}`, { method, headers: { origin: "https://evil.example" } });
			expect([path, refused.status]).toEqual([path, 403]);
			expect(await refused.json()).toMatchObject({ code: "origin" });
			expect(refused.headers.get("set-cookie")).toBeNull();
		}
	});

	test("a browser is told before it asks which headers it may send", async () => {
		const told = await ask("/chat/events", { method: "OPTIONS", headers: { origin: SITE } });
		expect(told.status).toBe(204);
		expect(told.headers.get("access-control-allow-headers")).toContain("last-event-id");
	});

	test("what is too large, no message, or by the wrong method is refused", async () => {
		const token = await tokenOf();
		const post = (body: string) =>
			ask("/chat/messages", { method: "POST", headers: { authorization: `Bearer ${token}` }, body });
		expect((await post("x".repeat(MAX_FRAME_BYTES + 1))).status).toBe(413);
		expect((await post("{}")).status).toBe(400);
		expect((await post('{"type":"hello"}')).status).toBe(400);
		expect((await ask("/chat/messages")).status).toBe(405);
		expect((await ask("/chat/socket")).status).toBe(426);
		expect((await ask("/chat/nothing")).status).toBe(404);
		expect(host.accepted).toEqual([]);
	});
});

describe("what a browser loads", () => {
	test("the page runs only its own scripts and cannot be framed", async () => {
		const page = await ask("/");
		const policy = page.headers.get("content-security-policy") ?? "";
		expect(policy).toContain("script-src 'self';");
		expect(policy).toContain("frame-ancestors 'none'");
		expect(await page.text()).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
	});

	test("a title stays text in it", async () => {
		await open({ title: '<img src=x onerror="alert(1)">' });
		expect(await (await ask("/")).text()).not.toContain("<img");
	});

	test("the widget may be loaded by any site, and the page can be left out", async () => {
		expect((await ask("/chat/widget.js")).headers.get("cross-origin-resource-policy")).toBe("cross-origin");
		await open({ page: false });
		expect(channel.routes.paths).toEqual(["/chat"]);
	});

	test("a channel that is not running answers 503", async () => {
		await channel.stop();
		expect((await ask("/chat/history")).status).toBe(503);
	});
});
