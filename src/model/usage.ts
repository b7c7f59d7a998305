/** Tokens of one model request, as the provider counted them. */
export interface Usage {
	/** Prompt tokens, cached ones included. */
	input: number;
	/** Of `input`, how many came from the provider's prompt cache. */
	cached: number;
	output: number;
}

export const noUsage: Usage = { input: 0, cached: 0, output: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
	return { input: a.input + b.input, cached: a.cached + b.cached, output: a.output + b.output };
}
