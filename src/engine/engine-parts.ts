import type { Clock } from "../clock.js";
import type { Log } from "../observe/log.js";
import type { Backend } from "./backend.js";
import type { Doors } from "./door.js";
import type { Facts } from "./facts.js";
import type { EngineLimits } from "./limits.js";
import type { Pulse } from "./pulse.js";
import type { Relay } from "./relay.js";

/** What worker and sender of one process share. */
export interface EngineParts {
	backend: Backend;
	doors: Doors;
	/** Unique among all processes. */
	owner: string;
	limits: EngineLimits;
	clock: Clock;
	log: Log;
	facts: Facts;
	/** Shows people what passes, wherever they are connected. */
	relay: Relay;
	/** Beats whenever something has been done. */
	pulse: Pulse;
}
