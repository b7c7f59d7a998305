import { WebSocket } from "ws";
import type { ClientFrame, ServerFrame } from "../../channels/web/protocol.js";

type Frame<T extends ServerFrame["type"]> = Extract<ServerFrame, { type: T }>;

/** A page's socket without a page. */
export class SocketClient {
	readonly frames: ServerFrame[] = [];
	readonly socket: WebSocket;
	/** The code it was closed with. */
	readonly closed: Promise<number>;
	/** How far the frames of each type were taken. */
	readonly #taken = new Map<string, number>();
	#look: () => void = () => {};

	constructor(url: string, headers: Record<string, string> = {}) {
		const origin = url.replace(/^(http:\/\/[^/]+).*$/, "$1");
		this.socket = new WebSocket(`${url.replace(/^http/, "ws")}/chat/socket`, { headers: { origin, ...headers } });
		this.socket.on("message", (data) => {
			this.frames.push(JSON.parse(String(data)));
			this.#look();
		});
		this.socket.on("error", () => {});
		this.closed = new Promise((resolve) => {
			this.socket.on("close", (code) => {
				resolve(code);
				this.#look();
			});
		});
	}

	/** Resolves when it is open, or with the HTTP status it was refused with. */
	opened(): Promise<number> {
		return new Promise((resolve) => {
			this.socket.on("open", () => resolve(101));
			this.socket.on("unexpected-response", (_request, response) => {
				resolve(response.statusCode ?? 0);
				this.socket.terminate();
			});
		});
	}

	send(frame: ClientFrame | string): void {
		this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
	}

	/** Says hello and resolves with the history. */
	async hello(token: string, last?: string): Promise<Frame<"history">> {
		if (this.socket.readyState !== WebSocket.OPEN) await this.opened();
		this.send({ type: "hello", token, ...(last === undefined ? {} : { last }) });
		return this.next("history");
	}

	/** The next frame of this type that was not taken before. */
	async next<T extends ServerFrame["type"]>(type: T): Promise<Frame<T>> {
		const from = this.#taken.get(type) ?? 0;
		for (;;) {
			const at = this.frames.findIndex((frame, index) => index >= from && frame.type === type);
			if (at >= 0) {
				this.#taken.set(type, at + 1);
				return this.frames[at] as Frame<T>;
			}
			if (this.socket.readyState === WebSocket.CLOSED) throw new Error(`closed while waiting for ${type}`);
			await new Promise<void>((resolve) => {
				this.#look = resolve;
			});
		}
	}
}
