import { resolve } from "node:path";
import type { AgentDeclaration } from "../agent/declaration.js";
import { suggestion } from "../agent/nearest.js";
import type { JsonObject } from "../call/json.js";
import { systemClock } from "../clock.js";
import { readConfig } from "../config.js";
import { CallboardError } from "../errors.js";
import { silentLog } from "../observe/log.js";
import { printPrompt } from "../prompt/print.js";
import { checkState, readMoment } from "../testing/golden.js";
import { dayOf } from "../turn/day.js";
import { chooseAgent, sourceAgents } from "./project-agents.js";
import type { ExitCode, Shell } from "./shell.js";

/** `callboard prompt`: every block the model would read, then the stage and its tools. Nothing is asked of a model. */
export async function prompt(
	options: { agent?: string; state?: string; stage?: string },
	shell: Shell,
): Promise<ExitCode> {
	const config = readConfig({ root: shell.cwd });
	const agent = chooseAgent(await sourceAgents(config.root), options.agent, config);
	const path = options.state === undefined ? undefined : resolve(shell.cwd, options.state);
	const { state: given, today = dayOf(systemClock.now(), config.timeZone) } =
		path === undefined ? { state: {} } : readMoment(path);
	if (path !== undefined) checkState(agent, given, options.state ?? path);
	const stage = options.stage === undefined ? {} : { stage: checkedStage(agent, options.stage) };
	const opening = { call: call(today), clock: systemClock, log: silentLog };
	const first = agent.open(opening).snapshot();
	const state: JsonObject = { ...first, ...given, ...stage };
	shell.out(printPrompt(agent, agent.open({ ...opening, state })));
	return 0;
}

function checkedStage(agent: AgentDeclaration, stage: string): string {
	const stages = agent.stages?.values ?? [];
	if (stages.includes(stage)) return stage;
	const message = `${agent.name} has no stage ${stage}${suggestion(stage, stages)}`;
	throw new CallboardError("UNKNOWN_STAGE", "operator", message, {
		next: stages.length === 0 ? "leave --stage out" : `stages are: ${stages.join(", ")}`,
	});
}

/** A call that nobody makes, for what a view may read of it. */
function call(today: string) {
	return {
		id: "prompt",
		address: "terminal|you",
		channel: "terminal",
		transport: "chat",
		from: "terminal:you",
		contact: { id: "terminal:you" },
		today,
		history: () => [],
	} as const;
}
