import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { OutgoingEvents } from "../../channels/web/client/outgoing-events.js";
import { readClientFrame } from "../../channels/web/client-frame.js";
import { RecordingLog } from "../../src/testing/recording-log.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import { ChatServer } from "./chat-server.js";
import { EventHost } from "./event-host.js";
import { SocketClient } from "./socket-client.js";

let host: EventHost;
let server: ChatServer;
beforeEach(async () => {
	const log = new RecordingLog();
	host = new EventHost(() => undefined, { clock: new VirtualClock(), log });
	server = await ChatServer.start(host, { rate: { perSession: 3, perIp: 60 }, maxCharacters: 50 }, log);
});
afterEach(() => server.stop());

async function session(): Promise<string> {
	const response = await fetch(`${server.url}/chat/session`, { method: "POST", body: '{"cookie":false}' });
	return ((await response.json()) as { token: string }).token;
}

const cart = (data: unknown = { items: 3 }, name = "cart") =>
	({ type: "event", id: randomUUID(), name, data }) as { type: "event"; id: string; name: string; data: null };

describe("an event of the page", () => {
	test("is acknowledged once it is stored, and counts and is bounded like a message", async () => {
		const page = new SocketClient(server.url);
		await page.hello(await session());
		const event = cart();
		page.send(event);
		expect(await page.next("ack")).toEqual({ type: "ack", id: event.id });
		expect(host.fired).toMatchObject([{ type: "event", id: event.id, name: "cart", data: { items: 3 } }]);
		page.send(cart("x".repeat(60)));
		expect(await page.next("error")).toMatchObject({ code: "too_long" });
		page.send(cart({}, "root"));
		expect(await page.next("error")).toMatchObject({
			code: "undeclared",
			message: "no event of that name; declare it",
		});
		page.send(cart());
		await page.next("ack");
		page.send(cart());
		expect(await page.next("error")).toMatchObject({ code: "rate" });
		expect(host.fired).toHaveLength(2);
	});

	test("goes by POST too, which answers with its status", async () => {
		const headers = { authorization: `Bearer ${await session()}` };
		const post = async (frame: object) =>
			(await fetch(`${server.url}/chat/messages`, { method: "POST", headers, body: JSON.stringify(frame) })).status;
		expect(await post(cart())).toBe(200);
		expect(await post(cart({}, "root"))).toBe(422);
		expect(await post({ ...cart(), id: "1" })).toBe(400);
	});

	test("is no frame when it is too deep, has no name, or a member that would change what it is", () => {
		const frame = (data: string, name = "cart") =>
			readClientFrame(`{"type":"event","id":"${randomUUID()}","name":${JSON.stringify(name)},"data":${data}}`);
		expect(frame(`${"[".repeat(32)}${"]".repeat(32)}`)).toMatchObject({ type: "event" });
		expect(frame(`${"[".repeat(33)}${"]".repeat(33)}`)).toBeUndefined();
		expect(frame(`${"[".repeat(9_000)}${"]".repeat(9_000)}`)).toBeUndefined();
		expect(frame('{"a":{"__proto__":1}}')).toBeUndefined();
		expect(frame("1", "")).toBeUndefined();
		expect(frame("1", "x".repeat(201))).toBeUndefined();
	});
});

describe("what the page has fired", () => {
	test("waits until it is stored, through what may go again, and tells how it ended", async () => {
		const outgoing = new OutgoingEvents(20);
		const [stored, refused] = [outgoing.add("1", "cart", { n: 1 }), outgoing.add("2", "root", null)];
		expect(outgoing.unsent.map(({ id }) => id)).toEqual(["1", "2"]);
		outgoing.settle({ type: "error", id: "1", code: "busy", message: "later", retryAfterMs: 5_000 });
		expect(outgoing.unsent).toHaveLength(2);
		outgoing.settle({ type: "ack", id: "1" });
		outgoing.settle({ type: "error", id: "2", code: "undeclared", message: "no such event" });
		await expect(stored).resolves.toBeUndefined();
		await expect(refused).rejects.toThrow("callboard: no such event");
		await expect(outgoing.add("3", "cart", "x".repeat(30))).rejects.toThrow("at most 20 characters");
		const bad = outgoing.add("4", "x".repeat(300), null);
		outgoing.settle({ type: "error", id: "4", code: "bad", message: "this is not a known frame" });
		await expect(bad).rejects.toThrow("not a known frame");
		expect(outgoing.unsent).toEqual([]);
		await expect(outgoing.add("5", "cart", (() => 0) as unknown as null)).rejects.toThrow("must be plain data");
		const waiting = outgoing.add("6", "cart", null);
		outgoing.refuse("not here");
		await expect(waiting).rejects.toThrow("callboard: not here");
		await expect(outgoing.add("7", "cart", null)).rejects.toThrow("callboard: not here");
		expect(outgoing.unsent).toEqual([]);
	});
});
