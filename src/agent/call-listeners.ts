import { AsyncLocalStorage } from "node:async_hooks";
import type { Log } from "../observe/log.js";

/** Passing facts of one call that code can listen to, with what each tells. */
export interface CallEvents {
	/** The parts of a turn have left for the person. */
	"bot.finished": { turn?: string };
	/** The call was handed to people. */
	"call.forwarded": { to: string };
	/** The call is over. */
	"call.ended": { reason: string };
}

export type CallListener<E extends keyof CallEvents> = (data: CallEvents[E]) => unknown;

interface Registered {
	event: string;
	listener: (data: never) => unknown;
	once: boolean;
}

const telling = new AsyncLocalStorage<string>();

/** The event whose listener is running now, or none. What a listener asks of the call comes too late to be applied. */
export function eventBeingTold(): string | undefined {
	return telling.getStore();
}

/**
 * What `call.on` and `call.once` registered, by call. Kept by the declaration, since sessions live for one turn only; in
 * this process's memory only, so anything that must survive a crash is an act, not a listener.
 */
export class CallListeners {
	readonly #byCall = new Map<string, Registered[]>();

	/** @param limit Calls remembered at most; the oldest is forgotten first. */
	constructor(private readonly limit = 10_000) {}

	add(call: string, event: string, listener: (data: never) => unknown, once: boolean): void {
		const known = this.#byCall.get(call) ?? [];
		this.#byCall.delete(call);
		this.#byCall.set(call, [...known, { event, listener, once }]);
		for (const oldest of this.#byCall.keys()) {
			if (this.#byCall.size <= this.limit) break;
			this.#byCall.delete(oldest);
		}
	}

	/** Whether anyone listens for this event of the call. */
	awaits(call: string, event: string): boolean {
		return this.#byCall.get(call)?.some((entry) => entry.event === event) ?? false;
	}

	/** Runs the listeners of one event. Never throws: one that fails is logged. `call.ended` forgets the call. */
	tell(call: string, event: string, data: unknown, log: Log): void {
		const known = this.#byCall.get(call) ?? [];
		const kept = known.filter((entry) => entry.event !== event || !entry.once);
		if (event === "call.ended" || kept.length === 0) this.#byCall.delete(call);
		else this.#byCall.set(call, kept);
		for (const entry of known) {
			if (entry.event !== event) continue;
			tellListener(entry.once ? event : `${event}, registered with on`, () => entry.listener(data as never), log);
		}
	}
}

/** Runs one listener of a passing fact; a throw or rejection becomes one log line. */
export function tellListener(event: string, run: () => unknown, log: Log): void {
	const failed = (error: unknown) => log.error("listener.failed", { event, error });
	telling.run(event, () => {
		try {
			const result = run();
			if (result instanceof Promise) result.catch(failed);
		} catch (error) {
			failed(error);
		}
	});
}
