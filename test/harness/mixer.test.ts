import { describe, expect, it } from "vitest";
import { converse } from "../../src/testing/conversation.js";
import { assertGlobalProperties } from "../../src/testing/global-properties.js";
import { type PlatformAnswer, platformAnswers } from "../../src/testing/platform-answers.js";
import { seededRandom } from "../../src/testing/replay-plan.js";
import Workshop from "./quoting-agent.js";

const PEOPLE = 100;
const MESSAGES = 3;

describe("J: a seeded mixer of duplicates, batches, delays and failing sends over 100 conversations", () => {
	it.each([1, 2])(
		"seed %i: every message is handled once and in order, every answer reaches its person once",
		async (seed) => {
			const random = seededRandom(seed);
			const workshop = await converse({
				agent: Workshop,
				failures: "retry",
				script: { rules: [{ when: { said: "(?<all>number \\d+ of \\d+)" }, say: "Got {{all}}" }], otherwise: "…" },
			});
			const { channel, clock } = workshop;
			const answers: (() => PlatformAnswer)[] = [
				() => platformAnswers.late(Math.floor(random() * 3000)),
				() => platformAnswers.tooMany(Math.floor(random() * 5000)),
				() => platformAnswers.brokenServer(Math.floor(random() * 2000)),
				() => platformAnswers.acceptedThenReset(),
				() => platformAnswers.lostThenReset(),
			];
			const send = channel.send.bind(channel);
			channel.send = (payload, delivery) => {
				if (random() < 0.3) channel.answer((answers[Math.floor(random() * answers.length)] as () => PlatformAnswer)());
				return send(payload, delivery);
			};

			const people = Array.from({ length: PEOPLE }, (_, n) => workshop.another({ chat: `person-${n}` }));
			const accepted = new Map(people.map((person) => [person.address, [] as string[]]));
			for (let round = 1; round <= MESSAGES; round += 1) {
				const messages = people.map((person, n) => person.message({ kind: "text", text: `number ${round} of ${n}` }));
				for (const message of messages) accepted.get(message.address)?.push(message.id);
				const plan = { times: 2, order: "shuffled", batch: 17, everyMs: 40, seed: seed * 10 + round } as const;
				const replayed = channel.replay(messages, plan);
				await clock.advance(1000);
				const outcomes = (await replayed).map(({ outcome }) => outcome);
				expect(outcomes.filter((outcome) => outcome === "accepted")).toHaveLength(PEOPLE);
				if (random() < 0.5) await workshop.quiet();
			}
			await workshop.quiet();

			for (const [n, person] of people.entries()) {
				const heard = person.heard.join("\n");
				for (let round = 1; round <= MESSAGES; round += 1) expect(heard).toContain(`number ${round} of ${n}`);
			}
			expect(channel.attempts.length).toBeGreaterThan(channel.delivered.length);
			await assertGlobalProperties(workshop.runtime.backend, { accepted, delivered: channel.delivered });
			await workshop.close();
		},
		30_000,
	);
});
