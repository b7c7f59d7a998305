import { expect, test } from "vitest";
import { runTurn } from "../../src/turn/run-turn.js";
import { stand } from "./stand.js";

test.each([
	{ what: "a human has the call: nothing is said", ended: false, heard: [] },
	{ what: "a human had the call before, and it is over: the person is told", ended: true, heard: ["APOLOGY"] },
])("a turn that cannot be run is set aside. $what", async ({ ended, heard }) => {
	let broken = false;
	const desk = await stand({
		limits: { failures: 1 },
		runTurn: async (input) => {
			if (broken) throw new Error("broken");
			return runTurn(input);
		},
	});
	const ana = desk.person();
	await ana.says("hi");
	await desk.runtime.idle();
	await desk.backend.amend(ana.address, { owner: "human" });
	if (ended) {
		const occurrence = { kind: "close", reason: "resolved" } as const;
		const item = { type: "occurrence", id: "close.1", address: ana.address, occurrence, at: desk.clock.now() } as const;
		await desk.backend.accept(item, { inbox: 10, dedupeMs: 1_000 });
		await desk.runtime.idle();
	}
	broken = true;
	await ana.says("are you there?");
	await desk.settle();
	expect(desk.told("call.parked")).toHaveLength(1);
	expect(ana.heard.slice(1)).toEqual(heard);
	await desk.end();
});
