import { randomBytes } from "node:crypto";
import type { AddressKey } from "../../call/address.js";
import { CallboardError } from "../../errors.js";
import type { Lease } from "../backend.js";
import { checkAddress } from "../check-address.js";
import type { Connection } from "./connection.js";
import type { Partitions } from "./partition.js";
import type { Script } from "./scripts/script.js";

export type Arguments = readonly (string | number)[];

/** Runs the scripts of addresses, each at its partition. */
export class Caller {
	readonly #connection: () => Connection;
	readonly #partitions: Partitions;
	/** Begins the names of this process's operations. */
	readonly #process = randomBytes(4).toString("base64url");
	#operations = 0;
	/** Operations without an answer: asked again, they go by the same name. */
	readonly #unanswered = new Map<string, string>();

	/** @param connection throws while there is none */
	constructor(connection: () => Connection, partitions: Partitions) {
		this.#connection = connection;
		this.#partitions = partitions;
	}

	run(script: Script, address: AddressKey, args: Arguments): Promise<unknown> {
		const connection = this.#connection();
		checkAddress(address);
		return connection.run(script, [this.#partitions.of(address)], [address, ...args]);
	}

	/** Runs what only the holder of a lease may do. @throws CallboardError `LEASE_LOST` */
	async leased(script: Script, { address, owner, fence }: Lease, args: Arguments): Promise<readonly unknown[]> {
		const reply = (await this.run(script, address, [owner, String(fence), ...args])) as unknown[];
		if (reply[0] !== "lost") return reply;
		throw new CallboardError("LEASE_LOST", "lease", "another worker has this address now", {
			where: address,
			next: "stop: nothing of this turn may be written",
		});
	}

	/** Runs what goes by a name, the last argument: asked again because no answer came, it is the same operation still. */
	async named(script: Script, address: AddressKey, args: Arguments): Promise<unknown> {
		const what = `${script.name} ${address}`;
		const operation = this.#unanswered.get(what) ?? this.operation();
		this.#unanswered.delete(what);
		try {
			return await this.run(script, address, [...args, operation]);
		} catch (error) {
			this.#unanswered.set(what, operation);
			throw error;
		}
	}

	/** A name that no other operation has. */
	operation(): string {
		this.#operations += 1;
		return `${this.#process}${this.#operations.toString(36)}`;
	}
}
