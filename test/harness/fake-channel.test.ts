import { describe, expect, it } from "vitest";
import { addressKey } from "../../src/call/address.js";
import { channelContract } from "../../src/testing/channel-contract.js";
import { FakeChannel, type FakePayload, payloadText } from "../../src/testing/fake-channel.js";
import { FakePerson } from "../../src/testing/fake-person.js";
import { platformAnswers } from "../../src/testing/platform-answers.js";
import { RecordingHost } from "../../src/testing/recording-host.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

for (const capabilities of [
	{},
	{ text: { max: 200, unit: "bytes" as const, markup: "plain" as const } },
	{ choices: { buttons: 0, rows: 0, labelMax: 20, idMaxBytes: 64 } },
]) {
	channelContract({
		name: `fake ${JSON.stringify(capabilities)}`,
		describe,
		it,
		make() {
			const channel = new FakeChannel({ capabilities, clock: new VirtualClock() });
			return {
				channel,
				textOf: (payload) => payloadText(payload as unknown as FakePayload),
				choicesOf: (payload) => {
					const shown = payload as unknown as FakePayload;
					return shown.kind === "choices" ? shown.choices : [];
				},
				seen: (chat) =>
					channel.delivered
						.filter((each) => each.address === addressKey({ door: "door", chat }))
						.map((each) => payloadText(each.payload)),
				async inbound({ id, chat, text }) {
					const address = addressKey({ door: "door", chat });
					const contact = { id: `fake:${chat}` };
					const content = { kind: "text", text } as const;
					return channel.receive({ type: "message", id, address, contact, content, sentAt: 0 }).then(
						() => "acknowledged",
						() => "refused",
					);
				},
				async own() {},
				fail(how) {
					channel.answer(
						{
							"rate-limited": platformAnswers.tooMany(3000),
							"server-error": platformAnswers.brokenServer(),
							refused: platformAnswers.refused(),
							"connection-reset": platformAnswers.acceptedThenReset(),
						}[how],
					);
				},
			};
		},
	});
}

async function line(clock = new VirtualClock()) {
	const channel = new FakeChannel({ clock });
	const host = new RecordingHost({ door: "door", clock });
	await channel.start(host);
	return { channel, host, clock, ana: new FakePerson(channel) };
}

const delivery = (address: string, key: string) => ({ address, key, signal: new AbortController().signal });

describe("fake channel", () => {
	it("J: delivers nothing when it says retry or failed, and delivers once when the answer got lost", async () => {
		const { channel, ana } = await line();
		channel.answer(platformAnswers.tooMany(5), platformAnswers.blocked(), platformAnswers.acceptedThenReset());
		const outcomes = [];
		for (const key of ["a.0", "b.0", "c.0", "d.0"]) {
			outcomes.push((await channel.send({ kind: "text", text: key }, delivery(ana.address, key))).outcome);
		}
		expect(outcomes).toEqual(["retry", "failed", "ambiguous", "sent"]);
		expect(ana.heard).toEqual(["c.0", "d.0"]);
	});

	it("finds out what became of a send whose answer was lost", async () => {
		const { channel, ana } = await line();
		channel.answer(platformAnswers.acceptedThenReset(), platformAnswers.lostThenReset());
		const payload = { kind: "text", text: "hi" };
		await channel.send(payload, delivery(ana.address, "a.0"));
		await channel.send(payload, delivery(ana.address, "b.0"));
		expect((await channel.reconcile(payload, delivery(ana.address, "a.0"))).outcome).toBe("sent");
		expect((await channel.reconcile(payload, delivery(ana.address, "b.0"))).outcome).toBe("retry");
	});

	it("answers late on the clock, not in real time", async () => {
		const { channel, clock, ana } = await line();
		channel.answer(platformAnswers.late(30_000));
		const sent = channel.send({ kind: "text", text: "hi" }, delivery(ana.address, "a.0"));
		await clock.advance(29_999);
		expect(ana.heard).toEqual([]);
		await clock.advance(1);
		expect(ana.heard).toEqual(["hi"]);
		expect((await sent).outcome).toBe("sent");
	});

	it("J: hands items over repeated, shuffled by a seed, in batches, with time between them", async () => {
		const { channel, host, clock, ana } = await line();
		const messages = ["1", "2", "3", "4"].map((text) => ana.message({ kind: "text", text }));
		const plan = { times: 2, order: "shuffled", batch: 3, everyMs: 500, seed: 7 } as const;
		const done = channel.replay(messages, plan);
		await clock.advance(1000);
		const outcomes = await done;
		expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
			...Array(4).fill("accepted"),
			...Array(4).fill("duplicate"),
		]);
		const order = host.received.map((each) => each.type === "message" && each.id);
		expect(order).not.toEqual(order.toSorted());
		const again = await line();
		const repeated = again.channel.replay(messages, plan);
		await again.clock.advance(1000);
		await repeated;
		expect(again.host.received.map((each) => each.type === "message" && each.id)).toEqual(order);
	});
});

describe("fake person", () => {
	it("waits for what comes next by events", async () => {
		const { channel, ana } = await line();
		const waiting = ana.next(2);
		for (const key of ["a.0", "b.0", "c.0"])
			await channel.send({ kind: "text", text: key }, delivery(ana.address, key));
		expect((await waiting).map((each) => each.key)).toEqual(["a.0", "b.0"]);
		expect((await ana.next()).map((each) => each.key)).toEqual(["c.0"]);
		expect(ana.rest()).toEqual([]);
	});

	it("taps what is offered, by label or id, and nothing else", async () => {
		const { channel, host, ana } = await line();
		const part = { kind: "choices", text: "Which?", choices: [{ id: "mon", label: "Monday" }] } as const;
		for (const payload of channel.render(part)) await channel.send(payload, delivery(ana.address, "a.0"));
		await ana.taps("monday");
		await ana.taps("mon");
		expect(host.accepted.map((each) => each.type === "message" && each.content)).toEqual([
			{ kind: "choice", choice: "mon", text: "Monday" },
			{ kind: "choice", choice: "mon", text: "Monday" },
		]);
		expect(() => ana.taps("Sunday")).toThrow('"Sunday" is not offered');
	});
});
