import { type LoadOptions, loadAgents } from "../../src/agent/load.js";
import { CallboardError } from "../../src/errors.js";

/** Loads each project given on the command line, as `callboard` does, and prints what came of it. */
const results: unknown[] = [];
for (const options of JSON.parse(process.argv[2] ?? "[]") as LoadOptions[]) {
	try {
		results.push((await loadAgents(options)).map(({ name, title }) => `${name} (${title})`));
	} catch (error) {
		results.push(error instanceof CallboardError ? `${error.code} ${error.explain()}` : `unexpected: ${error}`);
	}
}
process.stdout.write(JSON.stringify(results));
