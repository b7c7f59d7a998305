import type { Usage } from "./usage.js";

/** US dollars for a million tokens. */
export interface Price {
	readonly input: number;
	/** For prompt tokens out of the provider's cache; `input` when absent. */
	readonly cached?: number;
	readonly output: number;
}

/** By model name; a name with a date behind it (`gpt-4.1-mini-2025-04-14`) is found under the name without. */
export type Prices = Readonly<Record<string, Price>>;

/** OpenAI's list prices as known when this was written, a start: give `prices` for yours. */
export const openaiPrices: Prices = {
	"gpt-4.1": { input: 2, cached: 0.5, output: 8 },
	"gpt-4.1-mini": { input: 0.4, cached: 0.1, output: 1.6 },
	"gpt-4.1-nano": { input: 0.1, cached: 0.025, output: 0.4 },
	"gpt-4o": { input: 2.5, cached: 1.25, output: 10 },
	"gpt-4o-mini": { input: 0.15, cached: 0.075, output: 0.6 },
	"gpt-5": { input: 1.25, cached: 0.125, output: 10 },
	"gpt-5-mini": { input: 0.25, cached: 0.025, output: 2 },
	"gpt-5-nano": { input: 0.05, cached: 0.005, output: 0.4 },
};

/** What a request cost in US dollars, or undefined when the model has no price. */
export function costOf(usage: Usage, model: string, prices: Prices): number | undefined {
	const price = prices[model] ?? prices[model.replace(/-\d{4}-?\d{2}-?\d{2}$/, "")];
	if (price === undefined) return undefined;
	const fresh = usage.input - usage.cached;
	return (fresh * price.input + usage.cached * (price.cached ?? price.input) + usage.output * price.output) / 1e6;
}
