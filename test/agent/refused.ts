import { tool } from "callboard";
import { expect } from "vitest";
import type { AgentClass } from "../../src/agent/agent.js";
import { declare } from "../../src/agent/declare.js";
import type { AgentManifest } from "../../src/schema/manifest.js";
import { refusalOf } from "./opening.js";

/** The refusal of a class, after its code. */
export async function refused(Class: AgentClass, manifest?: AgentManifest): Promise<string> {
	const error = await refusalOf(() => declare(Class, manifest));
	expect(error.fault).toBe("author");
	return `${error.code} ${error.explain()}`;
}

/** What a plain JavaScript author could write, for whom nothing is checked before. */
export const loose = (options: object) => tool(options as never);
