import type { AddressKey } from "../call/address.js";
import type { Door } from "./door.js";
import type { EngineParts } from "./engine-parts.js";
import { type Budget, Gate } from "./gate.js";
import { doorLimit } from "./rates.js";
import { Share } from "./share.js";

export interface GatesOptions extends Pick<EngineParts, "backend" | "owner" | "clock" | "log"> {
	/** Lets an address go on that had to wait: it enters at once. */
	go(address: AddressKey): void;
}

/** The gates of a process: of its doors with a limit, and of those that asked to be left alone. Others have none. */
export class Gates {
	readonly #options: GatesOptions;
	readonly #gates = new Map<string, Gate>();
	readonly #shares: Share[] = [];

	constructor(options: GatesOptions) {
		this.#options = options;
	}

	/** Holds a door to what its platform takes; where other processes send by it, to a part of that. */
	limit({ name, channel: { capabilities } }: Door): void {
		if (capabilities.rate === undefined) return;
		const { backend, owner, clock, log } = this.#options;
		const limit = doorLimit(capabilities.rate);
		if (backend.share === undefined) {
			this.#add(name, limit);
			return;
		}
		const ask = backend.share.bind(backend);
		const wants = () => gate.wanted;
		const changed = (closedUntil: number) => {
			gate.close(closedUntil);
			gate.look();
		};
		const share = new Share({ ask, door: name, owner, limit, clock, log, wants, changed });
		const gate = this.#add(name, share);
		this.#shares.push(share);
		share.start();
	}

	/** Undefined for a door that any number may pass. */
	of({ name }: Door): Gate | undefined {
		return this.#gates.get(name);
	}

	/** The platform asks to be left alone by the whole door. */
	close(door: Door, until: number): void {
		const gate = this.of(door) ?? this.#add(door.name);
		gate.close(until);
	}

	/** Nobody is let go on any more, and what may be sent is left to other processes. */
	stop(): void {
		for (const gate of this.#gates.values()) gate.stop();
		for (const share of this.#shares) share.stop();
	}

	#add(name: string, budget?: Budget): Gate {
		const { clock, go } = this.#options;
		const gate = new Gate({ clock, ...(budget && { budget }), go });
		this.#gates.set(name, gate);
		return gate;
	}
}
