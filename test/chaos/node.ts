/**
 * A process of the run: a gateway, a worker, or both, over one store, with an HTTP server for what people send. It ends
 * in good order at SIGTERM. Started with a `NodeOrder` as JSON.
 */
import { createWriteStream } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { declare } from "../../src/agent/declare.js";
import { addressKey } from "../../src/call/address.js";
import { systemClock } from "../../src/clock.js";
import { createRuntime } from "../../src/engine/runtime.js";
import { CallboardError } from "../../src/errors.js";
import { pinoLog } from "../../src/observe/pino-log.js";
import { clerkOf } from "./clerk.js";
import { ClerkModel, wordsOf } from "./clerk-model.js";
import { DeskChannel } from "./desk-channel.js";
import { leftOf } from "./left.js";
import { type HandedOver, type NodeNews, type NodeOrder, openStore } from "./node-order.js";
import { post } from "./post.js";

const GRACE_MS = 5_000;
const rolesOf = {
	gateway: ["gateway"],
	worker: ["worker", "sender"],
	all: ["gateway", "worker", "sender"],
} as const;

const order = JSON.parse(process.argv[2] ?? "{}") as NodeOrder;
const by = `${order.name}#${process.pid}`;
const log = pinoLog({
	level: "warn",
	clock: systemClock,
	form: "json",
	output: createWriteStream(order.log, { flags: "a" }),
}).with({ by });

function tell(news: NodeNews): void {
	if (process.connected) process.send?.(news, () => {});
}

const agent = declare(
	clerkOf(async (request) => {
		await post(order.ledger, "/tool", { ...request, by });
	}),
);
const model = new ClerkModel(
	order.seed,
	(address) => tell({ asked: address }),
	async (place) => Number((await post(order.ledger, "/times", { place })).body.times),
);
const channels = new Map((["leave", "lookup"] as const).map((door) => [door, new DeskChannel(door, order.ledger, by)]));
const runtime = createRuntime({
	backend: openStore(order.store, log),
	doors: [...channels].map(([name, channel]) => ({ name, channel, agent, model })),
	roles: rolesOf[order.role],
	limits: { keep: order.keep, firstRetryMs: 300 },
	log,
});
runtime.on("turn.committed", ({ address }) => tell({ settled: address }));

async function handOver(request: IncomingMessage): Promise<{ status: number; outcome: string }> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	const { door, chat, id, n } = JSON.parse(Buffer.concat(chunks).toString()) as HandedOver;
	const address = addressKey({ door, chat });
	const channel = channels.get(door);
	if (channel === undefined) return { status: 404, outcome: "no such door" };
	const content = { kind: "text", text: wordsOf(address, n) } as const;
	try {
		const sentAt = systemClock.now();
		const accepted = await channel.receive({ type: "message", id, address, contact: { id: address }, content, sentAt });
		return { status: accepted.outcome === "full" ? 429 : 200, outcome: accepted.outcome };
	} catch (error) {
		if (!(error instanceof CallboardError)) throw error;
		return { status: 503, outcome: error.code };
	}
}

async function whatIsLeft(): Promise<{ status: number; outcome: string }> {
	const left = await leftOf(runtime.backend);
	return { status: 200, outcome: left.join("; ") };
}

const server = createServer((request, response) => {
	const answer = (status: number, outcome: string) =>
		response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ outcome }));
	const asked = request.url === "/left" ? whatIsLeft() : handOver(request);
	asked.then(
		({ status, outcome }) => answer(status, outcome),
		(error) => {
			log.error("gateway.failed", { error });
			answer(500, "failed");
		},
	);
});

async function stop(): Promise<void> {
	server.close();
	server.closeIdleConnections();
	await runtime.stop(GRACE_MS);
	process.exit(0);
}

process.on("SIGTERM", () => void stop());
process.on("disconnect", () => process.exit(0));
await runtime.start();
server.listen(0, "127.0.0.1", () => tell({ ready: true, port: (server.address() as AddressInfo).port }));
