import { afterEach, describe, expect, it } from "vitest";
import { telegram } from "../../channels/telegram/channel.js";
import { Solo } from "../../src/engine/solo.js";
import { silentLog } from "../../src/observe/log.js";
import type { RecordingLog } from "../../src/testing/recording-log.js";
import { telegramFaults } from "../../src/testing/telegram-faults.js";
import type { VirtualClock } from "../../src/testing/virtual-clock.js";
import { during, Stands, soon, WaitingHost } from "./stand.js";

const stands = new Stands();
afterEach(() => stands.close());

describe("polling", () => {
	it("confirms an update only once it is durable: what was not stored comes again, in order, once", async () => {
		const { server, host, clock, log } = await stands.open();
		const ana = server.person({ id: 7001, name: "Ana" });
		const bea = server.person({ id: 7002, name: "Bea" });
		host.down = true;
		ana.says("one");
		ana.says("two");
		bea.says("three");
		await soon(() => log.lines.some((line) => line.event === "telegram.not_stored"));
		expect(server.updates.waiting).toHaveLength(3);
		expect(host.accepted).toEqual([]);
		host.down = false;
		await during(clock, () => server.updates.waiting.length === 0);
		const texts = host.messages.map(({ content }) => content.text);
		expect(texts.filter((text) => text !== "three")).toEqual(["one", "two"]);
		expect(host.received).toHaveLength(3);
	});

	it("goes on after a broken server, a broken line, a page of a proxy and a request to wait", async () => {
		const { server, host, clock, log } = await stands.open({ start: false });
		const ana = server.person({ id: 7001, name: "Ana" });
		const faults = [telegramFaults.brokenServer(), telegramFaults.lostThenReset(), telegramFaults.badGateway()];
		server.fail("getUpdates", undefined, ...faults, telegramFaults.tooMany(20));
		ana.says("still here?");
		const channel = telegram({ token: server.token, apiRoot: server.apiRoot });
		await channel.start(host);
		const began = clock.now();
		await during(clock, () => host.messages.length === 1);
		expect(clock.now() - began).toBeGreaterThanOrEqual(20_000);
		expect(log.lines.filter((line) => line.event === "telegram.poll_failed")).toHaveLength(4);
		await channel.stop();
	});

	it("another poller of the same bot is no storm: it waits longer each time, and says what to do", async () => {
		const { server, host, clock, log } = await stands.open({ start: false });
		server.fail("getUpdates", undefined, ...Array.from({ length: 6 }, () => telegramFaults.conflict()));
		const channel = telegram({ token: server.token, apiRoot: server.apiRoot });
		await channel.start(host);
		const began = clock.now();
		await during(clock, () => server.callsOf("getUpdates").length === 7);
		expect(clock.now() - began).toBeGreaterThanOrEqual(500 + 1000 + 2000 + 4000 + 8000 + 16_000);
		expect(log.lines.find((line) => line.event === "telegram.poll_failed")?.fields.next).toContain("another program");
		await channel.stop();
	});

	it("takes away a webhook that was set before, and says so", async () => {
		const { server, host, log } = await stands.open({ start: false });
		server.updates.setWebhook({ url: "http://127.0.0.1:1/", secret: undefined }, undefined);
		const channel = telegram({ token: server.token, apiRoot: server.apiRoot });
		await channel.start(host);
		await server.until(() => server.callsOf("getUpdates").length === 1);
		expect(server.updates.webhook).toBeUndefined();
		expect(log.lines.map((line) => line.event)).toContain("telegram.webhook_removed");
		await channel.stop();
	});

	it("asks for the kinds it reads, reactions included", async () => {
		const { server } = await stands.open();
		await server.until(() => server.callsOf("getUpdates").length === 1);
		expect(server.callsOf("getUpdates")[0]?.params.allowed_updates).toContain("message_reaction");
	});

	it("one chat whose inbox is full does not hold up the others, and it is said", async () => {
		const { server, host, log } = await stands.open({ start: false });
		const ana = server.person({ id: 7001, name: "Ana" });
		const bea = server.person({ id: 7002, name: "Bea" });
		const accept = host.accept.bind(host);
		host.accept = async (inbound) => (inbound.address === "telegram|7001" ? { outcome: "full" } : accept(inbound));
		const channel = telegram({ token: server.token, apiRoot: server.apiRoot });
		await channel.start(host);
		ana.says("flood");
		bea.says("hola");
		await server.until(() => server.updates.waiting.length === 0);
		expect(host.messages.map(({ content }) => content.text)).toEqual(["hola"]);
		expect(log.lines.map((line) => line.event)).toContain("telegram.dropped");
		await channel.stop();
	});

	it("stops at once in the middle of a long poll", async () => {
		const { server, channel } = await stands.open();
		await server.until(() => server.callsOf("getUpdates").length === 1);
		await channel.stop();
	});
});

describe("the start", () => {
	it("with a token Telegram does not know is refused, and says what to do", async () => {
		const { server, host } = await stands.open({ start: false });
		const channel = telegram({ token: "42:WRONG", apiRoot: server.apiRoot });
		await expect(channel.start(host)).rejects.toMatchObject({
			code: "TELEGRAM_TOKEN_REFUSED",
			fault: "operator",
			next: "copy it from @BotFather again",
		});
	});

	it("while Telegram is down is no failure: it connects later", async () => {
		const { server, host, clock, log } = await stands.open({ start: false });
		server.fail("getMe", undefined, telegramFaults.brokenServer(), telegramFaults.lostThenReset());
		const channel = telegram({ token: server.token, apiRoot: server.apiRoot });
		await channel.start(host);
		server.person({ id: 7001, name: "Ana" }).says("hola");
		await during(clock, () => host.messages.length === 1);
		expect(log.lines.filter((line) => line.event === "telegram.unreachable")).toHaveLength(2);
		await channel.stop();
	});

	it("a token revoked later ends the polling, and says what to do", async () => {
		const { server, host, log } = await stands.open({ start: false });
		server.fail("getUpdates", undefined, telegramFaults.unauthorized());
		const channel = telegram({ token: server.token, apiRoot: server.apiRoot });
		await channel.start(host);
		await soon(() => log.lines.some((line) => line.event === "telegram.token_refused"));
		await channel.stop();
	});
});

describe("B11: two processes", () => {
	/** The right to poll, as a store both can reach keeps it. */
	class Rights {
		readonly #clock: VirtualClock;
		readonly #held = new Map<string, { owner: string; until: number }>();
		/** Owners whose store is out of reach. */
		readonly cutOff = new Set<string>();

		constructor(clock: VirtualClock) {
			this.#clock = clock;
		}

		async hold(name: string, { owner, leaseMs }: { owner: string; leaseMs: number }): Promise<boolean> {
			if (this.cutOff.has(owner)) throw new Error("no connection");
			const held = this.#held.get(name);
			if (held !== undefined && held.owner !== owner && held.until > this.#clock.now()) return false;
			this.#held.set(name, { owner, until: this.#clock.now() + leaseMs });
			return true;
		}

		async letGo(name: string, owner: string): Promise<void> {
			if (this.#held.get(name)?.owner === owner) this.#held.delete(name);
		}
	}

	class SharedHost extends WaitingHost {
		readonly alone: (name: string, run: (signal: AbortSignal) => Promise<void>, stop: AbortSignal) => Promise<void>;

		constructor(rights: Rights, owner: string, clock: VirtualClock, log: RecordingLog) {
			super({ door: "telegram", clock, log });
			const solo = new Solo({ backend: rights, owner, clock, log: silentLog });
			this.alone = (name, run, stop) => solo.run(name, run, stop);
		}
	}

	async function two() {
		const { server, clock, log } = await stands.open({ start: false });
		const rights = new Rights(clock);
		const [first, second] = ["a", "b"].map((owner) => ({
			host: new SharedHost(rights, owner, clock, log),
			channel: telegram({ token: server.token, apiRoot: server.apiRoot }),
		}));
		await first!.channel.start(first!.host);
		await server.until(() => server.callsOf("getUpdates").length === 1);
		await second!.channel.start(second!.host);
		const conflicts = () => log.lines.filter((line) => line.event === "telegram.poll_failed");
		return { server, clock, rights, first: first!, second: second!, conflicts };
	}

	it("the second stands by, and takes over within 10 s after the first stops, without a conflict", async () => {
		const { server, clock, first, second, conflicts } = await two();
		await clock.advance(20_000);
		expect(server.callsOf("getUpdates")).toHaveLength(1);
		const ana = server.person({ id: 7001, name: "Ana" });
		ana.says("to the first");
		await first.host.contents(1);
		await first.channel.stop();
		ana.says("to the second");
		const stopped = clock.now();
		await during(clock, () => second.host.messages.length > 0);
		expect(clock.now() - stopped).toBeLessThanOrEqual(10_000);
		expect(second.host.messages.at(-1)?.content.text).toBe("to the second");
		expect(conflicts()).toEqual([]);
		await second.channel.stop();
	});

	it("a process that dies or cannot reach the store: it polls no more before another may begin, within 8 s", async () => {
		const { server, clock, rights, first, second, conflicts } = await two();
		rights.cutOff.add("a");
		const lost = clock.now();
		server.updates.push({ my_chat_member: {} });
		await during(clock, () => server.callsOf("getUpdates").length >= 3);
		server.person({ id: 7001, name: "Ana" }).says("hola");
		await during(clock, () => second.host.messages.length > 0);
		expect(clock.now() - lost).toBeLessThanOrEqual(8_000);
		expect(first.host.messages).toEqual([]);
		expect(conflicts()).toEqual([]);
		await first.channel.stop();
		await second.channel.stop();
	});
});
