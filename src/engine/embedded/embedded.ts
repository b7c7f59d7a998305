import type { Backend } from "../backend.js";
import { EmbeddedBackend, type EmbeddedOptions } from "./embedded-backend.js";
import { LmdbStore } from "./lmdb-store.js";
import { MemoryStore } from "./memory-store.js";

/**
 * The backend that needs no server: everything in one folder on disk, for one process. It survives a restart and a
 * killed process; a write is on disk when its operation resolves.
 *
 * @param options.path the folder; made when it is missing
 */
export function embedded({ path, ...options }: EmbeddedOptions & { path: string }): Backend {
	return new EmbeddedBackend("embedded", new LmdbStore(path, options.log), options);
}

/** The same operations in memory, gone with the process: for unit tests. */
export function inMemory(options: EmbeddedOptions & { store?: MemoryStore }): Backend {
	return new EmbeddedBackend("memory", options.store ?? new MemoryStore(), options);
}
