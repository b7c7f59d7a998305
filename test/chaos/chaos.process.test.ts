import { expect, test } from "vitest";
import { type ChaosOptions, chaosOptions } from "./options.js";
import { shown } from "./report.js";
import { chaos } from "./run.js";

/** All that was done, then the table: what a failure has to show. */
async function ran(asked: Partial<ChaosOptions>): Promise<{ summary: string; faults: readonly string[] }> {
	const told: string[] = [];
	const report = await chaos(chaosOptions(asked), (line) => told.push(line));
	expect(report.injected.kills).toBe(asked.kills);
	expect(report.injected.redisRestarts).toBe(asked.redisRestarts ?? 0);
	expect(report.injected.repeats).toBeGreaterThan(0);
	return { summary: `${told.join("\n")}\n${shown(report)}`, faults: report.faults };
}

test("I10, promises 1 to 5 on Redis: workers and gateways killed, Redis restarted: nothing lost, twice or out of order", async () => {
	const { summary, faults } = await ran({ messages: 600, kills: 8, redisRestarts: 2, seed: 11 });
	expect(faults, summary).toEqual([]);
}, 300_000);

test("I10, promises 1 to 5 on disk: the one process is killed again and again: nothing lost, twice or out of order", async () => {
	const { summary, faults } = await ran({ backend: "embedded", messages: 200, kills: 5, seed: 12 });
	expect(faults, summary).toEqual([]);
}, 300_000);
