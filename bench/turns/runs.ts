import type { Row } from "../row.js";
import { median } from "../row.js";
import type { CallboardOptions } from "./callboard-subject.js";
import { Child } from "./child.js";
import type { Crowd, Measured, Pace } from "./load.js";
import type { OwnRedis } from "./redis-server.js";

/** Repeats of everything that is compared; the figures are medians. */
export const REPEATS = 3;
export const CONCURRENCY = 50;

let crowds = 0;

/** A crowd of people who have never written before. */
export function crowd(calls: number, each: number, burst = 1): Crowd {
	crowds += 1;
	return { calls, each, burst, name: `c${crowds}x` };
}

export function callboard({ port }: OwnRedis, options: Omit<CallboardOptions, "port"> = {}): Promise<Child> {
	return Child.start("callboard-subject.ts", { port, ...options } satisfies CallboardOptions);
}

/** The worker way: one process receives, others run the turns and send. */
export const gateway = (redis: OwnRedis) => callboard(redis, { roles: ["gateway"] });
export const worker = (redis: OwnRedis, options: Omit<CallboardOptions, "port" | "roles"> = {}) =>
	callboard(redis, { ...options, roles: ["worker", "sender"] });

export function chat({ port }: OwnRedis, options: { reads: boolean }): Promise<Child> {
	return Child.start("chat-subject.ts", { port, ...options });
}

export function raw({ port }: OwnRedis, options: { concurrency: number }): Promise<Child> {
	return Child.start("raw-subject.ts", { port, ...options });
}

/** Runs each in turn, again and again, so that whatever else the machine does meets all alike; the first round warms up. */
export async function interleaved<T>(runs: readonly (() => Promise<T>)[]): Promise<T[][]> {
	const results = runs.map((): T[] => []);
	for (let repeat = 0; repeat <= REPEATS; repeat += 1) {
		for (const [index, run] of runs.entries()) {
			const result = await run();
			if (repeat > 0) results[index]?.push(result);
		}
	}
	return results;
}

export async function measure(child: Child, who: Crowd, pace: Pace): Promise<Measured> {
	return answered(await child.ask<Measured>("run", { crowd: who, pace }));
}

/** @throws Error when an answer was missing, double or out of order: then speed means nothing */
export function answered(measured: Measured): Measured {
	if (measured.wrong === 0) return measured;
	throw new Error(`${measured.wrong} of ${measured.answers} answers were missing, double or out of order`);
}

export const perSecond = (runs: readonly Measured[]) => median(runs.map(({ answers, ms }) => (answers / ms) * 1000));

/** A row whose ratio must be at least, or at most, a bound. */
export function row(
	name: string,
	unit: string,
	[ours, against]: readonly [number, number],
	bound: { least: number } | { most: number },
): Row {
	const ratio = ours / against;
	const least = "least" in bound;
	const ok = least ? ratio >= bound.least : ratio <= bound.most;
	return { row: name, ours, against, ratio, target: least ? `>= ${bound.least}` : `<= ${bound.most}`, ok, unit };
}
