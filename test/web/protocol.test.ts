import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { connect as dial } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { WebOptions } from "../../channels/web/channel.js";
import { MAX_FRAME_BYTES } from "../../channels/web/protocol.js";
import { parseAddressKey } from "../../src/call/address.js";
import { CallboardError } from "../../src/errors.js";
import { RecordingLog } from "../../src/testing/recording-log.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import { ChatServer } from "./chat-server.js";
import { FakeHost } from "./fake-host.js";
import { Gate } from "./gate.js";
import { SocketClient } from "./socket-client.js";

let clock: VirtualClock;
let host: FakeHost;
let server: ChatServer;
let log: RecordingLog;

beforeEach(async () => {
	clock = new VirtualClock();
	log = new RecordingLog();
	host = new FakeHost(({ message, say }) => say({ kind: "text", text: `You said: ${message.content.text}` }), {
		clock,
		log,
	});
	server = await ChatServer.start(host, {}, log);
});
afterEach(async () => {
	await server.stop();
});

async function restart(options: WebOptions): Promise<void> {
	await server.stop();
	server = await ChatServer.start(host, options, log);
}

async function session(): Promise<string> {
	const response = await fetch(`${server.url}/chat/session`, {
		method: "POST",
		body: JSON.stringify({ cookie: false }),
	});
	return ((await response.json()) as { token: string }).token;
}

function connect(headers?: Record<string, string>): SocketClient {
	return new SocketClient(server.url, headers);
}

function text(words: string, id = randomUUID()) {
	return { type: "message" as const, id, content: { kind: "text" as const, text: words } };
}

describe("a message over the socket", () => {
	test("is acknowledged once it is stored, with who, where and when", async () => {
		const page = connect();
		await page.hello(await session());
		const message = text("Hello");
		page.send(message);
		expect(await page.next("ack")).toEqual({ type: "ack", id: message.id });
		const [taken] = host.accepted;
		const { door, chat } = parseAddressKey(taken?.address ?? "");
		expect(taken).toMatchObject({ id: message.id, contact: { id: `web:${chat}` }, sentAt: clock.now() });
		expect(door).toBe("web");
		const part = await page.next("part");
		expect(part.entry).toMatchObject({ id: "call-1.1.0.0", part: { kind: "text", text: "You said: Hello" } });
	});

	test("E4: sent again under its id is the same message; other words under it are a conflict", async () => {
		const page = connect();
		await page.hello(await session());
		const message = text("Hello");
		for (let n = 0; n < 3; n++) page.send(message);
		for (let n = 0; n < 3; n++) await page.next("ack");
		page.send(text("Something else", message.id));
		expect(await page.next("error")).toMatchObject({ code: "conflict", id: message.id });
		page.send({ type: "message", id: message.id, content: { kind: "choice", choice: "x", text: "Hello" } });
		expect(await page.next("error")).toMatchObject({ code: "conflict", id: message.id });
		await host.idle();
		expect(host.accepted).toHaveLength(1);
	});

	test("messages in a row keep their order", async () => {
		await restart({ rate: { perSession: 100, perIp: 100 } });
		const page = connect();
		await page.hello(await session());
		for (let n = 0; n < 30; n++) page.send(text(`${n}`));
		for (let n = 0; n < 30; n++) await page.next("ack");
		expect(host.accepted.map(({ content }) => content.text)).toEqual(Array.from({ length: 30 }, (_, n) => `${n}`));
	});

	test("I7: an address in it makes the server fetch nothing", async () => {
		let asked = 0;
		const inside = createServer((_request, response) => {
			asked++;
			response.end();
		});
		await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve));
		const { port } = inside.address() as { port: number };
		const page = connect();
		await page.hello(await session());
		const ref = `http://127.0.0.1:${port}/latest/meta-data`;
		page.send(
			JSON.stringify({ ...text(""), content: { kind: "media", media: [{ kind: "image", mime: "image/png", ref }] } }),
		);
		expect(await page.next("error")).toMatchObject({ code: "bad" });
		page.send(text(ref));
		await page.next("part");
		await server.stop();
		await new Promise((resolve) => inside.close(resolve));
		expect(asked).toBe(0);
	});
});

describe("a message that cannot be taken", () => {
	test("because it is too long is refused with its id", async () => {
		await restart({ maxCharacters: 20 });
		const page = connect();
		await page.hello(await session());
		const message = text("x".repeat(21));
		page.send(message);
		expect(await page.next("error")).toMatchObject({ code: "too_long", id: message.id });
		page.send(text("x".repeat(20)));
		await page.next("ack");
		expect(host.accepted).toHaveLength(1);
	});

	test("because there were too many in this minute says when it may come again, and then is taken", async () => {
		await restart({ rate: { perSession: 2 } });
		const token = await session();
		const page = connect();
		await page.hello(token);
		for (const words of ["1", "2"]) {
			page.send(text(words));
			await page.next("ack");
		}
		const third = text("3");
		page.send(third);
		expect(await page.next("error")).toMatchObject({ code: "rate", id: third.id, retryAfterMs: 60_000 });
		page.socket.close();
		await page.closed;
		await clock.advance(60_000);
		const again = connect();
		await again.hello(token);
		again.send(third);
		await again.next("ack");
		expect(host.accepted.map(({ content }) => content.text)).toEqual(["1", "2", "3"]);
	});

	test("because its address sent too many, whatever the session, is refused", async () => {
		await restart({ rate: { perSession: 10, perIp: 3 } });
		const pages = [connect(), connect()];
		for (const page of pages) await page.hello(await session());
		for (const [n, page] of [...pages, ...pages].entries()) {
			page.send(text(`${n}`));
			if (n < 3) await page.next("ack");
			else expect(await page.next("error")).toMatchObject({ code: "rate" });
		}
	});

	test("because too much waits is refused as busy, and kept by nobody", async () => {
		host.inbox = 1;
		const gate = new Gate();
		host.script = () => gate.passed;
		const page = connect();
		await page.hello(await session());
		page.send(text("1"));
		await page.next("ack");
		page.send(text("2"));
		expect(await page.next("error")).toMatchObject({ code: "busy", retryAfterMs: 5_000 });
		gate.open();
	});

	test("because the store is down is refused for now, over the socket and as 503", async () => {
		const token = await session();
		const page = connect();
		await page.hello(token);
		const down = () => new CallboardError("BACKEND_UNAVAILABLE", "platform", "the store cannot be reached");
		const message = text("Hello");
		host.failNext = down();
		page.send(message);
		expect(await page.next("error")).toMatchObject({ code: "unavailable", id: message.id });
		host.failNext = down();
		const post = () =>
			fetch(`${server.url}/chat/messages`, {
				method: "POST",
				headers: { authorization: `Bearer ${token}` },
				body: JSON.stringify(message),
			});
		const refused = await post();
		expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
		expect((await post()).status).toBe(200);
		expect(host.accepted).toHaveLength(1);
	});
});

describe("the history", () => {
	test("of a visitor who is new names an opening that all tabs share; of another visitor, another", async () => {
		const [one, two] = [await session(), await session()];
		const first = await connect().hello(one);
		expect(first).toMatchObject({ entries: [], waiting: [], typing: false, ended: false });
		expect((await connect().hello(one)).open).toBe(first.open);
		expect((await connect().hello(two)).open).not.toBe(first.open);
	});

	test("holds what was said, what waits, and the answer in the making", async () => {
		const token = await session();
		const page = connect();
		await page.hello(token);
		page.send(text("One"));
		await page.next("part");
		const gate = new Gate();
		host.script = async ({ draft }) => {
			draft("Half an answ");
			await gate.passed;
		};
		page.send(text("Two"));
		await page.next("draft");
		const history = await connect().hello(token);
		expect(history.entries.map((entry) => entry.from)).toEqual(["visitor", "agent"]);
		expect(history.waiting).toMatchObject([{ from: "visitor", text: "Two" }]);
		expect(history).toMatchObject({ typing: true, draft: { turn: "call-1.2", text: "Half an answ" } });
		expect(history).not.toHaveProperty("open");
		gate.open();
	});

	test("after a reconnect holds only what came after the newest part the page has", async () => {
		const token = await session();
		const page = connect();
		await page.hello(token);
		const ids: string[] = [];
		for (const words of ["One", "Two", "Three"]) {
			page.send(text(words));
			ids.push((await page.next("part")).entry.id);
		}
		const later = await connect().hello(token, ids[1]);
		expect(later.since).toBe(ids[1]);
		expect(later.entries.map(({ id }) => id).at(-1)).toBe(ids[2]);
		expect(later.entries).toHaveLength(2);
		const unknown = await connect().hello(token, "of-another-call.1.0.0");
		expect(unknown.entries).toHaveLength(6);
		expect(unknown).not.toHaveProperty("since");
	});

	test("of one visitor is never another's, however a token is bent", async () => {
		const token = await session();
		const page = connect();
		await page.hello(token);
		page.send(text("A secret of mine"));
		await page.next("part");
		const [body = "", signature] = token.split(".");
		const claims = JSON.parse(Buffer.from(body, "base64url").toString());
		const bend = (change: object) =>
			`${Buffer.from(JSON.stringify({ ...claims, ...change })).toString("base64url")}.${signature}`;
		for (const forged of [bend({ v: "another" }), bend({ e: claims.e + 1 }), bend({}).replace(/\..*/, "."), body]) {
			const stranger = connect();
			await stranger.opened();
			stranger.send({ type: "hello", token: forged });
			expect(await stranger.closed).toBe(4401);
			expect(stranger.frames).toMatchObject([{ type: "error", code: "session" }]);
		}
	});
});

describe("a socket", () => {
	test.each([
		["no origin", { origin: "" }],
		["another site", { origin: "https://evil.example" }],
		["a look-alike", { origin: "http://127.0.0.1.evil.example" }],
	])("from %s is refused before it opens", async (_name, headers) => {
		expect(await connect(headers).opened()).toBe(403);
	});

	test("that says nothing is closed, and one that said hello is not", async () => {
		const silent = connect();
		await silent.opened();
		const page = connect();
		await page.hello(await session());
		await clock.advance(10_000);
		expect(await silent.closed).toBe(4401);
		page.send({ type: "ping" });
		await page.next("pong");
	});

	test("whose session has run out meanwhile may say nothing more", async () => {
		await restart({ sessionDays: 1 });
		const late = new FakeHost(host.script, { clock: new VirtualClock(clock.now() + 25 * 60 * 60 * 1000) });
		const token = await session();
		const page = connect();
		await page.hello(token);
		page.socket.close();
		await page.closed;
		await server.stop();
		server = await ChatServer.start(late, { sessionDays: 1 });
		const again = connect();
		await again.opened();
		again.send({ type: "hello", token });
		expect(await again.closed).toBe(4401);
	});

	test("that speaks before it says hello, or no known frame, is told so and stays", async () => {
		const page = connect();
		await page.opened();
		page.send(text("Hello"));
		expect(await page.next("error")).toMatchObject({ code: "bad" });
		await page.hello(await session());
		for (const junk of ["", "[]", '{"type":"admin"}']) {
			page.send(junk);
			expect(await page.next("error")).toMatchObject({ code: "bad" });
		}
		page.send({ type: "ping" });
		await page.next("pong");
		expect(host.accepted).toEqual([]);
	});

	test("with a frame that is too large is closed", async () => {
		const page = connect();
		await page.hello(await session());
		page.send("x".repeat(MAX_FRAME_BYTES + 1));
		expect(await page.closed).toBe(1009);
	});

	test("whose other end is gone is given up at the second ping", async () => {
		const token = await session();
		const page = connect();
		await page.hello(token);
		page.socket.pause();
		const gone = page.closed;
		await clock.advance(30_000);
		page.socket.resume();
		expect(await gone).toBe(1006);
	});

	test("that does not read is cut off instead of filling the memory", async () => {
		const token = await session();
		const page = connect();
		await page.hello(token);
		page.send(text("Hello"));
		await page.next("part");
		page.socket.pause();
		const [address = ""] = [...host.calls.keys()];
		for (let n = 0; n < 1_400; n++) await host.say(address, { kind: "text", text: "x".repeat(7_900) });
		page.socket.resume();
		expect(await page.closed).toBe(1006);
	});

	test("is told 1001 when the server goes away, so that the page comes back", async () => {
		const page = connect();
		await page.hello(await session());
		await server.stop();
		expect(await page.closed).toBe(1001);
	});

	test("on a path that is no socket gets a plain answer", async () => {
		const status = await new Promise<string>((resolve) => {
			const socket = dial(server.port, "127.0.0.1", () => {
				socket.write("GET /chat/history HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
			});
			socket.once("data", (data) => {
				resolve(String(data).split("\r\n")[0] ?? "");
				socket.destroy();
			});
		});
		expect(status).toBe("HTTP/1.1 404 Not Found");
	});
});

test("no log line holds a token, a secret or a visitor's words", async () => {
	const token = await session();
	const page = connect();
	await page.hello(token);
	page.send(text("words of a visitor"));
	await page.next("part");
	await fetch(`${server.url}/chat/history`, { headers: { authorization: `Bearer ${token}` } });
	const lines = JSON.stringify(log.lines);
	expect(log.lines.length).toBeGreaterThan(0);
	for (const hidden of [token, token.split(".")[1] ?? "", "a secret of the tests", "words of a visitor"]) {
		expect(lines).not.toContain(hidden);
	}
});
