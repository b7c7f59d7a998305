import * as callboard from "callboard";
import { expect, test } from "vitest";

test("the public names are these and no others", () => {
	expect(Object.keys(callboard).sort()).toEqual([
		"Agent",
		"Call",
		"CallboardError",
		"callboard",
		"renderText",
		"stages",
		"state",
		"tool",
	]);
});
