import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { type Desk, type DeskVerb, deskVerbs } from "../engine/desk.js";
import { CallboardError } from "../errors.js";
import type { Log } from "../observe/log.js";
import { listen } from "./listen.js";

/** Where a running process takes orders of the command line, and what proves that they may be given. */
export interface DeskNote {
	url: string;
	token: string;
	pid: number;
}

export interface DeskServer {
	stop(): Promise<void>;
}

const READING = new Set<DeskVerb>(["calls", "show", "outbox", "survey"]);
const MAX_BODY_BYTES = 256 * 1024;

/**
 * Lets other processes of the same user use this one's desk: an HTTP server that only this machine reaches, on a port
 * of its own, with a token that stands in a file which only this user can read.
 * @param path of that file; it is gone once the server has stopped
 */
export async function serveDesk(desk: Desk, { path, log }: { path: string; log: Log }): Promise<DeskServer> {
	const token = randomBytes(32).toString("hex");
	const server = createServer({ requestTimeout: 10_000 }, async (request, response) => {
		const { status, body } = await answer(desk, request, token, log);
		const headers = { "content-type": "application/json", "cache-control": "no-store", connection: "close" };
		response.writeHead(status, headers).end(JSON.stringify(body));
	});
	await listen(server, 0, "127.0.0.1");
	server.unref();
	const { port } = server.address() as AddressInfo;
	leave(path, { url: `http://127.0.0.1:${port}/`, token, pid: process.pid });
	return {
		async stop() {
			rmSync(path, { force: true });
			await close(server);
		},
	};
}

/** Written beside and moved into place, so that nobody reads half of it, and never readable by anyone else. */
function leave(path: string, note: DeskNote): void {
	mkdirSync(dirname(path), { recursive: true });
	const beside = `${path}.${randomBytes(6).toString("hex")}`;
	writeFileSync(beside, JSON.stringify(note), { mode: 0o600, flag: "wx" });
	renameSync(beside, path);
}

async function answer(desk: Desk, request: IncomingMessage, token: string, log: Log) {
	if (!isToken(request.headers.authorization, token)) return refusal(401, "this is not the token");
	if (request.method === "GET") return { status: 200, body: { pid: process.pid } };
	const order = await read(request);
	if (order === undefined) return refusal(400, "this is no order");
	log[READING.has(order.verb) ? "debug" : "info"]("desk.order", { verb: order.verb });
	try {
		const ask = desk[order.verb].bind(desk) as (given: object) => Promise<unknown>;
		return { status: 200, body: { result: await ask(order.given) } };
	} catch (error) {
		if (!(error instanceof CallboardError)) {
			log.error("desk.failed", { verb: order.verb, error });
			return refusal(500, "it failed inside; the log of the running process says why");
		}
		const { code, fault, message, where, next } = error;
		return { status: 422, body: { error: { code, fault, message, where, next } } };
	}
}

function refusal(status: number, message: string) {
	return { status, body: { error: { code: "DESK_REFUSED", fault: "operator", message } } };
}

async function read(request: IncomingMessage) {
	const pieces: Buffer[] = [];
	let size = 0;
	for await (const piece of request as AsyncIterable<Buffer>) {
		size += piece.length;
		if (size > MAX_BODY_BYTES) return undefined;
		pieces.push(piece);
	}
	try {
		const { verb, given } = JSON.parse(Buffer.concat(pieces).toString("utf8")) as { verb: unknown; given: unknown };
		const known = deskVerbs.find((each) => each === verb);
		return known === undefined || typeof given !== "object" || given === null ? undefined : { verb: known, given };
	} catch {
		return undefined;
	}
}

function isToken(given: string | undefined, token: string): boolean {
	const hash = (text: string) => createHash("sha256").update(text).digest();
	return timingSafeEqual(hash(given ?? ""), hash(`Bearer ${token}`));
}

function close(server: Server): Promise<void> {
	return new Promise((resolve) => {
		server.close(() => resolve());
		server.closeAllConnections();
	});
}
