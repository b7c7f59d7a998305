import { arrivalScenarios } from "./arrivals.js";
import { directScenarios } from "./direct.js";
import { duplicateScenarios } from "./duplicates.js";
import { handoverScenarios } from "./handover.js";
import { interruptScenarios } from "./interrupt.js";
import { rateScenarios } from "./rates.js";
import { roleScenarios } from "./roles.js";
import { runningScenarios } from "./running.js";
import type { SceneTest } from "./scene.js";
import { sendingScenarios } from "./sending.js";
import { takingOverScenarios } from "./taking-over.js";

/** Every scenario of the engine: rows of the pain log, to be played on each backend. */
export const allScenarios: Readonly<Record<string, readonly SceneTest[]>> = {
	"direct turns": directScenarios,
	arrivals: [...arrivalScenarios, ...interruptScenarios],
	duplicates: duplicateScenarios,
	running: [...runningScenarios, ...takingOverScenarios],
	sending: sendingScenarios,
	rates: rateScenarios,
	handover: handoverScenarios,
	roles: roleScenarios,
};
