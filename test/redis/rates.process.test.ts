import { afterAll, beforeAll, describe, expect } from "vitest";
import type { Backend, Work } from "../../src/engine/backend.js";
import type { ModelRequest } from "../../src/model/model.js";
import { busiestSecond, limited, times } from "../engine/scenarios/rates.js";
import { playAll, type Scene, scenario } from "../engine/scenarios/scene.js";
import { newestWords, type Stand } from "../engine/stand.js";
import { RedisServer } from "./redis-server.js";
import { redisWorld } from "./redis-world.js";

let server: RedisServer;
beforeAll(async () => {
	server = await RedisServer.start();
});
afterAll(() => server.dispose());

const re = (request: ModelRequest) => `re: ${newestWords(request)}`;
const door = { model: re, ...limited({ perDoorPerSecond: 10 }) };

/** So many people of a process each say something at once. */
async function crowd(stand: Stand, name: string, count: number): Promise<void> {
	for (let n = 0; n < count; n += 1) await stand.person(`${name}${n}`).says("hi");
}

function heardAll(scene: Scene, count: number) {
	expect(scene.delivered).toHaveLength(count);
	expect(new Set(scene.delivered.map(({ address }) => address)).size).toBe(count);
}

/** What a door takes is one thing for all processes that send by it. */
const sharing = [
	scenario("E7: two processes together send no more a second than their door takes, and both send", async (scene) => {
		const [one, two] = [await scene.start(door), await scene.start(door)];
		await scene.pass(2_000);
		await crowd(one, "one", 20);
		await crowd(two, "two", 20);
		await scene.rest(60_000);
		heardAll(scene, 40);
		expect(busiestSecond(scene)).toBeLessThanOrEqual(10);
		expect(Math.min(one.channel.attempts.length, two.channel.attempts.length)).toBeGreaterThan(8);
		expect(times(scene).at(-1)).toBeLessThanOrEqual(8_000);
		await scene.end();
	}),

	scenario("a process that does all the sending has nearly all the door, while another stands by", async (scene) => {
		const busy = await scene.start(door);
		await scene.start({ ...door, roles: ["gateway"] });
		const idle = await scene.start({ ...door, roles: ["sender"] });
		await scene.pass(2_000);
		await crowd(busy, "chat", 40);
		await scene.rest(60_000);
		heardAll(scene, 40);
		expect(busiestSecond(scene)).toBeLessThanOrEqual(10);
		expect(times(scene).at(-1)).toBeLessThanOrEqual(6_000);
		expect(idle.channel.attempts.length).toBeLessThan(20);
		await scene.end();
	}),

	scenario("processes that come, stop and are killed in mid-rush never make a door too fast", async (scene) => {
		const first = await scene.start(door);
		await crowd(first, "first", 15);
		await scene.pass(300);
		const second = await scene.start(door);
		await crowd(second, "second", 15);
		await scene.pass(1_700);
		scene.kill(first);
		const third = await scene.start(door);
		await crowd(third, "third", 15);
		await scene.pass(900);
		await scene.stop(second);
		await scene.rest(60_000);
		heardAll(scene, 45);
		expect(busiestSecond(scene)).toBeLessThanOrEqual(10);
		await scene.end();
	}),

	scenario("a process that is killed takes its part with it for seconds only", async (scene) => {
		const doomed = await scene.start(door);
		await crowd(doomed, "before", 15);
		await scene.pass(1_500);
		scene.kill(doomed);
		const at = scene.clock.now();
		const other = await scene.start(door);
		await crowd(other, "after", 15);
		await scene.rest(60_000);
		heardAll(scene, 30);
		expect(scene.delivered.at(-1)!.at - at).toBeLessThanOrEqual(8_000);
		expect(busiestSecond(scene)).toBeLessThanOrEqual(10);
		await scene.end();
	}),

	scenario("hundreds that wait for their door are not woken again and again meanwhile", async (scene) => {
		let woken = 0;
		const counted = (backend: Backend): Backend =>
			new Proxy(backend, {
				get(target, name: keyof Backend) {
					if (name !== "serve") return Reflect.get(target, name);
					return (work: Work, most: number, run: (address: string) => Promise<void>) =>
						target.serve(work, most, (address) => {
							if (work === "sends") woken += 1;
							return run(address);
						});
				},
			});
		const desk = await scene.start({ model: re, ...limited({ perDoorPerSecond: 5 }), over: counted });
		await crowd(desk, "chat", 200);
		await scene.rest(60_000);
		heardAll(scene, 200);
		expect(woken).toBeLessThan(3 * 200);
		await scene.end();
	}),

	scenario(
		"E7: a door that is told to wait by one process is left alone by the others, and then comes in order",
		async (scene) => {
			const [one, two] = [await scene.start(door), await scene.start(door)];
			await scene.pass(2_000);
			one.channel.answer({
				result: { outcome: "retry", afterMs: 20_000, scope: "door", reason: "429" },
				delivers: false,
			});
			await crowd(one, "one", 1);
			await scene.until("it was tried", () => one.channel.attempts.length === 1);
			await scene.pass(1_100);
			await crowd(two, "two", 5);
			await scene.pass(18_000);
			expect([one.channel.attempts.length, two.channel.attempts.length]).toEqual([1, 0]);
			await scene.rest(60_000);
			heardAll(scene, 6);
			await scene.end();
		},
	),

	scenario("the smallest door goes to whichever process has something to send", async (scene) => {
		const slow = { model: re, ...limited({ perDoorPerSecond: 0.5 }) };
		const [one, two] = [await scene.start(slow), await scene.start(slow)];
		await crowd(one, "one", 2);
		await crowd(two, "two", 2);
		await scene.rest(60_000);
		heardAll(scene, 4);
		const all = times(scene);
		expect(Math.min(...all.slice(1).map((at, index) => at - all[index]!))).toBeGreaterThanOrEqual(2_000);
		await scene.end();
	}),
];

describe("on Redis: a door of several processes", () => playAll(sharing, () => redisWorld(server)));
