import { afterAll, beforeAll } from "vitest";
import { redisConformance } from "./conformance.js";
import { RedisServer } from "./redis-server.js";

let server: RedisServer;
beforeAll(async () => {
	server = await RedisServer.start();
});
afterAll(() => server.dispose());

redisConformance("redis", () => server.url);
