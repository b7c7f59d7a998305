import { expect } from "vitest";
import type { JsonObject } from "../../../src/call/json.js";
import type { Channel } from "../../../src/channel/channel.js";
import { pause } from "../../../src/clock.js";
import type { Backend } from "../../../src/engine/backend.js";
import type { ModelRequest } from "../../../src/model/model.js";
import type { FakePayload } from "../../../src/testing/fake-channel.js";
import { payloadText } from "../../../src/testing/fake-channel.js";
import { Gate, newestWords, type Stand } from "../stand.js";
import { type Scene, scenario } from "./scene.js";

const re = (request: ModelRequest) => `re: ${newestWords(request)}`;

/** Has people connected to the process, as the web chat has: what others send and show is shown here too. */
function connected(stand: Stand): { said: string[] } {
	const said: string[] = [];
	const channel: Channel = stand.channel;
	channel.said = (payload, { key }) => {
		said.push(`${key} ${payloadText(payload as unknown as FakePayload)}`);
	};
	return { said };
}

/** Two versions of an agent, of which the older has not the stage in which the newer begins its calls. */
const version = (stages: readonly string[]) => ({
	agent: { state: { stage: "paid" }, over: { knows: ({ stage }: JsonObject) => stages.includes(String(stage)) } },
	over: manyProcesses,
	model: re,
});
const newer = version(["greet", "paid"]);
const older = version(["greet"]);

/** The store in memory is one that other processes could use, too. */
function manyProcesses(backend: Backend): Backend {
	return new Proxy(backend, {
		get: (target, name: keyof Backend) => (name === "hold" ? (target.hold ?? (async () => true)) : target[name]),
	});
}

/** A call begun by the newer version goes on, with another message, where only the older one runs. */
async function afterRollback(scene: Scene) {
	const first = await scene.start(newer);
	const ana = first.person();
	await ana.says("hi");
	await scene.rest();
	const again = ana.message({ kind: "text", text: "again" });
	await scene.stop(first);
	const old = await scene.start(older);
	await old.channel.receive(again);
	return { ana, old };
}

/** Processes that each do a part of the work. */
export const roleScenarios = [
	scenario("a gateway only accepts, a worker only runs turns, a sender only sends", async (scene) => {
		const gateway = await scene.start({ roles: ["gateway"], model: re });
		const ana = gateway.person();
		await ana.says("hi");
		await scene.pass(3_000);
		expect((await scene.view(ana.address)).waiting).toHaveLength(1);
		const worker = await scene.start({ roles: ["worker"], model: re });
		await scene.until("the turn is committed", () => worker.told("turn.committed").length === 1);
		await scene.pass(3_000);
		expect((await scene.view(ana.address)).outbox).toMatchObject([{ status: "pending" }]);
		expect(worker.channel.attempts).toEqual([]);
		const sender = await scene.start({ roles: ["sender"], model: re });
		await scene.rest();
		expect(scene.heard("ana")).toEqual(["re: hi"]);
		expect(sender.channel.attempts).toHaveLength(1);
		expect(new Set(scene.asked(gateway))).toEqual(new Set(["accept"]));
		await scene.end();
	}),

	scenario(
		"G14: a call in a stage that only a newer version has is left in the queue until one comes",
		async (scene) => {
			const { ana, old } = await afterRollback(scene);
			await scene.until("it is handed on", () => old.told("turn.handed-on").length === 1);
			await scene.pass(3_000);
			expect(await scene.view(ana.address)).toMatchObject({
				record: { turns: 1, state: { stage: "paid" } },
				waiting: [{ type: "message" }],
				failures: 0,
			});
			expect(old.requests).toEqual([]);
			await scene.stop(old);
			await scene.start(newer);
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["re: hi", "re: again"]);
			await scene.end();
		},
	),

	scenario("G14: where no process has the stage any more the call goes on after half a minute", async (scene) => {
		const { old } = await afterRollback(scene);
		await scene.pass(29_000);
		expect(scene.heard("ana")).toEqual(["re: hi"]);
		await scene.pass(3_000);
		await scene.rest();
		expect(scene.heard("ana")).toEqual(["re: hi", "re: again"]);
		expect(old.told("turn.failed")).toEqual([]);
		await scene.end();
	}),

	scenario("only a gateway is told to receive; the others are told that they only send", async (scene) => {
		const gateway = await scene.start({ roles: ["gateway", "worker"] });
		const worker = await scene.start({ roles: ["worker", "sender"] });
		expect(gateway.channel.host.sendsOnly).toBeUndefined();
		expect(worker.channel.host.sendsOnly).toBe(true);
		await scene.end();
	}),

	scenario(
		"what is shown, said and ended in one process is seen by people connected to another, in order",
		async (scene) => {
			const gate = new Gate();
			const options = {
				agent: { tools: { bye: { end: true, run: () => "bye" } } },
				model: async (request: ModelRequest) => {
					if (newestWords(request) === "hi") await gate.pass();
					return newestWords(request) === "bye" ? ({ text: "goodbye", calls: [["bye"]] } as const) : re(request);
				},
			};
			const gateway = await scene.start({ ...options, roles: ["gateway"] });
			const worker = await scene.start({ ...options, roles: ["worker", "sender"] });
			const here = connected(gateway);
			const there = connected(worker);
			const ana = gateway.person();
			await ana.says("hi");
			await gate.reached;
			await scene.until("typing is seen", () => gateway.channel.shown.length > 0);
			gate.open();
			await scene.rest();
			await scene.until("it is seen", () => here.said.length === 1);
			expect(gateway.channel.shown.map(({ event }) => event.kind)).toEqual(["typing", "draft", "typing"]);
			expect(here.said).toEqual([expect.stringMatching(/\.1\.1\.0 re: hi$/)]);
			await ana.says("bye");
			await scene.rest();
			await scene.until("the end is seen", () => gateway.channel.ends.length === 1);
			expect(gateway.channel.ends).toEqual([{ address: ana.address, reason: "bye" }]);
			expect(there.said).toEqual([]);
			await scene.end();
		},
	),

	scenario(
		"nobody is told anything twice: neither by the process that sends, nor where nobody is connected",
		async (scene) => {
			const [one, two] = [await scene.start({ model: re }), await scene.start({ model: re })];
			const [here, there] = [connected(one), connected(two)];
			await one.person().says("hi");
			await scene.rest();
			await scene.until("the other one shows it", () => there.said.length === 1);
			expect(here.said).toEqual([]);
			const plain = await scene.start({ model: re, doors: ["plain"] });
			await plain.person().says("hi");
			await scene.rest();
			expect([here.said.length, there.said.length]).toEqual([0, 1]);
			expect(scene.heard("ana", "plain")).toEqual(["re: hi"]);
			await scene.end();
		},
	),

	scenario("a long draft is passed on a few times a second, its newest words always", async (scene) => {
		const pieces = Array.from({ length: 40 }, (_, n) => `${n} `);
		const gateway = await scene.start({ roles: ["gateway"] });
		const worker = await scene.start({
			roles: ["worker", "sender"],
			streaming: async (onText) => {
				for (const piece of pieces) {
					onText(piece);
					await pause(scene.clock, 20);
				}
			},
		});
		connected(gateway);
		connected(worker);
		await gateway.person().says("hi");
		await scene.rest(10_000, 20);
		const drafts = gateway.channel.shown.flatMap(({ event }) => (event.kind === "draft" ? [event.text] : []));
		expect(worker.channel.shown.filter(({ event }) => event.kind === "draft").length).toBeGreaterThan(39);
		expect(drafts.length).toBeGreaterThan(3);
		expect(drafts.length).toBeLessThan(15);
		expect(drafts).toEqual([...drafts].sort((a, b) => a.length - b.length));
		await scene.end();
	}),

	scenario(
		"the channel learns of an end only when all that was said has left, also from a sender that knows of no turn",
		async (scene) => {
			const options = {
				agent: {
					tools: {
						bye: {
							run: (_: unknown, { acts }: { acts: unknown[] }) => {
								acts.push({ act: "say", part: { kind: "text", text: "one" } });
								acts.push({ act: "say", part: { kind: "text", text: "two" } });
								acts.push({ act: "hangup", reason: "done", after: "now" });
							},
						},
					},
				},
				model: () => ({ calls: [["bye"]] }) as const,
			};
			const worker = await scene.start({ ...options, roles: ["gateway", "worker"] });
			await worker.person().says("hi");
			await scene.until("the turn is committed", () => worker.told("turn.committed").length === 1);
			expect(worker.channel.ends).toEqual([]);
			const sender = await scene.start({ ...options, roles: ["sender"] });
			sender.channel.answer({
				result: { outcome: "retry", afterMs: 2_000, scope: "chat", reason: "429" },
				delivers: false,
			});
			await scene.pass(1_000);
			expect(sender.channel.ends).toEqual([]);
			await scene.rest();
			expect(scene.heard("ana")).toEqual(["one", "two"]);
			expect(sender.channel.ends).toEqual([{ address: "fake|ana", reason: "done" }]);
			await scene.end();
		},
	),

	scenario(
		"work of a door that a process does not have is left to one that has it, without a word too many",
		async (scene) => {
			const other = await scene.start({ doors: ["other"], roles: ["worker", "sender"], model: re });
			const gateway = await scene.start({ roles: ["gateway"] });
			await gateway.person().says("hi");
			await scene.pass(10_000);
			expect(other.log.lines.filter(({ event }) => event === "door.unknown")).toHaveLength(1);
			expect(other.requests).toEqual([]);
			await scene.start({ roles: ["worker", "sender"], model: re });
			await scene.rest(400_000);
			expect(scene.heard("ana")).toEqual(["re: hi"]);
			await scene.end();
		},
	),
];
