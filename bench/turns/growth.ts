import { median, type Row } from "../row.js";
import type { Measured } from "./load.js";
import { type OwnRedis, usedBytes } from "./redis-server.js";
import { answered, CONCURRENCY, callboard, crowd, measure, REPEATS, row } from "./runs.js";

/** What a long call costs: in time a turn, and in bytes while it is quiet. */
export async function growth(redis: OwnRedis): Promise<Row[]> {
	return [...(await turnCost(redis)), await idleBytes(redis, 8_000), await idleBytes(redis, 5_500, 20)];
}

const BLOCK = 40;
const BLOCKS = REPEATS * 3;

/** Blocks of turns at calls of three ages, one after the other again and again. */
async function turnCost(redis: OwnRedis): Promise<Row[]> {
	const ours = await callboard(redis);
	const calls: { turns: number; said: number; name: string; costs: number[] }[] = [];
	for (const turns of [100, 1_000, 10_000]) {
		const call = crowd(1, turns);
		await measure(ours, call, { inFlight: 1 });
		calls.push({ turns, said: turns, name: call.name, costs: [] });
	}
	for (let block = 0; block <= BLOCKS; block += 1) {
		for (const call of calls) {
			const who = { calls: 1, each: BLOCK, burst: 1, name: call.name, from: call.said };
			const { ms } = answered(await ours.ask<Measured>("run", { crowd: who, pace: { inFlight: 1 } }));
			call.said += BLOCK;
			if (block > 0) call.costs.push(ms / BLOCK);
		}
	}
	await ours.stop();
	const [young, ...old] = calls.map(({ turns, costs }) => ({ turns, cost: median(costs) }));
	return old.map(({ turns, cost }) =>
		row(`a turn after ${turns} turns, against one after 100`, "ms a turn", [cost, young?.cost ?? Number.NaN], {
			most: 1.25,
		}),
	);
}

/** Calls of 20 turns that rest: everything Redis holds for them, ids of messages and the timer of the idle close too. */
async function idleBytes(redis: OwnRedis, target: number, keep?: number): Promise<Row> {
	const ours = await callboard(redis, { short: true, ...(keep !== undefined && { limits: { keep } }) });
	await measure(ours, { ...crowd(20, 20), short: true }, { inFlight: CONCURRENCY });
	const before = await usedBytes(redis.client);
	const who = { ...crowd(500, 20), short: true as const };
	await measure(ours, who, { inFlight: CONCURRENCY });
	const bytes = ((await usedBytes(redis.client)) - before) / who.calls;
	await ours.stop();
	const kept = keep === undefined ? "untrimmed" : `trimmed to ${keep} rows`;
	return {
		...row(`an idle call of 20 turns, ${kept}`, "bytes", [bytes, target], { most: 1 }),
		target: `<= ${target} bytes`,
	};
}
