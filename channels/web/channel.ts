import type { Duplex } from "node:stream";
import type { AddressKey } from "../../src/call/address.js";
import type { Part } from "../../src/call/part.js";
import type { Capabilities } from "../../src/channel/capabilities.js";
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
	readonly capabilities: Capabilities = {
		text: { max: 1_000_000, unit: "utf16", markup: "markdown" },
		choices: { buttons: 50, rows: 50, labelMax: 200, idMaxBytes: 512 },
		edits: false,
		streaming: "native",
		typingMs: 10_000,
		media: { in: false, out: true, captionMax: 1_000_000 },
		ackMs: 5_000,
		ambiguous: "leave",
		rate: { perChatPerSecond: 50, perDoorPerSecond: 5_000 },
	};
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

	/** One payload a part: the page shows it as one line under the part's id. */
	render(part: Part): readonly Payload[] {
		return [renderPart(part) as Payload];
	}

	/**
	 * Shows a part on every open page of the visitor. It counts as sent also when none is open: the transcript holds it,
	 * and the page reads that when it comes back.
	 */
	async send(payload: Payload, { address, key }: Delivery): Promise<SendResult> {
		const running = this.#running;
		if (running === undefined) {
			return { outcome: "retry", afterMs: 1_000, scope: "door", reason: "the web channel is not running" };
		}
		const part = payload as WebPart;
		running.hub.said(address, { id: partIdOf(key), from: "agent", at: running.host.clock.now(), part });
		return { outcome: "sent", id: key };
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

/** The id a part has in the transcript: a delivery's key without the index of its payload. */
function partIdOf(key: string): string {
	return key.replace(/\.\d+$/, "");
}

function refuse(socket: Duplex, status: string): void {
	socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
