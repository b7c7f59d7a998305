import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embedded } from "../../src/engine/embedded/embedded.js";
import { silentLog } from "../../src/observe/log.js";
import { backendConformance } from "../../src/testing/backend-conformance.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

backendConformance({
	name: "embedded",
	make() {
		const clock = new VirtualClock();
		const path = mkdtempSync(join(tmpdir(), "callboard-store-"));
		return {
			clock,
			async open() {
				const backend = embedded({ path, clock, log: silentLog });
				await backend.open();
				return backend;
			},
			async dispose() {
				rmSync(path, { recursive: true, force: true });
			},
		};
	},
});
