import { type Clock, pause } from "../clock.js";
import { CallboardError } from "../errors.js";

const AGAIN_MS = 250;

/**
 * Repeats a write while the store cannot be reached; every write of a backend is safe to repeat.
 * @param until when it gives up, or what says so each time
 */
export async function persist<T>(clock: Clock, until: number | (() => number), write: () => Promise<T>): Promise<T> {
	for (;;) {
		try {
			return await write();
		} catch (error) {
			if (!isUnavailable(error) || clock.now() >= (typeof until === "number" ? until : until())) throw error;
			await pause(clock, AGAIN_MS);
		}
	}
}

export function isUnavailable(error: unknown): boolean {
	return error instanceof CallboardError && error.code === "BACKEND_UNAVAILABLE";
}
