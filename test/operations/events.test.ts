import { afterEach, expect, test } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { BackendDesk } from "../../src/engine/backend-desk.js";
import { type Gateway, startGateway } from "../../src/gateway/gateway.js";
import { RecordingLog } from "../../src/testing/recording-log.js";
import { type Stand, stand } from "../engine/stand.js";

const token = "an-admin-token-of-32-characters-!";
const running: Gateway[] = [];
afterEach(async () => {
	for (const gateway of running.splice(0)) await gateway.stop(0);
});

const events = { paid: { from: ["app"] }, seen: { from: ["participant"] } } as const;

/** Ana has a call; her agent thanks for every payment. */
async function paying() {
	const heard: unknown[] = [];
	const engine = await stand({
		agent: {
			onEvent: {
				paid: (data, { acts }) => {
					heard.push(data);
					acts.push({ act: "say", part: { kind: "text", text: "Thank you!" } });
				},
			},
		},
	});
	const ana = engine.person();
	await ana.says("hello");
	await engine.settle();
	return { engine, ana, heard, desk: deskOf(engine) };
}

function deskOf({ backend, clock, channel }: Stand): BackendDesk {
	return new BackendDesk({ backend, clock, render: async (_, part) => channel.render(part), events: () => events });
}

async function post(desk: BackendDesk) {
	const admin = {
		token,
		metrics: async () => ({ type: "text/plain", text: "" }),
		queues: [],
		event: desk.event.bind(desk),
	};
	const gateway = await startGateway({ port: 0, channels: [], log: new RecordingLog(), admin });
	running.push(gateway);
	return async (body: unknown, headers: Record<string, string> = {}) => {
		const answer = await fetch(`${gateway.url}/events`, {
			method: "POST",
			headers: { authorization: `Bearer ${token}`, "idempotency-key": "k1", ...headers },
			body: typeof body === "string" ? body : JSON.stringify(body),
		});
		return { status: answer.status, body: (await answer.json()) as Record<string, string> };
	};
}

test("an event of the application reaches onEvent as app, in its turn, and what that says reaches the person", async () => {
	const { engine, ana, heard, desk } = await paying();
	const order = { call: ana.address, name: "paid", data: { order: 17 }, key: "k1" };
	expect(await desk.event(order)).toMatchObject({ done: true, address: ana.address });
	expect(await desk.event(order)).toMatchObject({ done: false, says: "it came in before under this key" });
	await engine.settle();
	expect(heard).toEqual([{ order: 17 }]);
	expect(ana.heard).toEqual(["re: hello", "Thank you!"]);
	expect(await desk.event(order)).toMatchObject({ done: false });
	await engine.settle();
	expect(heard).toHaveLength(1);
	await engine.end();
});

test("what no agent would take is refused at once: an unknown call, an undeclared event, a name or data too long", async () => {
	const { engine, ana, heard, desk } = await paying();
	const order = { call: ana.address, name: "paid", data: null, key: "k" };
	const refusals: [object, string][] = [
		[{ call: "fake|nobody" }, "UNKNOWN_CALL"],
		[{ name: "seen" }, "EVENT_UNDECLARED"],
		[{ name: "toString" }, "EVENT_UNDECLARED"],
		[{ name: " " }, "BAD_EVENT_NAME"],
		[{ data: "x".repeat(70_000) }, "EVENT_TOO_LARGE"],
		[{ data: JSON.parse('{"__proto__": 1}') }, "NOT_SERIALISABLE"],
	];
	for (const [change, code] of refusals)
		await expect(desk.event({ ...order, ...change })).rejects.toMatchObject({ code });
	await engine.settle();
	expect(heard).toEqual([]);
	await engine.end();
});

test("an event for a call whose inbox is full is refused, and taken under the same key once there is room", async () => {
	const { engine, ana, heard } = await paying();
	let room = 0;
	const backend: Backend = Object.assign(Object.create(engine.backend), {
		view: engine.backend.view.bind(engine.backend),
		accept: (...[item, limits]: Parameters<Backend["accept"]>) =>
			engine.backend.accept(item, { ...limits, inbox: Math.min(limits.inbox, room) }),
	});
	const desk = new BackendDesk({ backend, clock: engine.clock, render: async () => [] });
	const order = { call: ana.address, name: "paid", data: null, key: "k" };
	await expect(desk.event(order)).rejects.toMatchObject({ code: "INBOX_FULL" });
	room = 1;
	expect(await desk.event(order)).toMatchObject({ done: true });
	await engine.settle();
	expect(heard).toEqual([null]);
	await engine.end();
});

test("E4: the same Idempotency-Key twice is one event; with another body it is refused with 409", async () => {
	const { engine, ana, heard, desk } = await paying();
	const send = await post(desk);
	const body = { address: ana.address, name: "paid", data: { order: 17 } };
	expect(await send(body)).toEqual({ status: 202, body: { outcome: "accepted", address: ana.address } });
	expect(await send(body)).toMatchObject({ status: 200, body: { outcome: "duplicate" } });
	await engine.settle();
	expect(await send(body)).toMatchObject({ status: 200, body: { outcome: "duplicate" } });
	for (let again = 0; again < 2; again += 1) {
		expect(await send({ ...body, data: { order: 18 } })).toMatchObject({ status: 409, body: { error: "KEY_REUSED" } });
	}
	expect(await send({ ...body, data: { order: 18 } }, { "idempotency-key": "k2" })).toMatchObject({ status: 202 });
	await engine.settle();
	expect(heard).toEqual([{ order: 17 }, { order: 18 }]);
	await engine.end();
});

test("POST /events takes the token alone, and says what is wrong with a body", async () => {
	const { engine, ana, heard, desk } = await paying();
	const [line] = await desk.calls({ limit: 1 });
	const send = await post(desk);
	const body = { call: line?.call, name: "paid" };
	expect((await send(body, { authorization: "Bearer wrong" })).status).toBe(401);
	expect((await send(body, { authorization: "", cookie: "callboard-admin=1.x" })).status).toBe(401);
	expect(await send(body, { "idempotency-key": "" })).toMatchObject({
		status: 400,
		body: { error: "NO_IDEMPOTENCY_KEY" },
	});
	const wrong: [unknown, string][] = [
		["{", "the body is no JSON"],
		["[]", "the body must be a JSON object"],
		[{ name: "paid" }, "the body must have either address or call"],
		[{ ...body, address: ana.address }, "the body must have either address or call"],
		[{ address: "ana", name: "paid" }, 'an address looks like "web|…": door, a bar, chat'],
		[{ call: 7, name: "paid" }, "address or call must be a text"],
		[{ call: "x" }, "name must be a text"],
		[{ ...body, nmae: 1 }, 'the body has a member nobody knows: "nmae"'],
	];
	for (const [given, message] of wrong) expect(await send(given)).toMatchObject({ status: 400, body: { message } });
	expect((await send({ address: "fake|nobody", name: "paid" })).status).toBe(404);
	const undeclared = await send({ ...body, name: "seen" });
	expect([undeclared.status, undeclared.body.next]).toEqual([422, expect.stringMatching(/^it takes paid; declare it/)]);
	expect((await send(body)).status).toBe(202);
	await engine.settle();
	expect(heard).toEqual([null]);
	await engine.end();
});
