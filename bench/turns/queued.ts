import { median, type Row } from "../row.js";
import type { Child } from "./child.js";
import type { Measured } from "./load.js";
import type { OwnRedis } from "./redis-server.js";
import { answered, CONCURRENCY, crowd, gateway, interleaved, perSecond, raw, row, worker } from "./runs.js";

/** One process receives and another runs the turns, beside BullMQ doing nothing at all. */
export async function queued(redis: OwnRedis): Promise<Row[]> {
	return [await backlog(redis), await latency(redis)];
}

/** Both have everything waiting when they begin: they are frozen while it comes in. */
async function backlog(redis: OwnRedis): Promise<Row> {
	const door = await gateway(redis);
	const producer = await raw(redis, { concurrency: 0 });
	const ours = await worker(redis, { limits: { turns: CONCURRENCY, sends: CONCURRENCY } });
	const bare = await raw(redis, { concurrency: CONCURRENCY });
	await bare.ask("work");
	const worked = (from: Child, operation: string, to: Child) => async () => {
		const who = crowd(2000, 5, 5);
		await to.ask("clear");
		to.freeze();
		await from.ask(operation, { crowd: who, pace: { inFlight: CONCURRENCY } });
		to.thaw();
		const measured = await to.ask<Measured>("measured", { expected: who.calls * who.each });
		// BullMQ has no order among the jobs of one person.
		return to === bare ? measured : answered(measured);
	};
	const [a, b] = (await interleaved([worked(door, "add", ours), worked(producer, "fill", bare)])).map(perSecond);
	for (const child of [door, producer, ours, bare]) await child.stop();
	return row("worker, bursts of 5, against empty BullMQ jobs", "turns/s", [a ?? 0, b ?? 0], { least: 0.6 });
}

async function latency(redis: OwnRedis): Promise<Row> {
	const door = await gateway(redis);
	const producer = await raw(redis, { concurrency: 0 });
	const ours = await worker(redis);
	const bare = await raw(redis, { concurrency: CONCURRENCY });
	await bare.ask("work");
	const at100 = (from: Child, to: Child) => async () => {
		const who = crowd(400, 1);
		await to.ask("clear");
		await from.ask("add", { crowd: who, pace: { perSecond: 100 } });
		return answered(await to.ask<Measured>("measured", { expected: who.calls }));
	};
	const paced = await interleaved([at100(door, ours), at100(producer, bare)]);
	const [a, b] = paced.map((runs) => median(runs.map(({ p50 }) => p50))) as [number, number];
	for (const child of [door, producer, ours, bare]) await child.stop();
	return row("worker, p50 at 100/s, against empty BullMQ jobs", "ms", [a, b], { most: 4 });
}
