import type { AskOptions, Model, ModelRequest, ModelResponse } from "../../src/model/model.js";

export type Answer = Partial<Omit<ModelResponse, "calls">> & {
	/** `[name, arguments, id]`; arguments as an object, or as the text the model wrote. */
	calls?: readonly (readonly [name: string, args?: object | string, id?: string])[];
	/** Pieces to stream; the text when absent. */
	stream?: readonly string[];
};

type Reply = Answer | string;
export type Step = Reply | Error | ((request: ModelRequest, options: AskOptions) => Promise<Reply> | Reply);

/** Plays its steps in order; a request too many fails the test. */
export class FakeModel implements Model {
	readonly name = "fake";
	readonly requests: ModelRequest[] = [];
	readonly #steps: Step[];

	constructor(...steps: Step[]) {
		this.#steps = steps;
	}

	/** Steps nobody asked for. */
	get left(): number {
		return this.#steps.length;
	}

	async ask(request: ModelRequest, options: AskOptions): Promise<ModelResponse> {
		this.requests.push(structuredClone(request));
		const step = this.#steps.shift();
		if (step === undefined) throw new Error(`unexpected request ${this.requests.length}`);
		if (step instanceof Error) throw step;
		const answer = typeof step === "function" ? await step(request, options) : step;
		const response = responseOf(answer, this.requests.length);
		const pieces = (typeof answer === "string" ? undefined : answer.stream) ?? [response.text];
		for (const piece of pieces) if (piece !== "") options.onText?.(piece);
		return response;
	}
}

/** An answer as the model gives it; call ids are made of `nth` where none is given. */
export function responseOf(answer: Answer | string, nth: number): ModelResponse {
	const { calls = [], stream: _, ...rest } = typeof answer === "string" ? { text: answer } : answer;
	return {
		text: "",
		finish: calls.length > 0 ? "tools" : "stop",
		usage: { input: 10, cached: 4, output: 2 },
		model: "fake-1",
		cost: 0.25,
		attempts: 1,
		...rest,
		calls: calls.map(([name, args = {}, id = `c${nth}-${name}`]) => ({
			id,
			name,
			arguments: typeof args === "string" ? args : JSON.stringify(args),
		})),
	};
}
