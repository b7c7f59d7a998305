import { join } from "node:path";
import { systemClock } from "../clock.js";
import { readConfig } from "../config.js";
import type { Role } from "../engine/runtime.js";
import { CallboardError } from "../errors.js";
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
	options: { agent?: string; only?: readonly Role[]; showPrompt?: true; demo?: true },
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
	const { only } = options;
	if (only !== undefined && backend.name !== "redis") {
		throw new CallboardError("ONE_PROCESS", "operator", `--only ${only.join(",")} needs the redis backend`, {
			next: "set REDIS_URL, or leave --only out: the embedded backend has one process, which does everything",
		});
	}
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
	const channels = await openDoors({ config, agent, secret: () => secret, demo: chosen.demo !== undefined });
	const roles = only === undefined ? {} : { roles: only };
	return serve({ config, agent, model, backend, channels, clock, log, ...roles }, shell, ({ url }) => {
		log.info("process.started", { ...roles, agent: agent.name, url, backend: backend.name, model: model.name });
	});
}
