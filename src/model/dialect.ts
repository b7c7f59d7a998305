/**
 * What differs between servers that speak Chat Completions, as far as it decides whether a request is accepted and
 * whether the provider's prompt cache holds. The reasons and the figures are in docs/caching.md.
 */
export interface Dialect {
	/**
	 * How the model learns which tools it may call now. `choice`: the tools array never changes and an `allowed_tools`
	 * choice names the visible ones. `constant`: the array never changes, the view alone names them, and a call of a
	 * hidden one is refused when it comes. `changed`: only the visible ones are sent, which costs the cached prefix
	 * at every change.
	 */
	readonly visibility: "choice" | "constant" | "changed";
	/**
	 * Where the view and the framework's notes stand. `message`: as system messages in their place, the view last.
	 * `appended`: as a marked block at the end of the last message, for servers that take one leading system message.
	 */
	readonly view: "message" | "appended";
	/** Whether `prompt_cache_key` is sent. */
	readonly cacheKey: boolean;
	/** Whether tools whose schema allows it are sent with `strict`. */
	readonly strict: boolean;
	/** Whether usage is asked for with `stream_options`. */
	readonly usage: boolean;
	/** The name of the token limit. */
	readonly limit: "max_completion_tokens" | "max_tokens";
}

export const openaiDialect: Dialect = {
	visibility: "choice",
	view: "message",
	cacheKey: true,
	strict: true,
	usage: true,
	limit: "max_completion_tokens",
};

/** The smallest common ground: what llama.cpp, vLLM, Ollama and the hosted servers all accept. */
export const compatibleDialect: Dialect = {
	visibility: "constant",
	view: "appended",
	cacheKey: false,
	strict: false,
	usage: true,
	limit: "max_tokens",
};

/** The dialect of the server at `baseURL`: OpenAI's own and Azure's by their host names, the common ground for all else. */
export function dialectOf(baseURL: string): Dialect {
	const host = new URL(baseURL).hostname;
	return isOpenAI(host) || host.endsWith(".openai.azure.com") ? openaiDialect : compatibleDialect;
}

/** Whether the host is OpenAI's own, where its list prices hold. */
export function isOpenAI(host: string): boolean {
	return host === "api.openai.com" || host.endsWith(".api.openai.com");
}

/** Something in a request that the framework added of itself and can do without. */
export type Extra = "stream_options" | "prompt_cache_key" | "allowed_tools" | "strict" | "limit" | "late_system";

/** The same dialect without one extra that the server refused. */
export function without(dialect: Dialect, extra: Extra): Dialect {
	switch (extra) {
		case "stream_options":
			return { ...dialect, usage: false };
		case "prompt_cache_key":
			return { ...dialect, cacheKey: false };
		case "allowed_tools":
			return { ...dialect, visibility: "constant" };
		case "strict":
			return { ...dialect, strict: false };
		case "limit":
			return { ...dialect, limit: dialect.limit === "max_tokens" ? "max_completion_tokens" : "max_tokens" };
		case "late_system":
			return { ...dialect, view: "appended" };
	}
}
