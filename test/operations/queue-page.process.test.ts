import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Gateway, startGateway } from "../../src/gateway/gateway.js";
import { RecordingLog } from "../../src/testing/recording-log.js";
import { RedisServer } from "../redis/redis-server.js";
import { launchChromium } from "../web/drive.js";

const token = "an-admin-token-of-32-characters-!";
let redis: RedisServer;
let connection: Redis;
let queues: readonly Queue[];
let gateway: Gateway;

beforeAll(async () => {
	redis = await RedisServer.start();
	connection = new Redis(redis.url, { maxRetriesPerRequest: null });
	queues = ["cb-turn", "cb-send"].map((name) => new Queue(name, { connection, prefix: "{cb}" }));
	await queues[0]?.add("wake", { address: "web|ana" }, { delay: 3_600_000 });
	const metrics = async () => ({ type: "text/plain", text: "" });
	const admin = { token, metrics, queues };
	gateway = await startGateway({ port: 0, channels: [], log: new RecordingLog(), admin });
});

afterAll(async () => {
	await gateway?.stop(0);
	await Promise.all((queues ?? []).map((queue) => queue.close()));
	connection?.disconnect();
	await redis?.dispose();
});

describe("bull-board", () => {
	it("shows the queues to who has the token, and nothing of them to anybody else", async () => {
		const list = `${gateway.url}/admin/queues/api/queues`;
		for (const path of ["", "/", "/api/queues", "/static/favicon-32x32.png"])
			expect((await fetch(`${gateway.url}/admin/queues${path}`)).status).toBe(401);
		const retried = await fetch(`${gateway.url}/admin/queues/api/queues/cb-turn/pause`, { method: "PUT" });
		expect(retried.status).toBe(401);
		const answer = await fetch(list, { headers: { authorization: `Bearer ${token}` } });
		const found = (await answer.json()) as { queues: { name: string; counts: { delayed: number } }[] };
		expect(found.queues.map(({ name, counts }) => [name, counts.delayed])).toEqual([
			["cb-turn", 1],
			["cb-send", 0],
		]);
		expect(answer.headers.get("content-security-policy")).toContain("script-src 'self'");
	});

	it("a person enters by the form, and the page works under its own policy, reaching nothing else", async () => {
		const browser = await launchChromium();
		try {
			const page = await browser.newPage();
			const refused: string[] = [];
			page.on("pageerror", (error) => refused.push(error.message));
			await page.goto(`${gateway.url}/admin`);
			await page.getByLabel(/Admin token/).fill("wrong");
			await page.getByRole("button", { name: "Enter" }).click();
			await page.getByRole("alert").getByText("That is not the token.").waitFor();
			await page.getByLabel(/Admin token/).fill(token);
			await page.getByRole("button", { name: "Enter" }).click();
			await page.getByText("cb-turn").first().waitFor();
			expect(new URL(page.url()).pathname).toMatch(/^\/admin\/queues/);
			await page.getByText("cb-send").first().waitFor();
			expect(refused).toEqual([]);
		} finally {
			await browser.close();
		}
	});
});
