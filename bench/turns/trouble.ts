import { median, type Row } from "../row.js";
import type { Crowd, Measured } from "./load.js";
import type { OwnRedis } from "./redis-server.js";
import { answered, CONCURRENCY, callboard, crowd, gateway, REPEATS, row, worker } from "./runs.js";

/** Killed processes, slow handlers, and one person who floods. */
export async function trouble(redis: OwnRedis): Promise<Row[]> {
	return [await takeOver(redis, "direct"), await takeOver(redis, "worker"), await slow(redis), await fairness(redis)];
}

const KILLED_HANDLER_MS = 400;
const TAKE_OVER_MS = 5_000;

/** A process is killed while it has turns in hand; the worst wait of anybody, from the message to the answer. */
async function takeOver(redis: OwnRedis, way: "direct" | "worker"): Promise<Row> {
	const worst: number[] = [];
	for (let repeat = 0; repeat < REPEATS; repeat += 1) {
		const options = { handlerMs: KILLED_HANDLER_MS };
		const start = () => (way === "direct" ? callboard(redis, options) : worker(redis, options));
		const [doomed, heir] = await Promise.all([start(), start()]);
		const door = way === "direct" ? doomed : await gateway(redis);
		const who = crowd(20, 1);
		await door.ask("add", { crowd: who, pace: { inFlight: 20 } });
		await new Promise((resolve) => setTimeout(resolve, KILLED_HANDLER_MS / 4));
		await doomed.kill();
		worst.push((await heir.ask<Measured>("measured", { expected: who.calls })).max);
		await heir.stop();
		if (door !== doomed) await door.stop();
	}
	return {
		...row(`killed in mid-turn, ${way}: worst wait`, "ms", [median(worst), TAKE_OVER_MS], { most: 1 }),
		target: "< 5000 ms",
	};
}

/** 200 turns at once, 50 ms each, in one worker, which is frozen while they come in; the first round warms it up. */
async function slow(redis: OwnRedis): Promise<Row> {
	const handlerMs = 50;
	const concurrency = 200;
	const door = await gateway(redis);
	const ours = await worker(redis, { handlerMs, limits: { turns: concurrency, sends: concurrency } });
	const speeds: number[] = [];
	for (let repeat = 0; repeat <= REPEATS; repeat += 1) {
		const who = crowd(concurrency, 50);
		await ours.ask("clear");
		ours.freeze();
		await door.ask("add", { crowd: who, pace: { inFlight: CONCURRENCY } });
		ours.thaw();
		const { answers, ms } = answered(await ours.ask<Measured>("measured", { expected: who.calls * who.each }));
		if (repeat > 0) speeds.push(answers / ((ms + handlerMs) / 1000));
	}
	await ours.stop();
	await door.stop();
	const ideal = (concurrency * 1000) / handlerMs;
	return row(
		`handler of ${handlerMs} ms, ${concurrency} at once, against the ideal`,
		"turns/s",
		[median(speeds), ideal],
		{
			least: 0.45,
		},
	);
}

/** Everybody else's p99 while one person's 1,000 messages are worked off, against the same without them. */
async function fairness(redis: OwnRedis): Promise<Row> {
	const door = await gateway(redis);
	const ours = await worker(redis, { handlerMs: 5 });
	const others = async (flood: Crowd | undefined) => {
		await ours.ask("clear");
		if (flood !== undefined) await door.ask("add", { crowd: flood, pace: { inFlight: CONCURRENCY } });
		const who = crowd(500, 1);
		await door.ask("add", { crowd: who, pace: { perSecond: 100 } });
		const expected = who.calls + (flood?.each ?? 0);
		return (await ours.ask<Measured>("measured", { expected, only: who.name })).p99;
	};
	const calm: number[] = [];
	const flooded: number[] = [];
	for (let repeat = 0; repeat <= REPEATS; repeat += 1) {
		const without = await others(undefined);
		const beside = await others(crowd(1, 1000));
		if (repeat === 0) continue;
		calm.push(without);
		flooded.push(beside);
	}
	for (const child of [door, ours]) await child.stop();
	return row("p99 of others while one call has 1,000 messages waiting", "ms", [median(flooded), median(calm)], {
		most: 2,
	});
}
