import type { AddressKey } from "../call/address.js";
import type { Log, LogFields } from "../observe/log.js";

/** Something that happened, told to observers in this process after it was made durable. */
export interface Fact {
	/** A dotted name: `turn.committed`, `delivery.failed`, `call.ended`, `tool.refused`. */
	event: string;
	address: AddressKey;
	data: LogFields;
}

export type FactListener = (fact: Fact) => void;

/** Tells observers of facts. What a listener throws is logged and stops nothing. */
export class Facts {
	readonly #log: Log;
	readonly #listeners = new Map<string, Set<FactListener>>();

	constructor(log: Log) {
		this.#log = log;
	}

	/**
	 * @param event a name, or `*` for all
	 * @returns what stops it
	 */
	on(event: string, listener: FactListener): () => void {
		const listeners = this.#listeners.get(event) ?? new Set();
		this.#listeners.set(event, listeners.add(listener));
		return () => listeners.delete(listener);
	}

	tell(event: string, address: AddressKey, data: LogFields): void {
		for (const name of [event, "*"]) {
			for (const listener of [...(this.#listeners.get(name) ?? [])]) {
				try {
					listener({ event, address, data });
				} catch (error) {
					this.#log.error("listener.failed", { listened: event, error });
				}
			}
		}
	}
}
