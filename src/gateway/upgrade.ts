import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Channel } from "../channel/channel.js";
import type { Log } from "../observe/log.js";
import { clientIp } from "./client-ip.js";
import { publicUrl } from "./public-url.js";
import { routeFor } from "./route.js";

interface UpgradeOptions {
	channels: readonly Channel[];
	log: Log;
	hops: number;
	closing(): boolean;
	/** Called for every socket a channel took over. */
	taken(socket: Duplex): void;
}

/** Offers WebSocket upgrades to the channel whose path it is, and refuses the rest with a plain HTTP answer. */
export function upgradeHandler(options: UpgradeOptions) {
	const { channels, log, hops } = options;
	return (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
		socket.on("error", () => socket.destroy());
		if (options.closing()) return refuse(socket, 503);
		const request = toRequest(incoming, hops);
		if (request === undefined) return refuse(socket, 400);
		const routes = routeFor(channels, new URL(request.url).pathname);
		const ip = clientIp(incoming.headers["x-forwarded-for"], incoming.socket.remoteAddress, hops);
		try {
			if (routes?.upgrade?.(request, socket, head, { ip }) !== true) return refuse(socket, 404);
			options.taken(socket);
		} catch (error) {
			log.error("gateway.upgrade_failed", { error });
			socket.destroy();
		}
	};
}

function toRequest(incoming: IncomingMessage, hops: number): Request | undefined {
	const url = `http://${incoming.headers.host ?? "localhost"}${incoming.url ?? "/"}`;
	if (incoming.method !== "GET" || !URL.canParse(url)) return undefined;
	const headers = new Headers();
	for (const [name, value] of Object.entries(incoming.headers)) {
		if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
	}
	return new Request(publicUrl(url, headers, hops), { headers });
}

function refuse(socket: Duplex, status: number): void {
	socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
