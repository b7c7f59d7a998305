import { CallboardError } from "../errors.js";
import type { Model, ModelRequest } from "../model/model.js";

/** The same model, telling a person what it is asked and why it could not answer. Each kind of failure is told once. */
export function toldModel(
	model: Model,
	tell: { trouble(sentence: string): void; request?(request: ModelRequest): void },
): Model {
	const told = new Set<string>();
	return {
		name: model.name,
		async ask(request, options) {
			tell.request?.(request);
			try {
				const response = await model.ask(request, options);
				told.clear();
				return response;
			} catch (error) {
				if (error instanceof CallboardError && error.fault !== "lease" && !told.has(error.code)) {
					told.add(error.code);
					tell.trouble(error.explain());
				}
				throw error;
			}
		},
	};
}
