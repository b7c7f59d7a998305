import { afterAll, beforeAll, describe } from "vitest";
import { allScenarios } from "../engine/scenarios/all.js";
import { playAll } from "../engine/scenarios/scene.js";
import { RedisServer } from "./redis-server.js";
import { redisWorld } from "./redis-world.js";

let server: RedisServer;
beforeAll(async () => {
	server = await RedisServer.start();
});
afterAll(() => server.dispose());

for (const [part, scenarios] of Object.entries(allScenarios)) {
	describe(`on Redis: ${part}`, () => playAll(scenarios, () => redisWorld(server)));
}
