import { afterAll, beforeAll } from "vitest";
import { redisConformance } from "./conformance.js";
import { RedisCluster } from "./redis-cluster.js";

let cluster: RedisCluster;
beforeAll(async () => {
	cluster = await RedisCluster.start();
});
afterAll(() => cluster.dispose());

redisConformance("redis cluster of three nodes", () => cluster.url);
