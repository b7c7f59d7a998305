import type { AgentDeclaration } from "../agent/declaration.js";
import { type Config, readConfig } from "../config.js";
import { checkRedis } from "../engine/redis/check.js";
import { CallboardError } from "../errors.js";
import { checkData, checkManifest, checkNode, checkPort, checkSecret } from "./check-machine.js";
import { checkModel } from "./check-model.js";
import { checkTelegram } from "./check-telegram.js";
import { counted } from "./counted.js";
import { type Finding, fail, ok, warn } from "./finding.js";
import { chooseAgent, sourceAgents } from "./project-agents.js";
import type { ExitCode, Shell } from "./shell.js";

/** `callboard doctor`: looks at all that an agent needs, says what to do, and exits 1 when something cannot work. */
export async function doctor(options: { agent?: string }, shell: Shell): Promise<ExitCode> {
	let failed = false;
	for await (const { about, verdict, says, next } of findings(options, shell)) {
		failed ||= verdict === "fail";
		shell.out(`${verdict.padEnd(4)}  ${about.padEnd(8)}  ${next === undefined ? says : `${says}; ${next}`}`);
	}
	return failed ? 1 : 0;
}

async function* findings(options: { agent?: string }, shell: Shell): AsyncGenerator<Finding> {
	yield checkNode();
	const config = settings(shell.cwd);
	if ("verdict" in config) return yield config;
	yield ok("settings", "every setting can be read");
	const agents = await readAgents(config);
	if ("verdict" in agents) yield agents;
	else {
		yield* agents.flatMap(agentFindings);
		yield await checkManifest(config);
		yield* await modelFindings(agents, options.agent, config);
	}
	yield checkData(config);
	yield* await backendFindings(config);
	yield* await checkTelegram(config);
	yield await checkPort(config);
	yield checkSecret(config);
}

function settings(root: string): Config | Finding {
	try {
		return readConfig({ root });
	} catch (error) {
		return asFinding("settings", error);
	}
}

async function readAgents(config: Config): Promise<readonly AgentDeclaration[] | Finding> {
	try {
		return await sourceAgents(config.root);
	} catch (error) {
		return asFinding("agents", error);
	}
}

function agentFindings({ name, tools, warnings }: AgentDeclaration): Finding[] {
	const loaded = ok("agents", `${name} loads, with ${counted(tools, "tool")}`);
	return [loaded, ...warnings.map((says) => warn("agents", says, "see docs/agents.md"))];
}

async function modelFindings(
	agents: readonly AgentDeclaration[],
	named: string | undefined,
	config: Config,
): Promise<Finding[]> {
	try {
		const chosen = named === undefined && config.agent === undefined ? agents : [chooseAgent(agents, named, config)];
		return await Promise.all(chosen.map((agent) => checkModel(agent, config)));
	} catch (error) {
		return [asFinding("model", error)];
	}
}

async function backendFindings(config: Config): Promise<Finding[]> {
	const found = await Promise.all((config.redisUrls ?? []).map(checkRedis));
	const redis = found.flat().map((finding): Finding => ({ about: "redis", ...finding }));
	if (config.backend === "embedded")
		return [...redis, ok("backend", "embedded: calls are kept on this machine's disk")];
	if (config.redisUrls !== undefined)
		return [...redis, ok("backend", "redis: calls are kept in the Redis of REDIS_URL")];
	return [fail("backend", "REDIS_URL is not set", "set it, or CALLBOARD_BACKEND=embedded")];
}

function asFinding(about: string, error: unknown): Finding {
	if (!(error instanceof CallboardError)) throw error;
	return fail(about, error.placed, error.next ?? "correct it");
}
