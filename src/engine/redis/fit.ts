import { systemClock } from "../../clock.js";
import { CallboardError } from "../../errors.js";
import type { Log } from "../../observe/log.js";
import { lookAtRedis, type RedisFinding } from "./check.js";
import type { Client } from "./connection.js";
import { classOf, unavailable } from "./unavailable.js";

/**
 * Looks at Redis before anything is kept in it, at the first of `urls` that answers.
 * @returns whether it is a cluster
 * @throws CallboardError `REDIS_UNFIT` when it would lose conversations, `BACKEND_UNAVAILABLE` when it does not answer
 */
export async function checkFit(urls: readonly string[], log: Log): Promise<boolean> {
	let silent: RedisFinding | undefined;
	for (const url of urls) {
		const { findings, cluster } = await lookAtRedis(url);
		const bad = findings.find(({ verdict }) => verdict === "fail");
		if (bad?.unreachable) silent = bad;
		else if (bad !== undefined) throw refusal("REDIS_UNFIT", "operator", bad);
		else {
			for (const { says, next } of findings.filter(({ verdict }) => verdict === "warn"))
				log.warn("redis.risk", { says, next });
			return cluster;
		}
	}
	throw refusal("BACKEND_UNAVAILABLE", "platform", silent ?? { verdict: "fail", says: "no Redis was named" });
}

function refusal(code: string, fault: "operator" | "platform", { says, next }: RedisFinding): CallboardError {
	return new CallboardError(code, fault, says, next === undefined ? {} : { next });
}

/** Rises when keys or what is in them change. A release that raises it reads the format before, or says how to go on. */
const FORMAT = 2;

/** How long the format may take to be read, ms: the client of a cluster waits for nodes that are missing. */
const ANSWER_MS = 3_000;

/**
 * Holds what is stored to the format and the number of partitions that this version reads.
 * @param keys where that is written down, of a cluster in each partition: one that does not answer does not count
 * @throws CallboardError `REDIS_FORMAT` when it was written otherwise, `BACKEND_UNAVAILABLE` when none answers; then
 * no call was touched
 */
export async function checkFormat(client: Client, keys: readonly string[], partitions: number): Promise<void> {
	const own = `${FORMAT} ${partitions}`;
	let failure: unknown;
	const answers = keys.map((key) =>
		inTime(client.set(key, own, "NX").then(() => client.get(key))).catch((error) => {
			failure = error;
		}),
	);
	const found = (await Promise.all(answers)).filter((answer) => answer !== undefined);
	if (found.length === 0) {
		const silent = keys.length > 1 ? "CLUSTERDOWN" : "TIMEOUT";
		throw unavailable(failure === undefined ? silent : classOf(failure));
	}
	for (const answer of found) if (answer !== own) throw otherFormat(answer);
}

function otherFormat(found: string | null): CallboardError {
	const [format, parts] = (found ?? "").split(" ");
	if (format === String(FORMAT)) {
		return new CallboardError("REDIS_FORMAT", "operator", `calls in Redis are spread over ${parts} partitions`, {
			next: `open them with partitions: ${parts}, or choose another prefix for new ones`,
		});
	}
	return new CallboardError("REDIS_FORMAT", "operator", `calls in Redis are of format ${format}, this is ${FORMAT}`, {
		next: "use the version of Callboard that wrote them, or choose another prefix for new ones",
	});
}

/** What it comes to, or undefined when it takes too long. */
function inTime<T>(asked: Promise<T>): Promise<T | undefined> {
	return new Promise((resolve, reject) => {
		const stop = systemClock.after(ANSWER_MS, () => resolve(undefined));
		asked.then(resolve, reject).finally(stop);
	});
}
