import type { Backend } from "../../../src/engine/backend.js";
import { inMemory } from "../../../src/engine/embedded/embedded.js";
import { silentLog } from "../../../src/observe/log.js";
import { VirtualClock } from "../../../src/testing/virtual-clock.js";

/** One empty store and its time, on which a scenario plays. */
export interface World {
	readonly clock: VirtualClock;
	/** A backend as one more process would make it, not open yet. */
	backend(): Backend;
	/** How often a condition is looked at before it counts as never true. */
	readonly patience: number;
	/** What the store still holds, in words, that must be gone when nothing is to be done. */
	left?(): Promise<readonly string[]>;
	dispose?(): Promise<void>;
}

/** Several processes at one store in memory: what they share is open for as long as one of them has it open. */
export function memoryWorld(): World {
	const clock = new VirtualClock();
	const shared = inMemory({ clock, log: silentLog });
	let open = 0;
	return {
		clock,
		patience: 50,
		backend() {
			let mine = false;
			return over(shared, {
				async open() {
					if (mine) return;
					mine = true;
					open += 1;
					await shared.open();
				},
				async close() {
					if (!mine) return;
					mine = false;
					open -= 1;
					if (open === 0) await shared.close();
				},
			});
		},
	};
}

/** A backend of which some operations are replaced. */
function over(backend: Backend, operations: Partial<Backend>): Backend {
	return new Proxy(backend, {
		get(target, name: keyof Backend) {
			const own = operations[name];
			const found = own ?? target[name];
			return typeof found === "function"
				? (found as () => unknown).bind(own === undefined ? target : operations)
				: found;
		},
	});
}
