/**
 * The world outside: a server that writes down every call of a tool and every message sent to a person, durably, before
 * it answers. It is never killed. How it misbehaves is decided by the seed. Started with a `LedgerOrder` as JSON.
 */
import { closeSync, fdatasync, openSync, writeSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { between, chance } from "./chance.js";
import type { LedgerLine, LedgerNews, LedgerOrder, SendAnswer, SendRequest, ToolRequest } from "./ledger-line.js";

const { path, seed } = JSON.parse(process.argv[2] ?? "{}") as LedgerOrder;
const file = openSync(path, "a");
const attempts = new Map<string, number>();
const arrived = new Map<string, string>();
let writing = false;
let waiting: { line: LedgerLine; written: () => void }[] = [];

function tell(news: LedgerNews): void {
	process.send?.(news);
}

/** Resolves once the line is on disk; lines that come together are written together. */
function write(line: LedgerLine): Promise<void> {
	return new Promise((written) => {
		waiting.push({ line, written });
		if (!writing) flush();
	});
}

function flush(): void {
	const now = waiting;
	waiting = [];
	writing = now.length > 0;
	if (!writing) return;
	writeSync(file, now.map(({ line }) => `${JSON.stringify(line)}\n`).join(""));
	fdatasync(file, () => {
		tell({ lines: now.map(({ line }) => line) });
		for (const { written } of now) written();
		flush();
	});
}

async function tool(request: ToolRequest, response: ServerResponse): Promise<void> {
	const { tool, key } = request;
	const times = count(`tool ${tool} ${key}`);
	const { address, n } = request;
	const slow = times > SLOW_TIMES ? 0 : delayOf(address, tool, n);
	const before = chance(seed, "before", address, tool, n) < 0.5;
	if (slow > 0 && before) await sleep(slow);
	await write({ what: "tool", ...request });
	if (slow > 0 && !before) await sleep(slow);
	answer(response, 200, { times });
}

/** Asked again and again for the same, the world outside knows by then. Else no process would live long enough for it. */
const SLOW_TIMES = 2;

/** Some calls of tools take a moment, a few of them longer than a lease lasts. */
function delayOf(...words: readonly (string | number)[]): number {
	const kind = chance(seed, "tool", ...words);
	if (kind < 0.006) return between(2_200, 3_500, seed, "long", ...words);
	return kind < 0.12 ? between(10, 200, seed, "short", ...words) : 0;
}

async function send(request: SendRequest, response: ServerResponse): Promise<void> {
	const { address, key, text } = request;
	const attempt = count(`send ${key}`);
	const how = answerTo(address, text, attempt);
	const arrives = how === "sent" || how === "slow" || how === "late" || how === "reset";
	const takes = between(100, 1_200, seed, "slow", address, text);
	if (how === "slow") await sleep(takes);
	await write({ what: "send", ...request, answer: how, arrived: arrives });
	const id = `m${arrived.size}`;
	if (arrives && !arrived.has(key)) arrived.set(key, id);
	if (how === "late") await sleep(takes);
	switch (how) {
		case "sent":
		case "slow":
		case "late":
			return answer(response, 200, { id });
		case "too many":
			return answer(response, 429, { retryAfterMs: between(20, 400, seed, "after", address, text, attempt) });
		case "unavailable":
			return answer(response, 503, {});
		case "reset":
		case "lost":
			response.socket?.resetAndDestroy();
	}
}

function answerTo(address: string, text: string, attempt: number): SendAnswer {
	if (attempt > 3) return "sent";
	const kind = chance(seed, "send", address, text, attempt);
	const kinds: [SendAnswer, number][] = [
		["too many", 0.02],
		["unavailable", 0.02],
		["reset", 0.01],
		["lost", 0.005],
		["slow", 0.02],
		["late", 0.04],
	];
	let reached = 0;
	for (const [name, share] of kinds) {
		reached += share;
		if (kind < reached) return name;
	}
	return "sent";
}

function count(name: string): number {
	const times = (attempts.get(name) ?? 0) + 1;
	attempts.set(name, times);
	return times;
}

function answer(response: ServerResponse, status: number, body: object): void {
	response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	const body = JSON.parse(Buffer.concat(chunks).toString() || "{}");
	switch (request.url) {
		case "/tool":
			return tool(body as ToolRequest, response);
		case "/send":
			return send(body as SendRequest, response);
		case "/times":
			return answer(response, 200, { times: count(`place ${(body as { place: string }).place}`) });
		case "/sent": {
			const id = arrived.get((body as { key: string }).key);
			return answer(response, 200, id === undefined ? {} : { id });
		}
		default:
			return answer(response, 404, {});
	}
}

const server = createServer((request, response) => {
	handle(request, response).catch(() => response.destroy());
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => tell({ port: (server.address() as AddressInfo).port }));
process.on("disconnect", () => {
	closeSync(file);
	process.exit(0);
});
