import { inMemory } from "../../src/engine/embedded/embedded.js";
import { MemoryStore } from "../../src/engine/embedded/memory-store.js";
import { silentLog } from "../../src/observe/log.js";
import { backendConformance } from "../../src/testing/backend-conformance.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

backendConformance({
	name: "memory",
	make() {
		const clock = new VirtualClock();
		const store = new MemoryStore();
		return {
			clock,
			async open() {
				const backend = inMemory({ clock, log: silentLog, store });
				await backend.open();
				return backend;
			},
		};
	},
});
