import { afterAll, beforeAll, describe } from "vitest";
import { allScenarios } from "../engine/scenarios/all.js";
import { playAll } from "../engine/scenarios/scene.js";
import { RedisCluster } from "./redis-cluster.js";
import { redisWorld } from "./redis-world.js";

/** Of days a scenario lets pass, each partition sweeps every half second by itself: one Redis plays these. */
const LONG = /^D8: a call of a person who has blocked|^work of a door that a process does not have/;

let cluster: RedisCluster;
beforeAll(async () => {
	cluster = await RedisCluster.start();
});
afterAll(() => cluster.dispose());

for (const [part, scenarios] of Object.entries(allScenarios)) {
	if (part === "rates") continue;
	const played = scenarios.filter(({ name }) => !LONG.test(name));
	describe(`on a Redis Cluster: ${part}`, () => playAll(played, () => redisWorld(...cluster.nodes)));
}
