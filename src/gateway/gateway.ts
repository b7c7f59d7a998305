import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import type { Channel } from "../channel/channel.js";
import { type Clock, systemClock } from "../clock.js";
import type { Log } from "../observe/log.js";
import { type AdminOptions, adminApp } from "./admin.js";
import { clientIp } from "./client-ip.js";
import { gatewayApp } from "./gateway-app.js";
import type { Health } from "./health.js";
import { listen } from "./listen.js";
import { publicUrl } from "./public-url.js";
import { upgradeHandler } from "./upgrade.js";

export interface GatewayOptions {
	/** TCP port; 0 takes any free one. */
	port: number;
	/** Address to listen on. Default `127.0.0.1`; `0.0.0.0` or `::` opens it to the network. */
	host?: string;
	/** Channels whose `routes` are served, in order: the first matching path answers. */
	channels: readonly Channel[];
	/** Asked by `GET /ready`. Without it the process is ready as soon as it listens. */
	health?: () => Promise<Health>;
	/** Metrics and pages for the operator. Without it they do not exist. */
	admin?: AdminOptions;
	log: Log;
	/**
	 * How many reverse proxies of yours stand in front. Only then are `X-Forwarded-For`, `-Proto` and `-Host` believed,
	 * counted from the right. Default 0.
	 */
	trustProxy?: number;
	/** Largest request body in bytes. Default 1 MiB; channels may allow less. */
	maxBodyBytes?: number;
	/** Longest time until a route must have begun its answer, and a client must have sent its request. Default 30 s. */
	requestTimeoutMs?: number;
	clock?: Clock;
}

export interface Gateway {
	/** Where it is reached from this machine: `http://127.0.0.1:3000`. */
	readonly url: string;
	readonly port: number;
	/**
	 * Takes no new connection, tells sockets and event streams that the server is going away so that they reconnect, lets
	 * running requests end, and closes what is left after `graceMs`. May be called again.
	 */
	stop(graceMs: number): Promise<void>;
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** A WebSocket close frame: code 1001, "going away". */
const GOING_AWAY = Buffer.from([0x88, 0x02, 0x03, 0xe9]);

/**
 * Serves the routes of channels, `/health` and `/ready` over HTTP, and the operator's pages where there is a token.
 * @throws CallboardError `PORT_IN_USE`, `PORT_REFUSED` or `HOST_UNKNOWN` (fault `operator`) when it cannot listen there.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
	const { port, host = "127.0.0.1", channels, log, clock = systemClock } = options;
	const hops = options.trustProxy ?? 0;
	const timeoutMs = options.requestTimeoutMs ?? 30_000;
	const app = gatewayApp({
		channels,
		health: options.health,
		admin: options.admin && (await adminApp({ ...options.admin, clock, log })),
		log,
		clock,
		timeoutMs,
		maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
	});
	const responses = new Set<ServerResponse>();
	const streams = new WeakSet<ServerResponse>();
	const sockets = new Set<Duplex>();
	let stopping: Promise<void> | undefined;
	const server = createAdaptorServer({
		fetch: async (request, env) => {
			const { incoming, outgoing } = env as HttpBindings;
			if (!METHODS.has(request.method))
				return new Response(null, { status: 405, headers: { allow: [...METHODS].join() } });
			const ip = clientIp(incoming.headers["x-forwarded-for"], incoming.socket.remoteAddress, hops);
			const response = await app.fetch(plainRequest(request, hops), { ip });
			if (response.headers.get("content-type")?.startsWith("text/event-stream")) streams.add(outgoing);
			return response;
		},
		overrideGlobalObjects: false,
		serverOptions: {
			requestTimeout: timeoutMs,
			headersTimeout: timeoutMs,
			keepAliveTimeout: 65_000,
			connectionsCheckingInterval: 5_000,
		},
	}) as Server;

	server.on("request", (_incoming, response: ServerResponse) => {
		if (stopping !== undefined) response.shouldKeepAlive = false;
		responses.add(response);
		response.once("close", () => responses.delete(response));
	});
	server.on(
		"upgrade",
		upgradeHandler({
			channels,
			log,
			hops,
			closing: () => stopping !== undefined,
			taken: (socket) => {
				sockets.add(socket);
				socket.once("close", () => sockets.delete(socket));
			},
		}),
	);
	await listen(server, port, host);
	server.on("error", (error) => log.error("gateway.server_failed", { error }));

	const bound = (server.address() as AddressInfo).port;
	const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
	const url = `http://${shown.includes(":") ? `[${shown}]` : shown}:${bound}`;
	log.info("gateway.listening", { url });

	const close = async (graceMs: number): Promise<void> => {
		const closed = new Promise<void>((resolve) => server.close(() => resolve()));
		server.closeIdleConnections();
		for (const socket of sockets) {
			socket.end(GOING_AWAY);
			// Whoever read it may have stopped to; the other end's goodbye must still be seen.
			socket.resume();
		}
		for (const response of responses) {
			response.shouldKeepAlive = false;
			if (streams.has(response)) response.destroy();
		}
		const cancel = clock.after(graceMs, () => {
			for (const socket of sockets) socket.destroy();
			server.closeAllConnections();
		});
		await closed;
		cancel();
		log.info("gateway.stopped", { url });
	};
	return {
		url,
		port: bound,
		stop(graceMs) {
			stopping ??= close(graceMs);
			return stopping;
		},
	};
}

/** The adapter's request is a thin stand-in that not every library takes; this is a real one, with the address a browser sees. */
function plainRequest(request: Request, hops: number): Request {
	const { method, headers, signal, body } = request;
	const url = publicUrl(request.url, headers, hops);
	return new Request(url, { method, headers, signal, ...(body === null ? {} : { body, duplex: "half" }) });
}
