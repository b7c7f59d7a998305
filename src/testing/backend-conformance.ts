import { describe } from "vitest";
import type { Backend } from "../engine/backend.js";
import { arrivalCases } from "./backend-cases/arrivals.js";
import type { ConformanceCase } from "./backend-cases/conformance-case.js";
import { goingOnCases } from "./backend-cases/going-on.js";
import { inboxCases } from "./backend-cases/inbox.js";
import { outboxCases } from "./backend-cases/outbox.js";
import { paceCases } from "./backend-cases/pace.js";
import { reachCases } from "./backend-cases/reach.js";
import { reopeningCases } from "./backend-cases/reopening.js";
import { servingCases } from "./backend-cases/serving.js";
import { shareCases } from "./backend-cases/share.js";
import { timerCases } from "./backend-cases/timers.js";
import { turnCases } from "./backend-cases/turns.js";

/** One empty store of the driver under test, and its time. */
export interface BackendStore {
	clock: { now(): number; advance(ms: number): Promise<void> };
	/** Opens a backend over the store, as a starting process does. Called again after `crash`. */
	open(): Promise<Backend>;
	/** Ends an open backend as a killed process ends: nothing is given back. Default: `close()`. */
	crash?(backend: Backend): Promise<void>;
	/** Removes the store. */
	dispose?(): Promise<void>;
}

export interface BackendUnderTest {
	name: string;
	/** Makes one empty store; called for every test. */
	make(): BackendStore | Promise<BackendStore>;
	/** Whether more than one process can use the store. Default: no. */
	manyProcesses?: boolean;
	/** Cases a driver cannot be held to, each with the reason. */
	skip?: readonly { case: string; reason: string }[];
}

/** Holds a driver to every rule of `Backend`: the same tests for all of them. Call it at the top of a test file. */
export function backendConformance({ name, make, manyProcesses = false, skip = [] }: BackendUnderTest): void {
	const suite: Readonly<Record<string, readonly ConformanceCase[]>> = {
		inbox: inboxCases,
		turns: turnCases,
		outbox: outboxCases,
		pace: paceCases,
		...(manyProcesses && { share: shareCases }),
		"going on": goingOnCases,
		arrivals: arrivalCases,
		timers: timerCases,
		reach: reachCases,
		serving: servingCases,
		reopening: reopeningCases,
	};
	for (const [part, cases] of Object.entries(suite)) {
		describe(`${name}: ${part}`, () => {
			for (const each of cases) each.register(make, skip.find((skipped) => skipped.case === each.name)?.reason);
		});
	}
}
