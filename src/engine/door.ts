import type { AgentDeclaration } from "../agent/declaration.js";
import { type AddressKey, doorOf } from "../call/address.js";
import type { Channel } from "../channel/channel.js";
import { CallboardError } from "../errors.js";
import type { Model } from "../model/model.js";
import type { Log } from "../observe/log.js";

/** One configured channel account, with the agent that answers it. */
export interface Door {
	/** Part of every address that comes in by it; must not change while calls are open. */
	name: string;
	channel: Channel;
	agent: AgentDeclaration;
	model: Model;
	/** Time zone of `call.today`. Default UTC. */
	timeZone?: string;
}

/** The doors of this process. */
export class Doors implements Iterable<Door> {
	readonly #doors: ReadonlyMap<string, Door>;
	readonly #log: Log;
	readonly #missed = new Set<string>();

	/** @throws CallboardError `DOOR_TWICE` */
	constructor(doors: readonly Door[], log: Log) {
		this.#doors = new Map(doors.map((door) => [door.name, door]));
		this.#log = log;
		if (this.#doors.size === doors.length) return;
		throw new CallboardError("DOOR_TWICE", "operator", "two doors have the same name", {
			next: "give every door its own name",
		});
	}

	[Symbol.iterator](): Iterator<Door> {
		return this.#doors.values();
	}

	/** @throws CallboardError `UNKNOWN_DOOR` */
	named(name: string): Door {
		const door = this.#doors.get(name);
		if (door !== undefined) return door;
		throw new CallboardError("UNKNOWN_DOOR", "operator", `there is no door "${name}"`, {
			next: `doors are: ${[...this.#doors.keys()].join(", ")}`,
		});
	}

	has(address: AddressKey): boolean {
		return this.#doors.has(doorOf(address));
	}

	/** The door of an address. One that this process does not have is said once in its log, and its work left alone. */
	of(address: AddressKey): Door | undefined {
		const name = doorOf(address);
		const door = this.#doors.get(name);
		if (door === undefined && !this.#missed.has(name)) {
			this.#missed.add(name);
			this.#log.warn("door.unknown", { door: name });
		}
		return door;
	}
}
