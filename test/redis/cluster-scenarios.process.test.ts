import { afterAll, beforeAll, describe } from "vitest";
import { allScenarios } from "../engine/scenarios/all.js";
import { playAll } from "../engine/scenarios/scene.js";
import { RedisCluster } from "./redis-cluster.js";
import { redisWorld } from "./redis-world.js";

let cluster: RedisCluster;
beforeAll(async () => {
	cluster = await RedisCluster.start();
});
afterAll(() => cluster.dispose());

for (const [part, scenarios] of Object.entries(allScenarios)) {
	describe(`on a Redis Cluster: ${part}`, () => playAll(scenarios, () => redisWorld(...cluster.nodes)));
}
