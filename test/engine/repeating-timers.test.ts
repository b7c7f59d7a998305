import { expect, test } from "vitest";
import type { Act } from "../../src/agent/declaration.js";
import { type Stand, stand } from "./stand.js";

const MINUTE = 60_000;
const beat = (desk: Stand): Act => {
	return { act: "later", id: "beat", at: desk.clock.now() + MINUTE, every: MINUTE, event: "beat", data: { n: 1 } };
};
const speak: Act = { act: "say", part: { kind: "text", text: "tick" } };
const timers = async (desk: Stand) => (await desk.backend.view(desk.person().address, { history: 0 })).timers;

async function pass(desk: Stand, ms: number): Promise<void> {
	await desk.clock.advance(ms);
	await desk.runtime.idle();
}

test("a repeating timer fires at every beat, also after a restart, until its id is cancelled", async () => {
	const agent = {
		onCall: ({ acts }: { acts: Act[] }) => acts.push(beat(desk)),
		onEvent: {
			beat: (_: unknown, { acts }: { acts: Act[] }) => acts.push(speak),
			halt: (_: unknown, { acts }: { acts: Act[] }) => acts.push({ act: "cancel", id: "beat" }),
		},
	};
	const desk: Stand = await stand({ agent });
	const ana = desk.person();
	await ana.says("hi");
	await desk.runtime.idle();
	await pass(desk, MINUTE);
	await pass(desk, MINUTE);
	expect(ana.heard).toEqual(["re: hi", "tick", "tick"]);
	await desk.end();

	const again = await stand({ agent, after: desk });
	const back = again.person();
	await pass(again, MINUTE);
	expect(back.heard).toEqual(["tick"]);
	await again.runtime.event(back.address, "halt", null);
	await again.runtime.idle();
	await pass(again, 10 * MINUTE);
	expect(back.heard).toEqual(["tick"]);
	expect((await timers(again)).map(({ id }) => id)).toEqual(["idle"]);
	await again.end();
});

test("beats missed while nothing ran are left out, and the next one keeps the rhythm", async () => {
	const agent = {
		onCall: ({ acts }: { acts: Act[] }) => acts.push(beat(desk)),
		onEvent: { beat: (_: unknown, { acts }: { acts: Act[] }) => acts.push(speak) },
	};
	const desk: Stand = await stand({ agent });
	await desk.person().says("hi");
	await desk.runtime.idle();
	const first = (await timers(desk)).find(({ id }) => id !== "idle")?.at ?? 0;
	await desk.end();
	await desk.clock.advance(5.5 * MINUTE);
	const again = await stand({ agent, after: desk });
	await pass(again, 1);
	expect(again.channel.delivered).toHaveLength(1);
	expect((await timers(again)).find(({ id }) => id !== "idle")?.at).toBe(first + 5 * MINUTE);
	await again.end();
});

test("a beat that has fired and waits when its timer is cancelled is not handled, and sets nothing again", async () => {
	const desk: Stand = await stand({
		agent: {
			onCall: ({ acts }) => acts.push(beat(desk)),
			onEvent: {
				beat: (_, { acts }) => acts.push(speak),
				halt: (_, { acts }) => acts.push({ act: "cancel", id: "beat" }),
			},
		},
	});
	const ana = desk.person();
	await ana.says("hi");
	await desk.runtime.idle();
	const timer = (await timers(desk)).find(({ id }) => id !== "idle");
	await desk.runtime.event(ana.address, "halt", null);
	await desk.runtime.idle();
	await desk.backend.accept(timer?.item as never, { inbox: 10, dedupeMs: MINUTE });
	await desk.runtime.idle();
	expect(ana.heard).toEqual(["re: hi"]);
	expect((await timers(desk)).map(({ id }) => id)).toEqual(["idle"]);
	await desk.end();
});

test("a call that only a repeating timer moves is closed for its quiet, and the timer is over with it", async () => {
	const desk: Stand = await stand({
		agent: {
			settings: { idleMs: 10 * MINUTE },
			onCall: ({ acts }) => acts.push(beat(desk)),
			onEvent: { beat: (_, { acts }) => acts.push(speak) },
		},
	});
	const ana = desk.person();
	await ana.says("hi");
	await desk.runtime.idle();
	for (let minute = 0; minute < 5; minute += 1) await pass(desk, MINUTE);
	await ana.says("still here");
	await desk.runtime.idle();
	for (let minute = 0; minute < 9; minute += 1) await pass(desk, MINUTE);
	expect(desk.channel.ends).toEqual([]);
	await pass(desk, MINUTE);
	expect(desk.channel.ends).toMatchObject([{ reason: "idle" }]);
	const said = ana.heard.length;
	for (let minute = 0; minute < 5; minute += 1) await pass(desk, MINUTE);
	expect(ana.heard).toHaveLength(said);
	expect(await timers(desk)).toEqual([]);
	await desk.end();
});
