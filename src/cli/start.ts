import { join } from "node:path";
import { systemClock } from "../clock.js";
import { readConfig } from "../config.js";
import { pinoLog } from "../observe/pino-log.js";
import { serve } from "./assemble.js";
import { chooseBackend } from "./choose-backend.js";
import { chooseModel } from "./choose-model.js";
import { openDoors } from "./open-doors.js";
import { builtAgents, builtFolder, chooseAgent } from "./project-agents.js";
import { productionSecret } from "./secret.js";
import type { ExitCode, Shell } from "./shell.js";
import { toldModel } from "./told-model.js";

/** `callboard start`: one agent in production, from what `callboard build` wrote; logs are JSON. */
export async function start(
	options: { agent?: string; showPrompt?: true; demo?: true },
	shell: Shell,
): Promise<ExitCode> {
	const config = readConfig({ root: shell.cwd });
	const clock = systemClock;
	const log = pinoLog({
		level: config.log,
		clock,
		form: "json",
		output: { write: (line) => shell.out(line.trimEnd()) },
	});
	const backend = chooseBackend("settings", { config, clock, log });
	const secret = productionSecret(config);
	const agent = chooseAgent(await builtAgents(config.root), options.agent, config);
	const root = join(config.root, builtFolder);
	const chosen = await chooseModel({ config, root, agent, clock, log, demo: options.demo === true });
	if (chosen.demo !== undefined) log.warn("model.demo", { says: chosen.says });
	const model = toldModel(chosen.model, {
		trouble: (sentence) => log.error("model.trouble", { says: sentence }),
		...(options.showPrompt && {
			request: ({ view, allowed }) =>
				shell.out(`=== view ===\n${view}\n=== tools ===\n${allowed.join(", ") || "none"}`),
		}),
	});
	const channels = await openDoors({ config, agent, secret: () => secret });
	return serve({ config, agent, model, backend, channels, clock, log }, shell, ({ url }) => {
		log.info("process.started", { agent: agent.name, url, backend: backend.name, model: model.name });
	});
}
