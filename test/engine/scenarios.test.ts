import { describe } from "vitest";
import { allScenarios } from "./scenarios/all.js";
import { playAll } from "./scenarios/scene.js";
import { memoryWorld } from "./scenarios/world.js";

for (const [part, scenarios] of Object.entries(allScenarios)) {
	describe(`in memory: ${part}`, () => playAll(scenarios, memoryWorld));
}
