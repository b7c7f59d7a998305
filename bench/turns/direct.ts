import { median, type Row } from "../row.js";
import { commandsSent, type OwnRedis, processorMs } from "./redis-server.js";
import { CONCURRENCY, callboard, chat, crowd, interleaved, measure, perSecond, row } from "./runs.js";

/** Gateway and worker in one process, beside the Chat SDK in one process: turns a second, latency, round trips. */
export async function direct(redis: OwnRedis): Promise<Row[]> {
	const ours = await callboard(redis);
	const peer = await chat(redis, { reads: false });
	const reader = await chat(redis, { reads: true });
	const children = [ours, peer, reader];
	const rows: Row[] = [];

	const atOnce = await interleaved(
		children.map((child) => async () => {
			const before = (await processorMs(redis.client)) + (await child.ask<number>("processorMs"));
			const measured = await measure(child, crowd(1000, 10), { inFlight: CONCURRENCY });
			const after = (await processorMs(redis.client)) + (await child.ask<number>("processorMs"));
			return { ...measured, processorMs: (after - before) / measured.answers };
		}),
	);
	const [a, b, c] = atOnce.map(perSecond) as [number, number, number];
	rows.push(row(`direct, ${CONCURRENCY} in flight, against the Chat SDK`, "turns/s", [a, b], { least: 1.5 }));
	rows.push({
		...row("the same, the Chat SDK's handler reading its history", "turns/s", [a, c], { least: 0 }),
		target: "none",
	});
	const [work, workPeer] = atOnce.map((runs) => median(runs.map((run) => run.processorMs))) as [number, number];
	rows.push({
		...row("processor time a turn in these runs, Redis included", "ms", [work, workPeer], { most: 1 }),
		target: "none",
		ok: true,
	});

	for (const rate of [100, 1000]) {
		const paced = await interleaved(
			[ours, peer].map((child) => () => measure(child, crowd(rate * 4, 1), { perSecond: rate })),
		);
		const [p50, p50Peer] = paced.map((runs) => median(runs.map((run) => run.p50))) as [number, number];
		const [p99, p99Peer] = paced.map((runs) => median(runs.map((run) => run.p99))) as [number, number];
		rows.push(row(`direct, p50 at ${rate}/s, against the Chat SDK`, "ms", [p50, p50Peer], { most: 1 }));
		rows.push(row(`direct, p99 at ${rate}/s, against the Chat SDK`, "ms", [p99, p99Peer], { most: 1.1 }));
	}

	const [trips, tripsPeer] = await roundTrips(redis, [ours, peer]);
	rows.push({
		...row("round trips a turn, direct, no tools (the Chat SDK beside it)", "commands", [trips, tripsPeer], {
			most: 1,
		}),
		target: "<= 4",
		ok: Math.round(trips * 10) / 10 <= 4,
	});
	for (const child of children) await child.stop();
	return rows;
}

/** Commands a message, without what the process sends when nobody writes. */
async function roundTrips(redis: OwnRedis, children: Parameters<typeof measure>[0][]): Promise<[number, number]> {
	const trips: number[] = [];
	for (const child of children) {
		const who = crowd(250, 4);
		let ms = 0;
		const busy = await commandsSent(redis.client, async () => {
			ms = (await measure(child, who, { inFlight: CONCURRENCY })).ms;
		});
		const quiet = await commandsSent(redis.client, () => new Promise((resolve) => setTimeout(resolve, ms)));
		trips.push((busy - quiet) / (who.calls * who.each));
	}
	return trips as [number, number];
}
