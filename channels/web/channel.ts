import type { Duplex } from "node:stream";
import type { AddressKey } from "../../src/call/address.js";
import type { Part } from "../../src/call/part.js";
import type {
	Channel,
	ChannelHost,
	ChannelRoutes,
	Delivery,
	LiveEvent,
	Payload,
	SendResult,
} from "../../src/channel/channel.js";
import { Credentials } from "./credentials.js";
import { sentEntry } from "./entry.js";
import { Hub } from "./hub.js";
import { Origins } from "./origins.js";
import { pageAssets } from "./page.js";
import type { WebPart } from "./protocol.js";
import { RateLimit } from "./rate-limit.js";
import { renderPart } from "./render-part.js";
import { answer, type RouteParts } from "./routes.js";
import { Sessions } from "./session.js";
import { ChatSockets } from "./socket.js";
import { VisitorDesk } from "./visitor-desk.js";
import { webCapabilities } from "./web-capabilities.js";
import { type WebOptions, type WebSettings, webSettings } from "./web-options.js";

export type { WebOptions, WebTheme } from "./web-options.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * A chat for web pages: a page of its own at `/`, a widget that any site can embed, and the sockets behind both.
 * @throws CallboardError `WEB_OPTION_INVALID` (fault `author`) naming the option
 */
export function web(options: WebOptions = {}): WebChannel {
	return new WebChannel(webSettings(options));
}

/** What a running channel has. */
interface Running extends RouteParts {
	sockets: ChatSockets;
}

export class WebChannel implements Channel {
	readonly name = "web";
	readonly transport = "chat";
	readonly capabilities = webCapabilities;
	readonly routes: ChannelRoutes;
	readonly #settings: WebSettings;
	#running: Running | undefined;

	constructor(settings: WebSettings) {
		this.#settings = settings;
		this.routes = {
			paths: settings.page ? [settings.path, "/"] : [settings.path],
			fetch: (request, { ip }) => this.#fetch(request, ip),
			upgrade: (request, socket, head, { ip }) => this.#upgrade(request, socket, head, ip),
		};
	}

	async start(host: ChannelHost): Promise<void> {
		const settings = this.#settings;
		if (settings.passing) {
			host.log.warn("web.secret_missing", {
				note: "sessions end when this process stops; set a secret of the web channel to keep them",
			});
		}
		const sessions = new Sessions(settings.secrets, host.door, settings.sessionDays * DAY_MS);
		const origins = new Origins(settings.allowedOrigins);
		const credentials = new Credentials(sessions, origins, host.door, settings.path);
		const hub = new Hub(host.clock, settings.connections);
		const desk = new VisitorDesk(host, hub, sessions, settings, {
			session: new RateLimit(settings.rate.perSession),
			ip: new RateLimit(settings.rate.perIp),
		});
		const { clock, log } = host;
		this.#running = {
			host,
			desk,
			hub,
			sessions,
			credentials,
			origins,
			settings,
			newcomers: new RateLimit(settings.rate.perIp),
			assets: await pageAssets(settings),
			sockets: new ChatSockets({ desk, hub, credentials, clock, log }),
		};
	}

	async stop(): Promise<void> {
		this.#running?.hub.closeAll("going_away");
		this.#running = undefined;
	}

	render(part: Part): readonly Payload[] {
		return renderPart(part) as Payload[];
	}

	/**
	 * Shows a line on every open page of the visitor. It counts as sent also when none is open: the transcript holds it,
	 * and the page reads that when it comes back.
	 */
	async send(payload: Payload, delivery: Delivery): Promise<SendResult> {
		this.said(payload, delivery);
		return { outcome: "sent", id: delivery.key };
	}

	said(payload: Payload, { address, key }: Pick<Delivery, "address" | "key">): void {
		if (this.#running === undefined) return;
		const { hub, host } = this.#running;
		hub.said(address, sentEntry(key, payload as WebPart, host.clock.now()));
	}

	show(address: AddressKey, event: LiveEvent): void {
		this.#running?.hub.show(address, event);
	}

	ended(address: AddressKey, reason: string): void {
		this.#running?.hub.ended(address, reason);
	}

	async #fetch(request: Request, ip: string): Promise<Response> {
		if (this.#running === undefined) return Response.json({ error: "unavailable" }, { status: 503 });
		return answer(request, ip, this.#running);
	}

	#upgrade(request: Request, socket: Duplex, head: Buffer, ip: string): boolean {
		if (new URL(request.url).pathname !== `${this.#settings.path}/socket`) return false;
		const running = this.#running;
		if (running === undefined) refuse(socket, "503 Service Unavailable");
		else if (request.headers.get("origin") === null || !running.origins.allows(request))
			refuse(socket, "403 Forbidden");
		else running.sockets.upgrade(request, socket, head, ip);
		return true;
	}
}

function refuse(socket: Duplex, status: string): void {
	socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
