import { createServer, connect as dial, type Server, type Socket } from "node:net";

/** A line between browser and server that can be cut, or closed for some requests, as networks do. */
export class WireCutter {
	/** Requests whose first line holds one of these are dropped without a word. */
	readonly blocked = new Set<string>();
	/** First lines of the requests that opened a connection. */
	readonly opened: string[] = [];
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();
	#down = false;
	port = 0;

	private constructor(target: () => number) {
		this.#server = createServer((near) => this.#join(near, target));
	}

	/** @param target the port behind, asked for every new connection */
	static async start(target: () => number): Promise<WireCutter> {
		const cutter = new WireCutter(target);
		await new Promise<void>((resolve) => cutter.#server.listen(0, "127.0.0.1", resolve));
		const address = cutter.#server.address();
		if (address === null || typeof address === "string") throw new TypeError("no port");
		cutter.port = address.port;
		return cutter;
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	/** Cuts every connection; new ones go through again. */
	cut(): void {
		for (const socket of this.#sockets) socket.destroy();
	}

	/** Cuts every connection and refuses new ones until `up`. */
	down(): void {
		this.#down = true;
		this.cut();
	}

	up(): void {
		this.#down = false;
	}

	async stop(): Promise<void> {
		const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
		this.cut();
		await closed;
	}

	#join(near: Socket, target: () => number): void {
		if (this.#down) {
			near.destroy();
			return;
		}
		this.#keep(near);
		near.once("data", (first) => {
			const line = first.toString("latin1").split("\r\n", 1)[0] ?? "";
			this.opened.push(line);
			if ([...this.blocked].some((part) => line.includes(part))) {
				near.destroy();
				return;
			}
			const far = dial(target(), "127.0.0.1");
			this.#keep(far);
			far.write(first);
			near.pipe(far).pipe(near);
			near.on("close", () => far.destroy());
			far.on("close", () => near.destroy());
		});
	}

	#keep(socket: Socket): void {
		this.#sockets.add(socket);
		socket.on("error", () => socket.destroy());
		socket.on("close", () => this.#sockets.delete(socket));
	}
}
