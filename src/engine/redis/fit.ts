import { CallboardError } from "../../errors.js";
import type { Log } from "../../observe/log.js";
import { lookAtRedis, type RedisFinding } from "./check.js";
import type { Client } from "./connection.js";

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
const FORMAT = 1;

/**
 * Holds what is stored to the format and the number of partitions that this version reads.
 * @throws CallboardError `REDIS_FORMAT` when it was written otherwise; nothing was touched
 */
export async function checkFormat(client: Client, prefix: string, partitions: number): Promise<void> {
	const own = `${FORMAT} ${partitions}`;
	const key = `${prefix}:format`;
	await client.set(key, own, "NX");
	const found = await client.get(key);
	if (found === own) return;
	const [format, parts] = (found ?? "").split(" ");
	if (format === String(FORMAT)) {
		throw new CallboardError("REDIS_FORMAT", "operator", `calls in Redis are spread over ${parts} partitions`, {
			next: `open them with partitions: ${parts}, or choose another prefix for new ones`,
		});
	}
	throw new CallboardError("REDIS_FORMAT", "operator", `calls in Redis are of format ${format}, this is ${FORMAT}`, {
		next: "use the version of Callboard that wrote them, or choose another prefix for new ones",
	});
}
