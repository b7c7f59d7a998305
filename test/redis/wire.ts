import { connect, createServer, type Server, type Socket } from "node:net";

/** A wire to a server that can be cut when the server has answered and the answer has not arrived, go dead, or be slow. */
export class Wire {
	readonly #pairs = new Set<{ client: Socket; server: Socket }>();
	readonly #server: Server;
	/** How many more chunks from the server to let through before one is lost and its connection cut. */
	#untilCut = Number.POSITIVE_INFINITY;
	#dead = false;
	#cuts = 0;
	#lateMs = 0;

	private constructor(target: number) {
		this.#server = createServer((client) => {
			const server = connect(target, "127.0.0.1");
			const pair = { client, server };
			this.#pairs.add(pair);
			const dead = this.#dead;
			client.on("data", (chunk) => {
				if (!this.#dead && !dead) server.write(chunk);
			});
			server.on("data", (chunk) => {
				if (this.#dead || dead) return;
				this.#untilCut -= 1;
				if (this.#untilCut > 0) {
					if (this.#lateMs === 0) client.write(chunk);
					else setTimeout(() => client.write(chunk), this.#lateMs);
					return;
				}
				this.#untilCut = Number.POSITIVE_INFINITY;
				this.#cuts += 1;
				this.#end(pair);
			});
			for (const socket of [client, server]) {
				socket.on("error", () => {});
				socket.on("close", () => this.#end(pair));
			}
		});
	}

	static async to(target: number): Promise<Wire> {
		const wire = new Wire(target);
		await new Promise<void>((resolve) => wire.#server.listen(0, "127.0.0.1", resolve));
		return wire;
	}

	get url(): string {
		return `redis://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
	}

	/** How often an answer was lost. */
	get cuts(): number {
		return this.#cuts;
	}

	/** Loses the answer that comes after so many, and cuts its connection. */
	loseAnswer(after: number): void {
		this.#untilCut = after;
	}

	/** From now on, for good, every answer comes so much later, ms: what is under way would be overtaken otherwise. */
	slow(ms: number): void {
		this.#lateMs = ms;
	}

	/** Connections stay open and nothing passes any more, as after a failover without a goodbye. New ones work again. */
	die(): void {
		this.#dead = true;
		for (const { client, server } of this.#pairs) {
			client.removeAllListeners("data");
			server.removeAllListeners("data");
			client.resume();
			server.resume();
		}
		this.#dead = false;
	}

	close(): void {
		for (const pair of this.#pairs) this.#end(pair);
		this.#server.close();
	}

	#end(pair: { client: Socket; server: Socket }): void {
		this.#pairs.delete(pair);
		pair.client.destroy();
		pair.server.destroy();
	}
}
