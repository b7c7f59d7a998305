import { arrivalScenarios } from "./arrivals.js";
import { directScenarios } from "./direct.js";
import { duplicateScenarios } from "./duplicates.js";
import { handoverScenarios } from "./handover.js";
import { rateScenarios } from "./rates.js";
import { roleScenarios } from "./roles.js";
import { runningScenarios } from "./running.js";
import type { SceneTest } from "./scene.js";
import { sendingScenarios } from "./sending.js";

/** Every scenario of the engine: rows of the pain log, to be played on each backend. */
export const allScenarios: Readonly<Record<string, readonly SceneTest[]>> = {
	"direct turns": directScenarios,
	arrivals: arrivalScenarios,
	duplicates: duplicateScenarios,
	running: runningScenarios,
	sending: sendingScenarios,
	rates: rateScenarios,
	handover: handoverScenarios,
	roles: roleScenarios,
};
