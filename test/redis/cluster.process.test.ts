import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/clock.js";
import { redis } from "../../src/engine/redis/redis.js";
import { silentLog } from "../../src/observe/log.js";
import { redisConformance } from "./conformance.js";
import { opened } from "./desk.js";
import { RedisCluster } from "./redis-cluster.js";

let cluster: RedisCluster;
beforeAll(async () => {
	cluster = await RedisCluster.start();
});
afterAll(() => cluster.dispose());

redisConformance("redis cluster of three nodes", () => cluster.url);

test("calls of a cluster that are spread over other partitions are refused", async () => {
	const backend = await opened(cluster.url, "format");
	await backend.close();
	const other = redis({ url: cluster.url, prefix: "format", partitions: 16, clock: systemClock, log: silentLog });
	await expect(other.open()).rejects.toMatchObject({
		code: "REDIS_FORMAT",
		message: "calls in Redis are spread over 64 partitions",
	});
});
