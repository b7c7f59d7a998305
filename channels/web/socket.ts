import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { ChannelHost } from "../../src/channel/channel.js";
import type { Clock } from "../../src/clock.js";
import { frameId, readClientFrame } from "./client-frame.js";
import type { Credentials } from "./credentials.js";
import type { CloseReason, Hub, Sink } from "./hub.js";
import { type ClientFrame, MAX_FRAME_BYTES, type ServerFrame } from "./protocol.js";
import { refusal, type Visitor, type VisitorDesk } from "./visitor-desk.js";

interface SocketOptions {
	desk: VisitorDesk;
	hub: Hub;
	credentials: Credentials;
	clock: Clock;
	log: ChannelHost["log"];
}

const PING_EVERY_MS = 15_000;
const HELLO_WITHIN_MS = 10_000;
const BUFFER_MAX_BYTES = 1024 * 1024;
/** Above this a draft is left out: the next one holds the whole text again. */
const BUFFER_DRAFT_BYTES = 64 * 1024;
/** Frames a page may have unanswered before it is cut off. */
const BACKLOG_MAX = 50;

const CLOSE_CODES: Record<CloseReason, number> = {
	going_away: 1001,
	unavailable: 1013,
	bad: 4400,
	session: 4401,
	replaced: 4409,
};

/** The WebSocket end of the chat. */
export class ChatSockets {
	readonly #options: SocketOptions;
	readonly #server = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, clientTracking: false });

	constructor(options: SocketOptions) {
		this.#options = options;
	}

	/** Takes over a socket whose origin was checked. */
	upgrade(request: Request, socket: Duplex, head: Buffer, ip: string): void {
		const incoming = new IncomingMessage(socket as Socket);
		incoming.method = "GET";
		incoming.url = new URL(request.url).pathname;
		incoming.headers = Object.fromEntries(request.headers);
		this.#server.handleUpgrade(incoming, socket, head, (ws) => this.#open(ws, request, ip));
	}

	#open(ws: WebSocket, request: Request, ip: string): void {
		const { desk, hub, credentials, clock, log } = this.#options;
		const sink = socketSink(ws);
		let visitor: Visitor | undefined;
		let leave = () => {};
		let backlog = 0;
		let work = Promise.resolve();

		const hello = async (frame: Extract<ClientFrame, { type: "hello" }>): Promise<void> => {
			const session = credentials.session(request, clock.now(), frame.token);
			if (session === undefined || visitor !== undefined) {
				sink.send(refusal("session", "there is no valid session"));
				return sink.close("session");
			}
			stopHello();
			visitor = { session, ip, language: frame.language };
			const member = hub.join(desk.addressOf(session), sink);
			leave = member.leave;
			member.begin(await desk.history(session, frame.last));
		};
		const handle = async (text: string): Promise<void> => {
			const frame = readClientFrame(text);
			if (ws.readyState !== ws.OPEN) return;
			if (frame?.type === "ping") return sink.send({ type: "pong" });
			if (frame?.type === "hello") return hello(frame);
			if (visitor === undefined) return sink.send(refusal("bad", "the first frame is hello"));
			if (frame === undefined) return sink.send(refusal("bad", "this is not a known frame", frameId(text)));
			sink.send(await desk.take(visitor, frame));
		};
		const fail = (error: unknown): void => {
			log.warn("web.socket_failed", { error });
			sink.send(refusal("unavailable", "the conversation could not be read"));
			sink.close("unavailable");
		};

		ws.on("message", (data, binary) => {
			if (binary || ++backlog > BACKLOG_MAX) return sink.close("bad");
			const text = textOf(data);
			work = work
				.then(() => handle(text))
				.catch(fail)
				.finally(() => backlog--);
		});
		const stopPings = pingEvery(ws, clock);
		const stopHello = clock.after(HELLO_WITHIN_MS, () => sink.close("session"));
		// It is closing by itself, and what still comes is read: cut off, a page would not learn that its frame was too large.
		ws.on("error", () => {});
		ws.on("close", () => {
			stopPings();
			stopHello();
			leave();
		});
	}
}

function socketSink(ws: WebSocket): Sink {
	return {
		send(frame: ServerFrame): void {
			if (ws.readyState !== ws.OPEN) return;
			if (ws.bufferedAmount > BUFFER_MAX_BYTES) {
				ws.terminate();
				return;
			}
			if (frame.type === "draft" && ws.bufferedAmount > BUFFER_DRAFT_BYTES) return;
			ws.send(JSON.stringify(frame));
		},
		close(reason) {
			ws.close(CLOSE_CODES[reason], reason);
		},
	};
}

/** Ends a connection whose other end has gone without saying so. */
function pingEvery(ws: WebSocket, clock: Clock): () => void {
	let alive = true;
	let cancel = () => {};
	ws.on("pong", () => {
		alive = true;
	});
	const beat = (): void => {
		if (!alive) {
			ws.terminate();
			return;
		}
		alive = false;
		ws.ping();
		cancel = clock.after(PING_EVERY_MS, beat);
	};
	cancel = clock.after(PING_EVERY_MS, beat);
	return () => cancel();
}

function textOf(data: RawData): string {
	if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
	return Buffer.from(data as ArrayBuffer).toString("utf8");
}
