import { type Author, isRecord, refusal } from "./author.js";
import type { AgentSettings } from "./declaration.js";
import { isWords } from "./declare-config.js";
import { suggestion } from "./nearest.js";

/** Which model answers and what it is told, as `pc.agent(…, { llm })` takes it. */
export interface LlmOptions {
	/** Picks the base URL: `openai`, `groq`, `mistral`, … Default: the server that the settings of the process name. */
	provider?: string;
	/** As the provider calls it: `gpt-4.1-mini`. Default: the model that the settings of the process name. */
	model?: string;
	/** Accepted as `true` only: an agent without a model would answer nobody. */
	enabled?: boolean;
	/** Who the agent is and how it behaves: the first text of the prompt. */
	prompt?: string;
	/** A server of your own that speaks the same protocol; wins over `provider`. */
	baseURL?: string;
}

interface Provider {
	/** Absent for `openai`, whose address the settings of the process may change. */
	baseURL?: string;
	/** The environment variable that holds its key; none for servers on this machine. */
	keyVariable?: string;
}

/** Servers that speak the protocol of the openai client, by the name that `provider` takes. */
const providers: Readonly<Record<string, Provider>> = {
	openai: {},
	anthropic: { baseURL: "https://api.anthropic.com/v1", keyVariable: "ANTHROPIC_API_KEY" },
	cerebras: { baseURL: "https://api.cerebras.ai/v1", keyVariable: "CEREBRAS_API_KEY" },
	cohere: { baseURL: "https://api.cohere.ai/compatibility/v1", keyVariable: "COHERE_API_KEY" },
	deepseek: { baseURL: "https://api.deepseek.com/v1", keyVariable: "DEEPSEEK_API_KEY" },
	fireworks: { baseURL: "https://api.fireworks.ai/inference/v1", keyVariable: "FIREWORKS_API_KEY" },
	google: { baseURL: "https://generativelanguage.googleapis.com/v1beta/openai", keyVariable: "GEMINI_API_KEY" },
	groq: { baseURL: "https://api.groq.com/openai/v1", keyVariable: "GROQ_API_KEY" },
	mistral: { baseURL: "https://api.mistral.ai/v1", keyVariable: "MISTRAL_API_KEY" },
	openrouter: { baseURL: "https://openrouter.ai/api/v1", keyVariable: "OPENROUTER_API_KEY" },
	together: { baseURL: "https://api.together.xyz/v1", keyVariable: "TOGETHER_API_KEY" },
	xai: { baseURL: "https://api.x.ai/v1", keyVariable: "XAI_API_KEY" },
	lmstudio: { baseURL: "http://127.0.0.1:1234/v1" },
	ollama: { baseURL: "http://127.0.0.1:11434/v1" },
	vllm: { baseURL: "http://127.0.0.1:8000/v1" },
};

const members = ["provider", "model", "enabled", "prompt", "baseURL"] as const;

/** What `llm` says: the prompt, the model to ask, and which of its members mean nothing here. */
export interface LlmRead {
	prompt: string;
	model?: NonNullable<AgentSettings["model"]>;
	ignored: readonly string[];
}

/**
 * Reads `llm`, given as an object or in short as `"vendor/model"`.
 *
 * @throws CallboardError `BAD_LLM` or `LLM_DISABLED`.
 */
export function llmFrom(author: Author, written: unknown): LlmRead {
	if (written === undefined) return { prompt: "", ignored: [] };
	if (isWords(written)) {
		const slash = written.indexOf("/");
		const short =
			slash < 0 ? { model: written } : { provider: written.slice(0, slash), model: written.slice(slash + 1) };
		return { prompt: "", ignored: [], ...modelOf(author, short) };
	}
	const way =
		'write llm: { provider: "openai", model: "gpt-4.1-mini", prompt: "You are …" } or llm: "openai/gpt-4.1-mini"';
	if (!isRecord(written))
		throw refusal(author, "BAD_LLM", `llm of agent ${author.title} is neither an object nor words`, way);
	for (const name of ["provider", "model", "prompt", "baseURL"]) {
		if (written[name] === undefined || isWords(written[name])) continue;
		throw refusal(author, "BAD_LLM", `llm.${name} of agent ${author.title} is not words`, way);
	}
	if (written.enabled !== undefined && written.enabled !== true) {
		const message = `llm.enabled of agent ${author.title} is not true, and an agent without a model would answer nobody`;
		throw refusal(author, "LLM_DISABLED", message, "leave llm.enabled out, or stop serving the agent");
	}
	return {
		prompt: isWords(written.prompt) ? written.prompt : "",
		ignored: Object.keys(written).filter((name) => !(members as readonly string[]).includes(name)),
		...modelOf(author, written as LlmOptions),
	};
}

function modelOf(author: Author, { provider, model, baseURL }: LlmOptions): Pick<LlmRead, "model"> {
	const known = provider === undefined ? {} : providers[provider.toLowerCase()];
	if (known === undefined && baseURL === undefined) {
		const names = Object.keys(providers);
		const message = `llm of agent ${author.title} names provider ${provider}, whose address is not known`;
		const next = `write one of ${names.join(", ")}, or give its baseURL${suggestion(String(provider), names)}`;
		throw refusal(author, "BAD_LLM", message, next);
	}
	if (baseURL !== undefined && !/^https?:\/\//.test(baseURL)) {
		const message = `llm.baseURL of agent ${author.title} is no web address`;
		throw refusal(author, "BAD_LLM", message, "write an address that starts with https:// or http://");
	}
	const address = baseURL ?? known?.baseURL;
	if (model === undefined) {
		if (address === undefined) return {};
		const message = `llm of agent ${author.title} names a provider and no model`;
		throw refusal(author, "BAD_LLM", message, 'add model: "…", as the provider calls it');
	}
	return {
		model: {
			name: model,
			...(address === undefined ? {} : { baseURL: address }),
			...(known?.keyVariable === undefined ? {} : { keyVariable: known.keyVariable }),
		},
	};
}
