import { systemClock } from "../clock.js";
import { readConfig } from "../config.js";
import { pinoLog } from "../observe/pino-log.js";
import { assemble } from "./assemble.js";
import { chooseBackend } from "./choose-backend.js";
import { chooseModel } from "./choose-model.js";
import { openTerminal } from "./doors.js";
import { chooseAgent, sourceAgents } from "./project-agents.js";
import type { ExitCode, Shell } from "./shell.js";
import { watchStrayErrors } from "./stray-errors.js";
import { toldModel } from "./told-model.js";

/**
 * `callboard chat`: a conversation in this terminal. It has a store of its own, in memory, so that it runs beside
 * `callboard dev`; the conversation is gone with it.
 */
export async function chat(options: { agent?: string; say?: readonly string[] }, shell: Shell): Promise<ExitCode> {
	const config = readConfig({ root: shell.cwd });
	const clock = systemClock;
	const log = pinoLog({
		level: config.log === "debug" ? "debug" : "error",
		clock,
		form: "line",
		output: besides(shell),
	});
	const agent = chooseAgent(await sourceAgents(config.root), options.agent, config);
	for (const warning of agent.warnings) shell.err(`warning: ${warning}`);
	const chosen = await chooseModel({ config, root: config.root, agent, clock, log, demo: true });
	let trouble = false;
	const model = toldModel(chosen.model, {
		trouble(sentence) {
			trouble = true;
			shell.err(`callboard: ${sentence}`);
		},
	});
	shell.err(`(${chosen.says})`);
	const channel = await openTerminal({
		agent: agent.name,
		...(options.say === undefined ? {} : { say: options.say }),
	});
	const backend = chooseBackend("private", { config, clock, log });
	const runtime = assemble({ config, agent, model, backend, channels: [channel], clock, log });
	const stray = watchStrayErrors(log);
	const stopAsked = shell.stopAsked();
	await runtime.start();
	const end = await Promise.race([channel.done, stopAsked, stray.fatal]);
	await runtime.stop(1000);
	stray.release();
	if (end === "fatal") return 1;
	if (end?.reason === "unanswered") {
		shell.err(`callboard: nothing was answered to "${end.line}"`);
		return 1;
	}
	return trouble ? 1 : 0;
}

/** What the log says goes beside the conversation, without what the model's trouble said already. */
function besides(shell: Shell): { write(line: string): void } {
	return { write: (line) => void (/ error model\./.test(line) || shell.err(line.trimEnd())) };
}
