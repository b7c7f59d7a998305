import type { AskOptions, Model, ModelRequest, ModelResponse, ToolDefinition } from "../../src/model/model.js";
import type { Log, LogFields } from "../../src/observe/log.js";
import type { VirtualClock } from "../../src/testing/virtual-clock.js";

export function toolNamed(name: string, strict = true): ToolDefinition {
	return {
		name,
		description: `Does ${name}.`,
		parameters: {
			type: "object",
			properties: { day: { type: "string" } },
			required: ["day"],
			additionalProperties: false,
		},
		strict,
	};
}

export function requestWith(parts: Partial<ModelRequest> = {}): ModelRequest {
	return {
		system: "You are the clinic's desk.",
		history: [{ role: "user", text: "hello" }],
		view: "stage: identify",
		tools: [],
		allowed: [],
		toolChoice: "auto",
		cacheKey: "call-1",
		...parts,
	};
}

export function ask(model: Model, request = requestWith(), options: Partial<AskOptions> = {}): Promise<ModelResponse> {
	return model.ask(request, { signal: new AbortController().signal, ...options });
}

/**
 * Runs a promise on a virtual clock that moves only over pauses between tries (a request holds two timers, a pause one),
 * and tells how long each pause was.
 */
export async function overPauses<T>(clock: VirtualClock, running: Promise<T>): Promise<{ value: T; pauses: number[] }> {
	const pauses: number[] = [];
	let settled = false;
	const end = () => {
		settled = true;
	};
	running.then(end, end);
	while (!settled) {
		await new Promise<void>((resolve) => setImmediate(resolve));
		if (settled || clock.pending !== 1) continue;
		const before = clock.now();
		await clock.step();
		pauses.push(clock.now() - before);
	}
	return { value: await running, pauses };
}

/** Everything that was logged, as one text. */
export function recordingLog(): { log: Log; text(): string; events: string[] } {
	const lines: string[] = [];
	const events: string[] = [];
	const write = (event: string, fields?: LogFields) => {
		events.push(event);
		lines.push(`${event} ${JSON.stringify(fields ?? {})}`);
	};
	const log: Log = { debug: write, info: write, warn: write, error: write, with: () => log };
	return { log, text: () => lines.join("\n"), events };
}

export async function rejection(running: Promise<unknown>): Promise<unknown> {
	try {
		await running;
	} catch (error) {
		return error;
	}
	throw new Error("it did not reject");
}
