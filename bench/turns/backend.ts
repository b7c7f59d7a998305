import { systemClock } from "../../src/clock.js";
import { redis } from "../../src/engine/redis/redis.js";
import { silentLog } from "../../src/observe/log.js";
export const openBackend = (port: number) =>
	redis({ url: `redis://127.0.0.1:${port}`, clock: systemClock, log: silentLog });
