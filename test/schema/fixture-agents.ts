import { join } from "node:path";
import { type AgentsRead, readAgents } from "../../src/schema/read-agents.js";
import { repository } from "./in-folder.js";

const fixture = (name: string) => join(repository, "test/schema/fixtures", name);
/** Every test that starts the compiler may take so long, on whatever machine. */
export const SLOW = { timeout: 60_000 };
let reading: Promise<AgentsRead> | undefined;

/** The agents of the fixtures as the compiler reads them, once for all tests. */
export function readFixtures(): Promise<AgentsRead> {
	reading ??= readAgents(repository, [fixture("clinic/clinic.tsx"), fixture("hard.tsx")], true);
	return reading;
}
