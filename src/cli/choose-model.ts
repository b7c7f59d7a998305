import type { AgentDeclaration } from "../agent/declaration.js";
import type { Clock } from "../clock.js";
import type { Config } from "../config.js";
import { CallboardError } from "../errors.js";
import type { Model } from "../model/model.js";
import { openai } from "../model/openai.js";
import { ScriptedModel } from "../model/scripted.js";
import type { Log } from "../observe/log.js";
import { demoPath, readDemo } from "./demo.js";

export interface ChosenModel {
	model: Model;
	/** Path of the script when it is the demo and not a model that answers. */
	demo: string | undefined;
	/** One line that says what answers. */
	says: string;
}

export interface ChooseModelOptions {
	config: Config;
	/** The folder that holds `agents/`. */
	root: string;
	agent: AgentDeclaration;
	clock: Clock;
	log: Log;
	/** Whether the demo may answer in place of a model. */
	demo: boolean;
}

/**
 * The model behind an agent: a real one where there is a key or a server, else the scripted demo beside the agent.
 * @throws CallboardError `NO_MODEL` when there is neither, `BAD_SCRIPT` for a mistake in the demo
 */
export async function chooseModel(options: ChooseModelOptions): Promise<ChosenModel> {
	const real = realModel(options);
	if (real !== undefined) return real;
	const { root, agent, clock, config } = options;
	const path = demoPath(agent, root);
	const script = options.demo ? await readDemo(agent, root) : undefined;
	if (script !== undefined) {
		const model = new ScriptedModel(script, { clock, timeZone: config.timeZone });
		return {
			model,
			demo: path,
			says: `no ${keyName(agent)} is set, so a scripted demo answers, not a model (${path})`,
		};
	}
	throw new CallboardError("NO_MODEL", "operator", `there is no key for the model of ${agent.name}`, {
		next: options.demo
			? `put ${keyName(agent)}=… into .env, or write a scripted demo in ${path}`
			: `set ${keyName(agent)} in the environment or in .env, or start with --demo`,
	});
}

/** Where an agent's model is asked. */
export interface ModelServer {
	name: string;
	/** OpenAI's own when undefined. */
	baseURL: string | undefined;
	key: string | undefined;
	/** The variable the key is read from. */
	keyName: string;
	/** Whether the agent names this server itself, so that the project's fallback models are not of it. */
	own: boolean;
}

/** The server of an agent's model, or undefined when a key it needs is not set. A key goes only to its own server. */
export function modelServer(agent: AgentDeclaration, config: Config): ModelServer | undefined {
	const { model } = agent.settings;
	const own = model?.baseURL !== undefined;
	const key = own ? model.keyVariable && config.key(model.keyVariable) : config.model.apiKey;
	const baseURL = model?.baseURL ?? config.model.baseURL;
	const needsKey = own ? model.keyVariable !== undefined : baseURL === undefined;
	if (key === undefined && needsKey) return undefined;
	return { name: model?.name ?? config.model.name, baseURL, key, keyName: keyName(agent), own };
}

function realModel({ config, agent, clock, log }: ChooseModelOptions): ChosenModel | undefined {
	const server = modelServer(agent, config);
	if (server === undefined) return undefined;
	const { name, baseURL, key = "none", own } = server;
	const fallbacks = own ? [] : config.model.fallbacks;
	const model = openai({ apiKey: key, model: name, fallbacks, ...(baseURL && { baseURL }), clock, log });
	return {
		model,
		demo: undefined,
		says: `model ${name}${baseURL === undefined ? "" : ` at ${new URL(baseURL).host}`}`,
	};
}

function keyName(agent: AgentDeclaration): string {
	return agent.settings.model?.keyVariable ?? "OPENAI_API_KEY";
}
