import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { agenda } from "../../agents/clinica-norte/agenda.js";
import { terminal } from "../../channels/terminal/channel.js";
import { web } from "../../channels/web/channel.js";
import type { JsonObject } from "../../src/call/json.js";
import type { Part } from "../../src/call/part.js";
import type { Channel } from "../../src/channel/channel.js";
import { inMemory } from "../../src/engine/embedded/embedded.js";
import { createRuntime, type Runtime } from "../../src/engine/runtime.js";
import { loadScript } from "../../src/model/script-file.js";
import { ScriptedModel } from "../../src/model/scripted.js";
import { agentUnderTest } from "../../src/testing/agent-under-test.js";
import { assertGlobalProperties } from "../../src/testing/global-properties.js";
import { RecordingLog } from "../../src/testing/recording-log.js";
import { startTelegramServer, type TelegramServer } from "../../src/testing/telegram-server.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";
import { type ToolRun, watchedAgent } from "../../src/testing/watched-agent.js";
import { served } from "./stand.js";

const folder = join(import.meta.dirname, "../../agents/clinica-norte");
const HOUR = "10:30";
const LINES = ["Ana Ruiz, 600 111 222", "cardiology, tomorrow please", HOUR, "no thanks, bye"] as const;

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const close of open.splice(0).reverse()) await close();
	agenda.clear();
});

interface Told {
	tools: readonly unknown[];
	state: JsonObject;
	said: readonly Part[];
	ended: string | undefined;
}

/** The booking agent behind a door, on the real engine. */
async function clinic(channel: Channel) {
	agenda.clear();
	const clock = new VirtualClock();
	const log = new RecordingLog();
	const tools: ToolRun[] = [];
	const agent = watchedAgent(await agentUnderTest(join(folder, "agent.tsx")), { onRun: (run) => tools.push(run) });
	const model = new ScriptedModel(await loadScript(join(folder, "demo.yaml")), { clock, pace: 0 });
	let calls = 0;
	const runtime = createRuntime({
		backend: inMemory({ clock, log }),
		doors: [{ name: channel.name, channel, agent, model }],
		clock,
		log,
		newId: () => `call-${++calls}`,
	});
	const delivered: { address: string; key: string }[] = [];
	runtime.on("delivery.sent", ({ address, data }) => delivered.push({ address, key: String(data.row) }));
	await runtime.start();
	open.push(() => runtime.stop(0));
	const told = async (): Promise<Told> => {
		await runtime.idle();
		const [address = ""] = await runtime.backend.list({ limit: 10 });
		const { record, history } = await runtime.backend.view(address, { history: 1000 });
		return {
			tools: tools.map(({ tool, args, status, result }) => ({ tool, args, status, result })),
			state: record?.state ?? {},
			said: history.flatMap((entry) => (entry.role === "said" ? [entry.part] : [])),
			ended: record?.ended?.reason,
		};
	};
	return { runtime, told, log, clock, delivered };
}

/** Long enough that Telegram's pace of one message a second in a chat is kept. */
const READING_MS = 5_000;

async function atTheTerminal(): Promise<Told> {
	const channel = terminal({ input: new PassThrough(), output: new PassThrough(), say: LINES });
	const { told, clock } = await clinic(channel);
	let end: unknown;
	void channel.done.then((reached) => {
		end = reached;
	});
	while (end === undefined) await clock.advance(50);
	expect(end).toEqual({ reason: "said" });
	return told();
}

async function onTheWeb(): Promise<Told> {
	const channel = web({ secret: "a-secret-of-sixteen-letters" });
	const { runtime, told } = await clinic(channel);
	const ask = async (path: string, body: unknown, token?: string) => {
		const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
		const request = new Request(`http://127.0.0.1/chat/${path}`, {
			method: "POST",
			headers,
			body: JSON.stringify(body),
		});
		const response = await channel.routes.fetch(request, { ip: "127.0.0.1" });
		expect(response.status).toBe(200);
		return (await response.json()) as { token?: string };
	};
	const { token } = await ask("session", { cookie: false });
	const say = async (content: unknown) => {
		await ask("messages", { type: "message", id: crypto.randomUUID(), content }, token);
		await runtime.idle();
	};
	await say({ kind: "open" });
	for (const text of LINES) {
		await say(text === HOUR ? { kind: "choice", choice: "s2", text } : { kind: "text", text });
	}
	return told();
}

async function onTelegram(mode: "polling" | "webhook") {
	const server = await startTelegramServer();
	open.push(() => server.stop());
	const { channel, gateway } = await served(server, { mode });
	if (gateway !== undefined) open.push(() => gateway.stop(0));
	const { runtime, told, log, delivered, clock } = await clinic(channel);
	const ana = server.person({ id: 7001, name: "Ana" });
	await answered(server, runtime, () => ana.says("/start"));
	for (const text of LINES) {
		await clock.advance(READING_MS);
		await answered(server, runtime, () => (text === HOUR ? ana.taps(text) : ana.says(text)));
	}
	return { told: await told(), server, runtime, log, delivered };
}

/** Does something, and waits for all that is said to it. */
async function answered(server: TelegramServer, runtime: Runtime, act: () => unknown): Promise<void> {
	const before = server.texts(7001).length;
	act();
	await server.until(() => server.texts(7001).length > before);
	await runtime.idle();
}

describe("the booking of Clínica Norte", () => {
	it("is the same on terminal, web chat and Telegram, polled or posted: the same tools, state and words", async () => {
		const typed = await atTheTerminal();
		expect(typed.tools.map((run) => (run as ToolRun).tool)).toEqual(["findPatient", "freeSlots", "book", "goodbye"]);
		expect(typed.state).toMatchObject({ stage: "done", booking: { slot: { time: HOUR, day: "2026-03-03" } } });
		expect(typed.ended).toBeDefined();
		expect(await onTheWeb()).toEqual(typed);
		expect((await onTelegram("polling")).told).toEqual(typed);
		expect((await onTelegram("webhook")).told).toEqual(typed);
	});

	it("looks on Telegram as it should: a greeting, buttons, bold words, a goodbye, and nothing twice", async () => {
		const { server, runtime, log, delivered } = await onTelegram("polling");
		const seen = server.sees(7001).filter((message) => message.own);
		expect(seen.map(({ text }) => text)).toEqual([
			expect.stringContaining("this is Clínica Norte"),
			expect.stringContaining("Thank you, Ana Ruiz"),
			"Dr. Iborra has these hours on Tuesday 3 March. Which one suits you?",
			expect.stringContaining("It is booked: Tuesday, March 3 at 10:30 with Dr. Iborra"),
			"Thank you for writing to Clínica Norte. Take care!",
		]);
		expect(server.callsOf("sendMessage")).toHaveLength(seen.length);
		expect(seen[2]?.buttons).toEqual([["09:00", "10:30", "12:00"]]);
		expect(seen[3]?.entities).toContainEqual(expect.objectContaining({ type: "bold" }));
		await assertGlobalProperties(runtime.backend, { delivered, texts: [JSON.stringify(log.lines)] });
		expect(server.updates.waiting).toEqual([]);
		expect(server.callsOf("sendChatAction").length).toBeGreaterThan(0);
	});
});
