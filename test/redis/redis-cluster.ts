import { Redis } from "ioredis";
import { RedisServer } from "./redis-server.js";

const SLOTS = 16_384;
const PRIMARIES = 3;

export interface RedisClusterOptions {
	/** Gives the first primary a replica, the last of `nodes`. */
	replica?: boolean;
	/** Further options of every node: `["--cluster-require-full-coverage", "no"]`. */
	args?: readonly string[];
}

/** A real cluster of three primaries on the loopback interface. */
export class RedisCluster {
	private constructor(readonly nodes: readonly RedisServer[]) {}

	static async start({ replica = false, args: more = [] }: RedisClusterOptions = {}): Promise<RedisCluster> {
		const args = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000", ...more];
		const count = replica ? PRIMARIES + 1 : PRIMARIES;
		const nodes = await Promise.all(Array.from({ length: count }, () => RedisServer.start({ aof: true, args })));
		const clients = nodes.map(({ url }) => new Redis(url));
		const share = Math.ceil(SLOTS / PRIMARIES);
		for (const [index, client] of clients.entries()) {
			const from = index * share;
			const to = Math.min(SLOTS, from + share) - 1;
			if (index < PRIMARIES) await client.call("CLUSTER", "ADDSLOTSRANGE", from, to);
			for (const { port } of nodes) await client.call("CLUSTER", "MEET", "127.0.0.1", port);
		}
		const [first] = clients;
		for (const client of clients)
			await until(async () => {
				const info = await client.cluster("INFO");
				return info.includes("cluster_state:ok") && info.includes(`cluster_known_nodes:${count}`);
			});
		if (replica && first !== undefined) {
			await clients.at(-1)?.call("CLUSTER", "REPLICATE", await first.cluster("MYID"));
			await until(async () => (await first.info("replication")).includes("state=online"));
		}
		for (const client of clients) client.disconnect();
		return new RedisCluster(nodes);
	}

	/** Of any one node: the others are found. */
	get url(): string {
		return this.nodes[0]!.url;
	}

	get urls(): readonly string[] {
		return this.nodes.map(({ url }) => url);
	}

	/** Which node has a key, as long as none was failed over. */
	async nodeOf(key: string): Promise<RedisServer> {
		const client = new Redis(this.url);
		const slot = Number(await client.call("CLUSTER", "KEYSLOT", key));
		client.disconnect();
		return this.nodes[Math.floor(slot / Math.ceil(SLOTS / PRIMARIES))]!;
	}

	/** Resolves when the replica has all that the first primary had taken: it is told of writes after they are answered. */
	async replicated(): Promise<void> {
		const [primary, replica] = [new Redis(this.url), new Redis(this.nodes[PRIMARIES]!.url)];
		const offset = async (client: Redis, field: string) =>
			Number(new RegExp(`${field}:(\\d+)`).exec(await client.info("replication"))?.[1]);
		const taken = await offset(primary, "master_repl_offset");
		await until(async () => (await offset(replica, "slave_repl_offset")) >= taken);
		for (const client of [primary, replica]) client.disconnect();
	}

	async dispose(): Promise<void> {
		await Promise.all(this.nodes.map((node) => node.dispose()));
	}
}

async function until(holds: () => Promise<boolean>): Promise<void> {
	while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}
