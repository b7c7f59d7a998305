import { Redis } from "ioredis";
import { RedisServer } from "./redis-server.js";

const SLOTS = 16_384;

/** A real cluster of three nodes on the loopback interface, without replicas. */
export class RedisCluster {
	private constructor(readonly nodes: readonly RedisServer[]) {}

	static async start(): Promise<RedisCluster> {
		const args = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"];
		const nodes = await Promise.all([1, 2, 3].map(() => RedisServer.start({ aof: true, args })));
		const clients = nodes.map(({ url }) => new Redis(url));
		const share = Math.ceil(SLOTS / nodes.length);
		for (const [index, client] of clients.entries()) {
			const from = index * share;
			await client.call("CLUSTER", "ADDSLOTSRANGE", from, Math.min(SLOTS, from + share) - 1);
			for (const { port } of nodes) await client.call("CLUSTER", "MEET", "127.0.0.1", port);
		}
		for (const client of clients) {
			while (!(await client.cluster("INFO")).includes("cluster_state:ok"))
				await new Promise((resolve) => setTimeout(resolve, 20));
			client.disconnect();
		}
		return new RedisCluster(nodes);
	}

	/** Of any one node: the others are found. */
	get url(): string {
		return this.nodes[0]!.url;
	}

	async dispose(): Promise<void> {
		await Promise.all(this.nodes.map((node) => node.dispose()));
	}
}
