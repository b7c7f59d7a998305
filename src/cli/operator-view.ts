import { doorOf } from "../call/address.js";
import { type Clock, pause } from "../clock.js";
import type { Runtime } from "../engine/runtime.js";
import { type Survey, survey } from "../engine/survey.js";
import type { Health } from "../gateway/health.js";
import { Metrics } from "../observe/metrics.js";

/** How long the backend may take before it counts as unreachable. Shorter than a probe waits. */
const LONGEST_MS = 2_000;

/** Whether a process can do its work: its backend answers and its doors are open. */
export function healthOf(runtime: Runtime, clock: Clock): () => Promise<Health> {
	return async () => {
		const { backend } = runtime;
		const asked = backend.answers?.() ?? backend.list({ limit: 1 });
		const reached = await inTime(
			clock,
			asked.then(() => true),
		);
		const doors = [...runtime.open].map(([door, open]) => [`door ${door}`, open ? "ok" : "closed"]);
		const checks = Object.fromEntries([["backend", reached === undefined ? "unreachable" : "ok"], ...doors]);
		return { ready: Object.values(checks).every((word) => word === "ok"), checks };
	};
}

/** Counts all that a runtime tells from now on. */
export function metricsOf(runtime: Runtime, clock: Clock): () => Promise<{ type: string; text: string }> {
	const metrics = new Metrics();
	runtime.on("*", ({ event, address, data }) => metrics.count(event, doorOf(address), data));
	return async () => {
		const stored: Survey | undefined = await inTime(clock, survey(runtime.backend, clock.now()));
		const { running, open } = runtime;
		return metrics.page({ stored, running, open, swept: runtime.backend.swept });
	};
}

/** What it comes to, or undefined when it fails or takes too long. */
async function inTime<T>(clock: Clock, asked: Promise<T>): Promise<T | undefined> {
	const answered = new AbortController();
	const late = pause(clock, LONGEST_MS, answered.signal).then(
		() => undefined,
		() => undefined,
	);
	try {
		return await Promise.race([asked.catch(() => undefined), late]);
	} finally {
		answered.abort();
	}
}
