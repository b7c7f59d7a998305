import type { Backend } from "../../src/engine/backend.js";

/** A backend of which some operations are replaced. */
export function replacing(backend: Backend, operations: Partial<Backend>): Backend {
	return new Proxy(backend, {
		get(target, name: keyof Backend) {
			const found = operations[name] ?? target[name];
			return typeof found === "function" ? (found as () => unknown).bind(target) : found;
		},
	});
}
