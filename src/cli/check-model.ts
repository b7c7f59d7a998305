import type { AgentDeclaration } from "../agent/declaration.js";
import type { Config } from "../config.js";
import { modelServer } from "./choose-model.js";
import { demoPath, readDemo } from "./demo.js";
import { type Finding, fail, ok, warn } from "./finding.js";

const PATIENCE_MS = 5000;
const OPENAI = "https://api.openai.com/v1";

/**
 * Whether an agent's model can be asked: asks its server for the list of models, which costs nothing.
 * @throws CallboardError `BAD_SCRIPT` for a mistake in the demo that answers without one
 */
export async function checkModel(agent: AgentDeclaration, config: Config): Promise<Finding> {
	const server = modelServer(agent, config);
	if (server === undefined) return withoutModel(agent, config);
	const { baseURL = OPENAI, key, name, keyName } = server;
	const { host } = new URL(baseURL);
	try {
		const response = await fetch(`${baseURL.replace(/\/$/, "")}/models`, {
			headers: { authorization: `Bearer ${key ?? "none"}` },
			signal: AbortSignal.timeout(PATIENCE_MS),
		});
		if (response.status === 401 || response.status === 403) {
			return fail("model", `${host} refuses the key`, `set a valid ${keyName}`);
		}
		if (!response.ok) {
			return warn("model", `${host} gives no list of models (HTTP ${response.status})`, "try it with `callboard chat`");
		}
		return inList(await response.json(), name, host);
	} catch (error) {
		const { name: kind, cause } = error as Error & { cause?: { code?: string; message?: string } };
		const reason = cause?.code ?? cause?.message ?? kind;
		const why = kind === "TimeoutError" ? "does not answer" : `cannot be reached (${reason})`;
		return fail("model", `${host} ${why}`, "check OPENAI_BASE_URL and the way to it");
	}
}

function inList(list: unknown, name: string, host: string): Finding {
	const models = (list as { data?: unknown }).data;
	const ids = Array.isArray(models) ? models.map((model: { id?: unknown }) => model.id) : [];
	if (ids.includes(name)) return ok("model", `${host} takes the key and has ${name}`);
	return warn("model", `${host} takes the key, but does not list ${name}`, "check CALLBOARD_MODEL");
}

async function withoutModel(agent: AgentDeclaration, config: Config): Promise<Finding> {
	const demo = demoPath(agent, config.root);
	if ((await readDemo(agent, config.root)) !== undefined) {
		return warn("model", `no key is set, so the demo in ${demo} answers`, "put OPENAI_API_KEY=… into .env");
	}
	return fail(
		"model",
		`${agent.name} has neither a key nor a demo`,
		`put OPENAI_API_KEY=… into .env, or write ${demo}`,
	);
}
