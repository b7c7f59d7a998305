import { describe } from "vitest";
import { arrivalScenarios } from "./scenarios/arrivals.js";
import { directScenarios } from "./scenarios/direct.js";
import { playAll } from "./scenarios/scene.js";
import { memoryWorld } from "./scenarios/world.js";

describe("in memory", () => {
	playAll([...directScenarios, ...arrivalScenarios], memoryWorld);
});
