import type { Checked, Counts } from "./check.js";
import type { Disturber } from "./disturber.js";
import type { ChaosOptions } from "./options.js";
import type { Plan } from "./plan.js";
import type { Producer } from "./producer.js";
import type { Watch } from "./watch.js";

/** What one run injected and what came of it. Nothing was wrong when `faults` is empty. */
export interface ChaosReport {
	options: ChaosOptions;
	injected: {
		messages: number;
		calls: number;
		kills: number;
		gatewayKills: number;
		drains: number;
		freezes: number;
		redisRestarts: number;
		/** Hand-overs besides the first acknowledged one. */
		repeats: number;
		/** Hand-overs that were not acknowledged and came again. */
		refused: number;
		/** Sends the platform did not take, or did not answer. */
		sendFaults: number;
	};
	counts: Counts;
	faults: readonly string[];
	/** From a kill to the next sign of life of a call in the middle of its turn, all else being well. */
	takeover: Spread;
	/** The same where something else was wrong meanwhile: another process or Redis killed, held still or starting. */
	disturbedTakeover: Spread;
	/** From the start of a process until it was ready. */
	starts: Spread;
	/** Messages a second, answered. */
	messagesPerSecond: number;
	seconds: number;
}

/** Some times, ms. */
export interface Spread {
	count: number;
	medianMs: number;
	worstMs: number;
}

export interface ReportInput {
	options: ChaosOptions;
	plan: Plan;
	watch: Watch;
	disturber: Disturber;
	producer: Producer;
	/** Processes that ended by themselves or badly, in words; not those that were started while Redis was down. */
	died: readonly string[];
	/** How long each process took to be ready, ms. */
	starts: readonly number[];
	checked: Checked;
	ms: number;
}

export function reportOf({
	options,
	plan,
	watch,
	disturber,
	producer,
	died,
	starts,
	checked,
	ms,
}: ReportInput): ChaosReport {
	const { done } = disturber;
	const { handOvers } = producer;
	const faults = [...checked.faults];
	const counts = { ...checked.counts };
	const fail = (what: string) => {
		counts.other += 1;
		faults.push(what);
	};
	for (const how of died) fail(how);
	const planned = plan.disturbances.length;
	const performed = Object.values(done).reduce((all, each) => all + each, 0);
	if (performed < planned) fail(`only ${performed} of ${planned} disturbances took place`);
	const messages = plan.calls.reduce((all, call) => all + call.messages.length, 0);
	const sendFaults = watch.lines.filter(
		(line) => line.what === "send" && !["sent", "slow", "late"].includes(line.answer),
	);
	return {
		options,
		injected: {
			messages,
			calls: plan.calls.length,
			kills: done.kill,
			gatewayKills: done["kill gateway"],
			drains: done.drain,
			freezes: done.freeze,
			redisRestarts: done.redis,
			repeats: handOvers.accepted + handOvers.duplicates - messages,
			refused: handOvers.refused,
			sendFaults: sendFaults.length,
		},
		counts,
		faults,
		takeover: spread(watch.takeovers.filter(({ disturbed }) => !disturbed).map(({ ms }) => ms)),
		disturbedTakeover: spread(watch.takeovers.filter(({ disturbed }) => disturbed).map(({ ms }) => ms)),
		starts: spread(starts),
		messagesPerSecond: Math.round((messages / ms) * 10_000) / 10,
		seconds: Math.round(ms / 100) / 10,
	};
}

function spread(times: readonly number[]): Spread {
	const sorted = [...times].sort((a, b) => a - b);
	return { count: sorted.length, medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0, worstMs: sorted.at(-1) ?? 0 };
}

function times({ count, medianMs, worstMs }: Spread): string {
	return `${medianMs} ms, ${worstMs} ms (${count})`;
}

const SHOWN = 50;

/** The report for a person to read. */
export function shown({ options, injected, counts, faults, takeover, ...rest }: ChaosReport): string {
	const rows: [string, string | number][] = [
		["seed", options.seed],
		["where calls live", options.backend === "redis" ? `redis, appendfsync ${options.fsync}` : "embedded"],
		["way", options.way],
		["messages, calls", `${injected.messages}, ${injected.calls}`],
		["kills of workers, of gateways", `${injected.kills}, ${injected.gatewayKills}`],
		["drains, freezes", `${injected.drains}, ${injected.freezes}`],
		["restarts of Redis", injected.redisRestarts],
		["handed over again, refused first", `${injected.repeats}, ${injected.refused}`],
		["sends that went wrong", injected.sendFaults],
		["seconds, messages a second", `${rest.seconds}, ${rest.messagesPerSecond}`],
		["take-over, median and worst", times(takeover)],
		["take-over, with more wrong", times(rest.disturbedTakeover)],
		["start of a process", times(rest.starts)],
		["tools marked unknown", counts.unknownTools],
		["sends marked ambiguous", counts.unknownSends],
		["lost", counts.lost],
		["twice", counts.twice],
		["out of order", counts.outOfOrder],
		["otherwise wrong", counts.other],
	];
	const width = Math.max(...rows.map(([name]) => name.length));
	const table = rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n");
	if (faults.length === 0) return `${table}\nnothing was wrong`;
	const more = faults.length > SHOWN ? `\n- and ${faults.length - SHOWN} more` : "";
	return `${table}\n${faults
		.slice(0, SHOWN)
		.map((fault) => `- ${fault}`)
		.join("\n")}${more}`;
}
