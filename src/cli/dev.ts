import { join } from "node:path";
import { systemClock } from "../clock.js";
import { readConfig } from "../config.js";
import { pinoLog } from "../observe/pino-log.js";
import { serve } from "./assemble.js";
import { chooseBackend } from "./choose-backend.js";
import { chooseModel } from "./choose-model.js";
import { openDoors } from "./open-doors.js";
import { chooseAgent, sourceAgents } from "./project-agents.js";
import { developmentSecret } from "./secret.js";
import type { ExitCode, Shell } from "./shell.js";
import { toldModel } from "./told-model.js";

/** `callboard dev`: one agent on this machine, calls on disk, a chat page at `/`. */
export async function dev(
	options: { agent?: string; door?: readonly string[]; watch?: true },
	shell: Shell,
): Promise<ExitCode> {
	const config = readConfig({ root: shell.cwd });
	if (options.watch) return (await import("./watch.js")).watch(options, config, shell);
	const clock = systemClock;
	const log = pinoLog({
		level: config.log,
		clock,
		form: shell.isTty ? "line" : "json",
		output: { write: (line) => shell.out(line.trimEnd()) },
	});
	const agents = await sourceAgents(config.root);
	const agent = chooseAgent(agents, options.agent, config);
	for (const warning of agent.warnings) shell.err(`warning: ${warning}`);
	const chosen = await chooseModel({ config, root: config.root, agent, clock, log, demo: true });
	const model = toldModel(chosen.model, { trouble: (sentence) => shell.err(`callboard: ${sentence}`) });
	const channels = await openDoors({
		config,
		agent,
		only: options.door,
		secret: () => developmentSecret(config),
		demo: chosen.demo !== undefined,
		embed: true,
	});
	const backend = chooseBackend("embedded", { config, clock, log });
	return serve({ config, agent, model, backend, channels, clock, log }, shell, ({ url }) => {
		const doors = channels.map(({ name }) => (name === "web" ? `at ${url}` : `on ${name}`));
		shell.out(`${agent.name} answers ${doors.join(" and ")}`);
		shell.out(`  ${chosen.says}`);
		shell.out(`  calls are kept in ${config.data}`);
		shell.out(`  in a terminal: ${command(config.root)} chat --agent ${agent.name}`);
	});
}

/** How this command is called in a project: in Callboard's own clone nothing is installed under its name. */
function command(root: string): string {
	const isClone = import.meta.dirname.startsWith(join(root, "src"));
	return isClone ? "npm run callboard --" : "npx callboard";
}
