import { type WebChannel, type WebOptions, web } from "../../channels/web/channel.js";
import { type Gateway, startGateway } from "../../src/gateway/gateway.js";
import { type Log, silentLog } from "../../src/observe/log.js";
import type { FakeHost } from "./fake-host.js";

/** The web channel behind a real gateway on a free port of this machine; it can be restarted on the same port. */
export class ChatServer {
	readonly #host: FakeHost;
	readonly #options: WebOptions;
	readonly #log: Log;
	#running: { channel: WebChannel; gateway: Gateway } | undefined;
	port = 0;

	private constructor(host: FakeHost, options: WebOptions, log: Log) {
		this.#host = host;
		this.#options = { title: "Test Clinic", secret: "a secret of the tests alone", ...options };
		this.#log = log;
	}

	static async start(host: FakeHost, options: WebOptions = {}, log: Log = silentLog): Promise<ChatServer> {
		const server = new ChatServer(host, options, log);
		await server.start();
		return server;
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	async start(): Promise<void> {
		const channel = web(this.#options);
		await channel.start(this.#host);
		this.#host.channel = channel;
		const gateway = await startGateway({ port: this.port, channels: [channel], log: this.#log });
		this.port = gateway.port;
		this.#running = { channel, gateway };
	}

	/** As `callboard` does on SIGTERM: the channel says goodbye, then the server closes. */
	async stop(): Promise<void> {
		const running = this.#running;
		this.#running = undefined;
		await running?.channel.stop();
		await running?.gateway.stop(0);
	}
}
