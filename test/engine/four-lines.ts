import type { FakePerson } from "../../src/testing/fake-person.js";
import type { PlatformAnswer } from "../../src/testing/platform-answers.js";
import { platformAnswers } from "../../src/testing/platform-answers.js";
import { type Stand, type StandOptions, stand } from "./stand.js";

export const fine: PlatformAnswer = { result: { outcome: "sent", id: "" } };
export const broken = {
	...platformAnswers.brokenServer(1_000),
	result: { outcome: "retry", afterMs: 1_000, scope: "chat", reason: "503" },
} as const;

/** An agent that says four lines, and a channel of which an unknown send can, or cannot, be looked up. */
export function fourLines(ambiguous: "reconcile" | "leave", more: StandOptions = {}) {
	return stand({
		agent: {
			tools: {
				recite: {
					run: (_, { acts }) => {
						for (const text of ["one", "two", "three"]) acts.push({ act: "say", part: { kind: "text", text } });
					},
				},
			},
		},
		model: ({ history }) => (history.some(({ role }) => role === "tool") ? "four" : { calls: [["recite"]] }),
		channel: { capabilities: { ambiguous } },
		...more,
	});
}

export async function hear(desk: Stand, ms = 10_000): Promise<FakePerson> {
	const ana = desk.person();
	await ana.says("go");
	await desk.settle();
	await desk.clock.advance(ms);
	await desk.runtime.idle();
	return ana;
}

export function attempts(desk: Stand): readonly string[] {
	return desk.channel.attempts.map(({ payload }) => (payload.kind === "text" ? payload.text : payload.kind));
}

export async function marks(desk: Stand, person: FakePerson): Promise<readonly (readonly [string, string])[]> {
	const { marks: found } = await desk.backend.view(person.address, { history: 0 });
	return found.map(({ row, status }) => [(row.payload as { text: string }).text, status] as const);
}
