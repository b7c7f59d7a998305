import { type Clock, pause } from "../clock.js";
import { CallboardError } from "../errors.js";

const AGAIN_MS = 250;

/** Repeats a write while the store cannot be reached, until `until`; every write of a backend is safe to repeat. */
export async function persist<T>(clock: Clock, until: number, write: () => Promise<T>): Promise<T> {
	for (;;) {
		try {
			return await write();
		} catch (error) {
			if (!isUnavailable(error) || clock.now() >= until) throw error;
			await pause(clock, AGAIN_MS);
		}
	}
}

export function isUnavailable(error: unknown): boolean {
	return error instanceof CallboardError && error.code === "BACKEND_UNAVAILABLE";
}
